// Package extract breaks an answer into the claims that it makes.
package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Claim is one statement of an answer to be judged.
type Claim struct {
	ID   int    // index among the claims of the row
	Text string // without Markdown; cells of a table row have their column headings
	Lead string // heading or lead-in that a fragment depends on, or ""
	// As is the statement that judges read instead of Lead and Text, such as
	// "Sydney is the capital of Australia." for the short answer "Sydney." It is
	// "" if the claim is judged by its own words.
	As    string
	Start int // first code point in the answer; -1 if rewritten
	End   int // one past the last code point; -1 if rewritten
	// From is the sentence that a rewritten claim comes from. It is nil for a
	// verbatim claim and if the sentence is unknown.
	From *Span
	// Invented marks a rewritten claim with words or numbers that occur neither
	// in its sentence nor around it, even after a second attempt.
	Invented bool
	// Citations are in the order of the answer. A rewritten claim has those of
	// its sentence.
	Citations []Citation
}

// Judged returns the text that a judge reads: As if it is set, otherwise Text
// with its Lead, as in "Advantages: low cost" for "low cost" under
// "Advantages:".
func (c Claim) Judged() string {
	switch {
	case c.As != "":
		return c.As
	case c.Lead != "":
		return c.Lead + ": " + c.Text
	}
	return c.Text
}

// Offset returns the offset of Text in the result of Judged, in bytes. It is
// negative if Judged returns the end of Text. It reports false if neither
// contains the other.
func (c Claim) Offset() (int, bool) {
	if c.As == "" {
		return len(c.Judged()) - len(c.Text), true
	}
	if strings.HasSuffix(c.Text, c.As) || strings.HasSuffix(english.Capitalize(c.Text[max(0, len(c.Text)-len(c.As)):]), c.As) {
		return len(c.As) - len(c.Text), true
	}
	if strings.HasPrefix(c.Text, strings.TrimRight(c.As, ".!")) {
		return 0, true // a trailing frame was cut
	}
	i := strings.Index(c.As, english.TrimAnswer(c.Text))
	return i - max(0, strings.Index(c.Text, english.TrimAnswer(c.Text))), i >= 0
}

// A Span is a range of an answer in code points.
type Span struct{ Start, End int }

// A Kind is the reason why a sentence is not a claim.
type Kind string

// The kinds of sentence that claim nothing.
const (
	Greeting   Kind = "greeting"   // hello, thanks, offers of more help
	Question   Kind = "question"   // a question to the user
	Heading    Kind = "heading"    // a title or label
	LeadIn     Kind = "lead_in"    // "Here is the answer:"
	Refusal    Kind = "refusal"    // "I don't know", "the context does not say"
	Code       Kind = "code"       // fenced or indented code
	Reference  Kind = "reference"  // a URL or source list
	Marks      Kind = "marks"      // without letters and digits: rules, bullets, emoji
	Disclaimer Kind = "disclaimer" // "based on the provided context only"
	Reasoning  Kind = "reasoning"  // in <think> and similar tags
	Unstated   Kind = "unstated"   // the extracting model found no statement in it
)

// Known reports whether k is one of the kinds.
func (k Kind) Known() bool {
	switch k {
	case Greeting, Question, Heading, LeadIn, Refusal, Code, Reference, Marks, Disclaimer, Reasoning, Unstated:
		return true
	}
	return false
}

// A Skipped sentence claims nothing and is not judged.
type Skipped struct {
	Kind       Kind
	Text       string
	Start, End int // code points in the answer
}

// An Extraction is the result of extracting claims from an answer. Claims and
// Skipped are each in the order of the answer and together cover every
// sentence.
type Extraction struct {
	Claims  []Claim
	Skipped []Skipped
	// Usage is set even if there is an error.
	Usage usage.Usage
}

// Skip inserts s into Skipped, which is ordered by position.
func (e *Extraction) Skip(s Skipped) {
	i := len(e.Skipped)
	for i > 0 && e.Skipped[i-1].Start > s.Start {
		i--
	}
	e.Skipped = slices.Insert(slices.Clone(e.Skipped), i, s)
}
