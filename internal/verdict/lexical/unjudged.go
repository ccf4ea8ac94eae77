package lexical

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/language"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// leaveUnjudged replaces the verdicts on claims that are not supported and whose language is
// not that of any context, since comparing their words means nothing.
func (j *Judge) leaveUnjudged(task verdict.Task, vs []verdict.Verdict) {
	var answer *language.Profile
	others := make(map[string]string) // of the contexts, by the language of a claim
	for i := range vs {
		if word, ok := denial(&task.Claims[i]); ok && !j.denies(&vs[i], word) {
			vs[i] = unjudged(&vs[i], quoted(word)+" denies a question that cannot be restated offline; use a model (--judge)")
			continue
		}
		if vs[i].Label == verdict.Supported {
			continue
		}
		claim := profileOf(task.Claims[i].Text)
		if claim.Language() == "" {
			claim = profileOf(task.Claims[i].Judged())
		}
		lang := claim.Language()
		if lang == "" { // the claim is short, but the answer and its question may be clear
			if answer == nil {
				answer = &language.Profile{}
				answer.Add(task.Question + "\n")
				for k := range task.Claims {
					answer.Add(task.Claims[k].Judged())
				}
			}
			if lang = answer.Language(); lang == "" || !claim.Leans(lang) {
				continue
			}
		}
		other, known := others[lang]
		if !known {
			other = otherLanguage(task.Contexts, lang)
			others[lang] = other
		}
		if other != "" {
			vs[i] = unjudged(&vs[i], fmt.Sprintf("the claim is in %s, the contexts are in %s; use a model (--judge)", lang, other))
		}
	}
}

func profileOf(text string) (p language.Profile) {
	p.Add(text)
	return p
}

// unjudged returns the verdict that replaces v.
func unjudged(v *verdict.Verdict, reason string) verdict.Verdict {
	return verdict.Verdict{ClaimID: v.ClaimID, Label: verdict.Unjudged, Score: math.NaN(), Reason: reason}
}

// denial returns the word of a claim that only denies its question and is judged after it, not as
// a negated statement: "Ist das Bad offen?: Nein".
func denial(c *extract.Claim) (string, bool) {
	word := strings.TrimRight(c.Text, ".!。！ ")
	if c.Statement == "" || strings.Contains(word, " ") || !strings.HasSuffix(c.Statement, ": "+word) {
		return "", false
	}
	yes, ok := english.YesOrNo(word)
	return word, ok && !yes
}

// denies reports whether the evidence of a supported claim contains its word, or a negation.
func (j *Judge) denies(v *verdict.Verdict, word string) bool {
	return v.Label == verdict.Supported && slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool {
		return slices.ContainsFunc(j.lex.Tokens(nil, e.Quote), func(t lexicon.Token) bool {
			return t.Is(lexicon.Negation) || strings.EqualFold(t.Text(e.Quote), word)
		})
	})
}

// otherLanguage returns the language of the first context if all of them are clearly in a language
// other than lang, or else "". Contexts whose language is unclear are judged together.
func otherLanguage(contexts []string, lang string) string {
	const head = 4 << 10 // usually shows that a context is in the language of the claim
	other := ""
	var unclear language.Profile
	isUnclear := false
	for _, text := range contexts {
		var p language.Profile
		p.Add(text[:min(head, len(text))])
		if p.Language() == lang {
			return ""
		}
		p.Add(text[min(head, len(text)):])
		switch name := p.Language(); {
		case strings.TrimSpace(text) == "":
		case name == "":
			isUnclear = true
			unclear.Add(text)
		case !p.Excludes(lang):
			return ""
		case other == "":
			other = name
		}
	}
	if !isUnclear {
		return other
	}
	if !unclear.Excludes(lang) {
		return ""
	}
	return cmp.Or(other, unclear.Language(), "another script")
}
