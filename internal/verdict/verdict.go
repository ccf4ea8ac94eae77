// Package verdict defines the verdicts of judges about claims, and judges that change the input
// of another judge or replace some of its verdicts.
package verdict

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Label is the outcome of judging a claim.
type Label uint8

// Labels. A judge that cannot distinguish NotMentioned and Contradicted returns NotMentioned.
const (
	NotMentioned Label = iota // not stated by the contexts
	Contradicted              // contradicted by the contexts
	Supported                 // supported by the contexts
	// Unjudged is the label of a claim that the judge cannot compare with the contexts,
	// such as one in another language. Its score is NaN, and it has no evidence.
	Unjudged
)

// String returns the name of the label in results.
func (l Label) String() string {
	names := [...]string{
		NotMentioned: "not_mentioned", Contradicted: "contradicted", Supported: "supported", Unjudged: "unjudged",
	}
	if int(l) >= len(names) {
		return "invalid"
	}
	return names[l]
}

// A Role is the relation of a piece of evidence to its claim.
type Role = result.Role

// Roles of evidence.
const (
	RoleSupports    = result.RoleSupports
	RoleContradicts = result.RoleContradicts
	RoleNearest     = result.RoleNearest
)

// RoleOf returns the role of evidence for a verdict with the given label.
func RoleOf(l Label) Role {
	switch l {
	case Supported:
		return RoleSupports
	case Contradicted:
		return RoleContradicts
	case NotMentioned, Unjudged:
	}
	return RoleNearest
}

// Evidence is a passage of a context that relates to a claim. Package eval sets the role
// if the judge leaves it empty.
type Evidence = result.Evidence

// NewEvidence returns evidence for the byte range from start to end of a context.
func NewEvidence(contexts []string, chunk, start, end int) Evidence {
	text := contexts[chunk]
	from := utf8.RuneCountInString(text[:start])
	return Evidence{Chunk: chunk, Start: from, End: from + utf8.RuneCountInString(text[start:end]), Quote: text[start:end]}
}

// Nearest returns the first evidence that a judge gives for a claim in contexts, or nil if
// it gives none.
func Nearest(ctx context.Context, j Judge, contexts []string, claim extract.Claim) (*Evidence, error) {
	claim.ID = 0
	out, err := j.Judge(ctx, Task{Contexts: contexts, Claims: []extract.Claim{claim}})
	if err != nil || len(out.Verdicts) == 0 || len(out.Verdicts[0].Evidence) == 0 {
		return nil, err
	}
	return &out.Verdicts[0].Evidence[0], nil
}

// A Verdict is the judgment of one claim.
type Verdict struct {
	ClaimID int     // ID of the claim
	Label   Label   // Supported if Score is at least the threshold of the judge
	Score   float64 // probability of support, 0 to 1; NaN if Label is Unjudged
	// Confidence is the probability that the claim is supported if Label is Supported, and
	// that it is not otherwise. It is 0 if the judge has no such probability.
	Confidence float64
	Graded     bool       // whether Score comes from log probabilities of a language model
	Differs    bool       // whether the lexical judge found that the claim repeats a passage except for a value, sign or word
	Reason     string     // one line for the user
	ChunkIDs   []int      // indexes of supporting contexts, ascending
	Evidence   []Evidence // best first; may be empty
	Reused     *Reused    // origin of a verdict reused from another claim, or nil
	// Prescreened is set if an offline judge decided in place of a language model.
	Prescreened bool
	// Audited is the label of the offline judge on a claim that it decided, but which a
	// language model judged as well; otherwise nil.
	Audited *Label
	// Unsupported lists the unsupported ranges of Claim.Text in ascending order, in code points. It
	// is empty for a supported claim, and if the judge cannot localize them.
	Unsupported []extract.Span
}

// SupportProbability returns the probability that the claim is supported: from Confidence,
// or Score if there is none.
func (v *Verdict) SupportProbability() float64 {
	switch {
	case v.Confidence == 0:
		return v.Score
	case v.Label == Supported:
		return v.Confidence
	}
	return 1 - v.Confidence
}

// Certainty returns the probability that v is right if Score is the probability of support.
func (v *Verdict) Certainty() float64 {
	if v.Label == Supported {
		return v.Score
	}
	return 1 - v.Score
}

// Reused describes the origin of a verdict reused from another claim.
type Reused = result.Reused

// Marks of a Judgement that took a fallback. They have the same names in results.
const (
	MarkDowngraded = string(result.Downgraded)
	MarkGrouped    = string(result.Grouped)
	MarkOneWord    = string(result.OneWord)
)

// A Judgement is the output of a judge for a task.
type Judgement struct {
	Verdicts []Verdict // one for each claim, in any order
	Marks    []string  // sorted, without duplicates
	// Usage is zero for an offline judge. It is set even if there is an error.
	Usage usage.Usage
}

// A Judge returns one Verdict for each claim of the task, in any order. It is called from many
// goroutines. The caller owns the returned slice, but must not modify what its elements refer to.
type Judge interface {
	Judge(ctx context.Context, task Task) (Judgement, error)
}

// A Task is the input of a judge: all claims of a row and their contexts.
type Task struct {
	Question string
	Contexts []string
	Claims   []extract.Claim
}

// AddMarks adds more to marks, which are sorted and without duplicates.
func AddMarks(marks []string, more ...string) []string {
	for _, m := range more {
		if i, ok := slices.BinarySearch(marks, m); !ok {
			marks = slices.Insert(marks, i, m)
		}
	}
	return marks
}
