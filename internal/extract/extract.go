// Package extract breaks an answer into individual claims.
package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Claim is a statement in an answer.
type Claim struct {
	ID   int    // index among the claims of the row
	Text string // without Markdown; the cells of a table row include their column headings
	Lead string // heading or lead-in needed to understand a fragment, or ""
	// Statement replaces Lead and Text for judging. For example, it is "A visit is free." for the
	// answer "Yes." to "Is a visit free?" It is "" if Lead and Text are judged unchanged.
	Statement string
	Start     int // offset of the first code point in the answer, or -1 if rewritten
	End       int // offset after the last code point, or -1 if rewritten
	// From is the source sentence of a rewritten claim. It is nil for a
	// verbatim claim, or if the sentence is unknown.
	From *Span
	// Invented marks a rewritten claim that, even after a second attempt,
	// contains words or numbers not found in its sentence or the surrounding text.
	Invented bool
	// Citations are in the order of the answer. A rewritten claim inherits the
	// citations of its sentence.
	Citations []Citation
}

// Judged returns the text to be judged: Statement if it is set, otherwise WithLead.
func (c Claim) Judged() string {
	if c.Statement != "" {
		return c.Statement
	}
	return c.WithLead()
}

// WithLead returns Text after its Lead, as in "Advantages: low cost".
func (c Claim) WithLead() string {
	if c.Lead == "" {
		return c.Text
	}
	return c.Lead + ": " + c.Text
}

// Position returns the position in the answer of c or of the sentence from which it
// comes, or -1 if it is unknown.
func (c Claim) Position() int {
	if c.From != nil {
		return c.From.Start
	}
	return c.Start
}

// Offset returns the offset of Text in the result of Judged, in bytes. The offset is negative if
// Judged omits the start of Text. Offset reports false if neither text contains the other.
func (c Claim) Offset() (int, bool) {
	if c.Statement == "" {
		return len(c.Judged()) - len(c.Text), true
	}
	if strings.HasSuffix(c.Text, c.Statement) || strings.HasSuffix(english.Capitalize(c.Text[max(0, len(c.Text)-len(c.Statement)):]), c.Statement) {
		return len(c.Statement) - len(c.Text), true
	}
	if strings.HasPrefix(c.Text, strings.TrimRight(c.Statement, ".!")) {
		return 0, true // a trailing source attribution was cut
	}
	i := strings.Index(c.Statement, english.TrimAnswer(c.Text))
	return i - max(0, strings.Index(c.Text, english.TrimAnswer(c.Text))), i >= 0
}

// A Span is a range of an answer in code points.
type Span struct{ Start, End int }

// A Kind is the reason why a sentence is not a claim.
type Kind string

// Kinds of sentences that are not claims.
const (
	Greeting   Kind = "greeting"   // hello, thanks, offers of more help
	Question   Kind = "question"   // a question to the user
	Heading    Kind = "heading"    // a title or label
	LeadIn     Kind = "lead_in"    // "Here is the answer:"
	Refusal    Kind = "refusal"    // "I don't know", "the context does not say"
	Code       Kind = "code"       // fenced or indented code
	Reference  Kind = "reference"  // a URL or source list
	Marks      Kind = "marks"      // no letters or digits: rules, bullets, emoji
	Disclaimer Kind = "disclaimer" // "based on the provided context only"
	Reasoning  Kind = "reasoning"  // content of <think> and similar tags
	Unstated   Kind = "unstated"   // no statement found by the extracting model
)

// A Skipped sentence is not a claim and is not judged.
type Skipped struct {
	Kind       Kind
	Text       string
	Start, End int // range in the answer, in code points
}

// An Extraction holds the claims and skipped sentences of an answer, each in
// the order of the answer. Together they cover every sentence.
type Extraction struct {
	Claims  []Claim
	Skipped []Skipped
	// Whole is set if the whole answer is judged as one claim.
	Whole bool
	// Downgraded is set if a model was asked without a JSON schema, which its server rejected.
	Downgraded bool
	// Usage is set even if there is an error.
	Usage usage.Usage
}

// Skip inserts s into Skipped by position.
func (e *Extraction) Skip(s Skipped) {
	i := len(e.Skipped)
	for i > 0 && e.Skipped[i-1].Start > s.Start {
		i--
	}
	e.Skipped = slices.Insert(slices.Clone(e.Skipped), i, s)
}

// Add inserts claims, which are in the order of the answer, into Claims by position, and
// numbers all claims.
func (e *Extraction) Add(claims []Claim) {
	all := make([]Claim, 0, len(e.Claims)+len(claims))
	start := 0 // of the last claim with a position
	for _, c := range e.Claims {
		start = max(start, c.Position())
		for len(claims) > 0 && claims[0].Start < start {
			all, claims = append(all, claims[0]), claims[1:]
		}
		all = append(all, c)
	}
	all = append(all, claims...)
	for i := range all {
		all[i].ID = i
	}
	e.Claims = all
}

// A Citation refers to a source of a claim, such as "[2]" or "(plans.pdf, p. 3)".
type Citation struct {
	Text       string   // complete marker: "[1, 2]" for both of its citations
	Start, End int      // range of the marker in the answer, in code points
	Names      []string // possible names of the source, most likely first
	Number     int      // number of the source in the answer, or -1 if unnumbered
	// Weak marks an ambiguous form, such as "(Smith, 2021)". Weak citations
	// count only if they match a source.
	Weak bool
}

// codePoints converts increasing byte offsets in a text to code point offsets.
type codePoints struct {
	text       string
	at, points int
}

func (c *codePoints) count(offset int) int {
	c.points += utf8.RuneCountInString(c.text[c.at:offset])
	c.at = offset
	return c.points
}
