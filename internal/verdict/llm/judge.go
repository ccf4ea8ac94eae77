// Package llm is the judge that asks a language model.
//
// Usually a row is one request: its numbered claims against its numbered chunks.
// What comes back is held against what was asked. A claim without a verdict, or
// with two, is asked again, and in the end for one word; quotes and chunk ids count
// only where the chunks bear them out. A row either gets one verdict for each claim or fails.
package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A Style is a way of asking.
type Style uint8

// The styles.
const (
	// Chunks shows numbered chunks, and asks for one of three verdicts with
	// chunk ids, a quote and a reason.
	Chunks Style = iota
	// Ragas shows the contexts joined by a newline, and asks for 1 or 0 and a
	// reason.
	Ragas
)

// Options are the settings of a Judge. The zero value of a field that is not
// required is its default.
type Options struct {
	Model   llm.Completer // required
	Prompts *prompt.Set   // required
	Style   Style
	Strict  bool // only what is stated counts, inferences do not
	// Votes is how often each claim is judged, with other seeds and in another
	// order each time; an odd number, 1 by default. The majority decides, and the
	// share of votes for support is the claim's score.
	Votes int
	// Seed is sent with the first request of a row, and numbers that follow from
	// it with the others; with 0 the first request has none.
	Seed int
	// ClaimsPerCall is how many claims a request has at most; 20.
	ClaimsPerCall int
	// MaxContextTokens is the model's window, prompt and reply together. Contexts
	// that don't fit are judged in groups. With 0 that is done only when the
	// server says that a prompt is too long.
	MaxContextTokens int
	// Limit is how many tokens of a prompt and its reply the server is known to read
	// before it silently drops text, 0 for none known; nil for a server that does not.
	// It may change while the judge is used.
	Limit func() int
	// Tokens estimates the tokens of a text; llm.Rough.
	Tokens func(string) int
}

const (
	defaultClaimsPerCall = 20
	threshold            = 0.5
)

// A Judge may be used by many goroutines at once.
type Judge struct{ opts Options }

// New returns a judge, or an error where the options make none.
func New(opts Options) (*Judge, error) {
	if opts.Model == nil || opts.Prompts == nil {
		return nil, errors.New("a judge needs a model and prompts")
	}
	if opts.Votes == 0 {
		opts.Votes = 1
	}
	if opts.Votes < 0 || opts.Votes%2 == 0 {
		return nil, fmt.Errorf("votes: want an odd number, so that there is a majority, got %d", opts.Votes)
	}
	if opts.ClaimsPerCall < 0 || opts.MaxContextTokens < 0 {
		return nil, errors.New("claims per call and context tokens: want no negative number")
	}
	if opts.ClaimsPerCall == 0 {
		opts.ClaimsPerCall = defaultClaimsPerCall
	}
	if opts.Tokens == nil {
		opts.Tokens = llm.Rough
	}
	if opts.Style > Ragas {
		return nil, fmt.Errorf("there is no style %d", opts.Style)
	}
	return &Judge{opts}, nil
}

// Threshold is the share of votes from which a claim is supported.
func (j *Judge) Threshold() float64 { return threshold }

// Settings names all that a verdict depends on beside the model and the texts:
// the prompts and their versions, strictness, and votes.
func (j *Judge) Settings() string {
	return fmt.Sprintf("%s %s strict=%t votes=%d seed=%d", j.opts.Prompts.Version(j.prompt()), j.opts.Prompts.Version(prompt.JudgeWord), j.opts.Strict, j.opts.Votes, j.opts.Seed)
}

func (j *Judge) prompt() prompt.Name {
	if j.opts.Style == Ragas {
		return prompt.RagasJudge
	}
	return prompt.Judge
}

// Judge returns a verdict for each claim of the task, in the order of the
// claims, or an error: a *llm.RefusalError where the model would not answer, an
// error that names the claims where they got no usable verdict in their tries and
// then no word that says yes or no,
// and whatever else the model's Completer returns. The usage holds all requests,
// with an error too.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	pieces := wholes(task.Contexts)
	ballots := make([][]finding, j.opts.Votes)
	var used usage.Usage
	var later error
	for vote := range ballots {
		h := &hearing{judge: j, task: task, vote: vote, open: make([]finding, len(task.Claims))}
		err := h.all(ctx, pieces)
		used = used.Add(h.usage)
		switch {
		case llm.Deferred(err):
			later = err // the other votes can be asked for meanwhile
		case err != nil:
			return verdict.Judgement{Usage: used}, err
		}
		ballots[vote] = h.open
	}
	if later != nil {
		return verdict.Judgement{Usage: used}, later
	}
	vs := make([]verdict.Verdict, len(task.Claims))
	for i, c := range task.Claims {
		vs[i] = count(ballots, i)
		vs[i].ClaimID = c.ID
	}
	return verdict.Judgement{Verdicts: vs, Usage: used}, nil
}
