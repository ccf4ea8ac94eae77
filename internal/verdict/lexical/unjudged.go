package lexical

import (
	"fmt"
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/language"
)

// leaveUnjudged replaces the verdicts on claims that are not supported and whose language is
// not that of any context, since comparing their words means nothing.
func leaveUnjudged(task verdict.Task, vs []verdict.Verdict) {
	var answer *language.Profile
	others := make(map[string]string) // of the contexts, by the language of a claim
	for i := range vs {
		if vs[i].Label == verdict.Supported {
			continue
		}
		var claim language.Profile
		claim.Add(task.Claims[i].Judged())
		in := claim.Language()
		if in == "" { // the claim is short, but the answer and its question may be clear
			if answer == nil {
				answer = &language.Profile{}
				answer.Add(task.Question + "\n")
				for k := range task.Claims {
					answer.Add(task.Claims[k].Judged())
				}
			}
			if in = answer.Language(); in == "" || !claim.Leans(in) {
				continue
			}
		}
		other, known := others[in]
		if !known {
			other = otherLanguage(task.Contexts, in)
			others[in] = other
		}
		if other != "" {
			vs[i] = verdict.Verdict{
				ClaimID: vs[i].ClaimID, Label: verdict.Unjudged, Score: math.NaN(),
				Reason: fmt.Sprintf("the claim is in %s, the contexts are in %s: lexical compares words; use a model (--judge)", in, other),
			}
		}
	}
}

// otherLanguage returns the language of the first context if all of them are clearly in
// another language than in, or else "". Contexts whose language is unclear are judged
// together.
func otherLanguage(contexts []string, in string) string {
	const head = 4 << 10 // usually shows that a context is in the language of the claim
	other := ""
	var unclear language.Profile
	isUnclear := false
	for _, text := range contexts {
		var p language.Profile
		p.Add(text[:min(head, len(text))])
		if p.Language() == in {
			return ""
		}
		p.Add(text[min(head, len(text)):])
		switch name := p.Language(); {
		case strings.TrimSpace(text) == "":
		case name == "":
			isUnclear = true
			unclear.Add(text)
		case !p.Excludes(in):
			return ""
		case other == "":
			other = name
		}
	}
	if !isUnclear {
		return other
	}
	if !unclear.Excludes(in) {
		return ""
	}
	if other == "" {
		other = unclear.Language()
	}
	return other
}
