// Package extract breaks an answer into the claims that it makes.
package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Claim is one statement of an answer to be judged.
type Claim struct {
	ID   int    // place among the row's claims, from 0
	Text string // the statement, without Markdown; a row of a table with the headings of its columns
	Lead string // the heading or stem that a fragment leans on, "" for none
	// As is the statement that judges read instead of Lead and Text: what a short
	// answer and its question say together, "Sydney is the capital of Australia."
	// for "Sydney." It is "" for a claim that is judged by its own words.
	As    string
	Start int // first code point in the answer, as a Python slice counts; -1 where it was rewritten
	End   int // one past the last code point; -1 where it was rewritten
	// From is the sentence of the answer that a rewritten claim came from; nil
	// for a verbatim claim, and where the sentence is not known.
	From *Span
	// Invented marks a rewritten claim with words or numbers that neither its
	// sentence nor what stands around it has, and that stayed after a second try.
	Invented bool
	// Citations are those of the claim, in the order of the answer. A rewritten
	// claim has those of its sentence.
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
	if strings.HasSuffix(c.Text, c.As) || strings.HasSuffix(capitalize(c.Text[max(0, len(c.Text)-len(c.As)):]), c.As) {
		return len(c.As) - len(c.Text), true
	}
	if strings.HasPrefix(c.Text, strings.TrimRight(c.As, ".!")) {
		return 0, true // without a frame at its end
	}
	i := strings.Index(c.As, trimAnswer(c.Text))
	return i - max(0, strings.Index(c.Text, trimAnswer(c.Text))), i >= 0
}

// A Span is a range of an answer in code points.
type Span struct{ Start, End int }

// A Kind is the reason why a sentence is not a claim.
type Kind string

// The kinds of sentence that claim nothing.
const (
	Greeting   Kind = "greeting"   // hello, thanks, offers of more help
	Question   Kind = "question"   // a question back to the user
	Heading    Kind = "heading"    // a title or a bare label
	LeadIn     Kind = "lead_in"    // "Here is the answer:"
	Refusal    Kind = "refusal"    // "I don't know", "the context does not say"
	Code       Kind = "code"       // fenced or indented code
	Reference  Kind = "reference"  // a bare address of the web, as a footnote gives it
	Marks      Kind = "marks"      // no letter and no digit: rules, bullets, emoji
	Disclaimer Kind = "disclaimer" // about the answer itself: "based on the provided context only"
	Reasoning  Kind = "reasoning"  // of the model, in <think> and the like
	Unstated   Kind = "unstated"   // a model that was given the answer found no statement in it
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
	// Usage is what it cost; all zero where nothing is sent. It is set with an
	// error too.
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
