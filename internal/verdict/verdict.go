// Package verdict holds what a judge says of a claim.
package verdict

import (
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Label is the outcome for one claim.
type Label uint8

// The labels. A judge that cannot tell the last two apart says NotMentioned.
const (
	NotMentioned Label = iota // the contexts do not hold it
	Contradicted              // the contexts say otherwise
	Supported                 // the contexts support it
)

// String returns the label as results spell it.
func (l Label) String() string {
	switch l {
	case Supported:
		return "supported"
	case Contradicted:
		return "contradicted"
	case NotMentioned:
		return "not_mentioned"
	}
	return "invalid"
}

// A Role says how a piece of evidence bears on its claim.
type Role string

// The roles of evidence. That of a supported claim supports it.
const (
	RoleSupports    Role = ""
	RoleContradicts Role = "contradicts" // it contradicts the claim
	RoleNearest     Role = "nearest"     // nothing comes closer to the claim, and it is not enough
)

// RoleOf returns the role of the evidence that a judge gives with a label.
func RoleOf(l Label) Role {
	switch l {
	case Supported:
		return RoleSupports
	case Contradicted:
		return RoleContradicts
	case NotMentioned:
	}
	return RoleNearest
}

// Evidence is a piece of a chunk that bears on a claim.
type Evidence struct {
	Chunk      int    // index into the contexts
	Start, End int    // code points in the chunk
	Quote      string // exactly the chunk's text from Start to End
	Role       Role   // package eval sets that of a judge that does not
}

// A Verdict is the judgement of one claim.
type Verdict struct {
	ClaimID  int        // Claim.ID of the claim judged
	Label    Label      // Supported where Score is at or above the judge's threshold
	Score    float64    // probability of support, 0 to 1
	Reason   string     // one line for a person
	Missing  bool       // Reason names words or a number that no context has
	ChunkIDs []int      // contexts that support the claim, ascending
	Evidence []Evidence // best first; may be empty
	Reused   *Reused    // set where the verdict was made for another claim
	// Unsupported are the parts of Claim.Text that nothing supports, in code points
	// and in order, where the judge can tell; none of a supported claim.
	Unsupported []extract.Span
}

// Reused says where a verdict was taken from.
type Reused struct {
	By        string  // "semantic": a cache of verdicts, by the likeness of claims
	Statement string  // the claim that the verdict was made for, over the same contexts
	Cosine    float64 // of the two claims' embeddings, -1 to 1
}

// A Judgement is what a judge says of a task.
type Judgement struct {
	Verdicts []Verdict // one for each claim, in any order
	// Usage is what it cost; all zero for a judge that runs offline. It is set
	// with an error too.
	Usage usage.Usage
}

// A Task is what a judge is asked: every claim of one row, against its contexts.
type Task struct {
	Question string
	Contexts []string
	Claims   []extract.Claim
}
