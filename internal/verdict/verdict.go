// Package verdict defines the verdicts of judges on claims.
package verdict

import (
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Label is the outcome for one claim.
type Label uint8

// Labels. A judge that cannot distinguish NotMentioned and Contradicted returns
// NotMentioned.
const (
	NotMentioned Label = iota // the contexts do not say it
	Contradicted              // the contexts contradict it
	Supported                 // the contexts support it
)

// String returns the label as written in results.
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

// A Role is the relation of a piece of evidence to its claim.
type Role string

// Roles of evidence.
const (
	RoleSupports    Role = ""
	RoleContradicts Role = "contradicts" // contradicts the claim
	RoleNearest     Role = "nearest"     // closest to the claim, but insufficient
)

// RoleOf returns the role of evidence for a verdict with the given label.
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

// Evidence is a passage of a context that relates to a claim.
type Evidence struct {
	Chunk      int    // index into the contexts
	Start, End int    // code points in the chunk
	Quote      string // exactly the chunk's text from Start to End
	Role       Role   // set by package eval if the judge does not
}

// NewEvidence returns the passage from byte start to byte end of a context.
func NewEvidence(contexts []string, chunk, start, end int) Evidence {
	text := contexts[chunk]
	from := utf8.RuneCountInString(text[:start])
	return Evidence{Chunk: chunk, Start: from, End: from + utf8.RuneCountInString(text[start:end]), Quote: text[start:end]}
}

// A Verdict is the judgment of one claim.
type Verdict struct {
	ClaimID  int        // ID of the claim
	Label    Label      // Supported if Score reaches the judge's threshold
	Score    float64    // probability of support, 0 to 1
	Reason   string     // one line for the user
	Missing  bool       // Reason names words or a number that no context has
	ChunkIDs []int      // indexes of supporting contexts, ascending
	Evidence []Evidence // best first; may be empty
	Reused   *Reused    // set if the verdict was made for another claim
	// Unsupported lists the parts of Claim.Text that nothing supports, in code
	// points and in order, if the judge can tell. It is empty for a supported
	// claim.
	Unsupported []extract.Span
}

// Reused describes the origin of a verdict that was made for another claim.
type Reused struct {
	By        string  // "semantic": a cache of verdicts on similar claims
	Statement string  // the other claim, judged with the same contexts
	Cosine    float64 // cosine similarity of the claims' embeddings, -1 to 1
}

// A Judgement is the result of a judge for a task.
type Judgement struct {
	Verdicts []Verdict // one for each claim, in any order
	// Usage is zero for an offline judge and set even if there is an error.
	Usage usage.Usage
}

// A Task is the input of a judge: all claims of a row and their contexts.
type Task struct {
	Question string
	Contexts []string
	Claims   []extract.Claim
}
