package llm

import (
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

// A Style selects the form of the prompt.
type Style uint8

const (
	// Chunks presents numbered chunks and requests one of three verdicts with chunk ids,
	// a quote and a reason.
	Chunks Style = iota
	// Ragas presents the contexts joined by newlines and requests 1 or 0 and a reason.
	Ragas
	// MiniCheck uses the layout of Bespoke-MiniCheck, with one claim per request.
	MiniCheck
	// Lynx uses the layout of Patronus Lynx, with one claim per request.
	Lynx
	// Guardian uses the layout of Granite Guardian 4.1, with one claim per request.
	Guardian
	// DeepEval extracts facts from the contexts and supports every claim that they do not
	// contradict.
	DeepEval
)

// Options configure a Judge. Fields that are not required have defaults.
type Options struct {
	Model   llm.Completer // required
	Prompts *prompt.Set   // required
	Style   Style
	// EachChunk judges claims against every context separately, and keeps the highest score.
	// Only styles with one claim per request support it.
	EachChunk bool
	Strict    bool // accept explicit statements only, no inference
	// Votes is the number of times that each claim is judged, with different seeds and orders. It
	// must be odd; the default is 1. The score of a claim is the mean of the votes.
	Votes int
	// Threshold is the minimum score of a supported claim, and requires log probabilities.
	// If it is nil, the default is 0.5, and a server without them scores 1 or 0.
	Threshold *float64
	// MaxContextTokens limits the tokens of prompt and reply together. Contexts that do
	// not fit are judged in groups. If it is 0, contexts are grouped only after the server
	// reports that a prompt is too long.
	MaxContextTokens int
	// Limit returns the number of tokens of a prompt and its reply above which the server
	// silently truncates, or 0 if unknown. It may change during a run, and may be nil.
	Limit func() int
	// Tokens estimates the tokens of a text; the default is llm.EstimateTokens.
	Tokens func(string) int
}

const (
	claimsPerCall    = 20  // maximum number of claims in a request
	maxAttempts      = 3   // attempts to get a verdict in JSON
	seedStride       = 100 // distance between the seeds of consecutive votes
	defaultThreshold = 0.5
)

// A Judge is safe for concurrent use.
type Judge struct {
	opts             Options
	logprobsRequired bool
}

// New returns a judge.
func New(opts Options) *Judge {
	if opts.Votes == 0 {
		opts.Votes = 1
	}
	required := opts.Threshold != nil
	if !required {
		opts.Threshold = new(defaultThreshold)
	}
	if opts.Tokens == nil {
		opts.Tokens = llm.EstimateTokens
	}
	return &Judge{opts, required}
}

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return *j.opts.Threshold }

// window returns the token limit of a request with its reply, or 0 if unlimited. detected is set if
// the limit was inferred from the behavior of the server.
func (j *Judge) window() (tokens int, detected bool) {
	window, limit := j.opts.MaxContextTokens, 0
	if j.opts.Limit != nil {
		limit = j.opts.Limit()
	}
	if limit > 0 && (window == 0 || limit < window) {
		return limit, true
	}
	return window, false
}

// room returns the number of tokens in the window for adding chunks to bare.
func (j *Judge) room(bare *llm.Request) int {
	window, detected := j.window()
	room := window - bare.MaxTokens - messageTokens
	if detected {
		room = window - llm.ExpectedReplyTokens(bare) - messageTokens
		if bare.Schema != nil {
			room -= j.opts.Tokens(string(bare.Schema.JSON))
		}
	}
	for _, m := range bare.Messages {
		room -= j.opts.Tokens(m.Text)
	}
	return room
}

// size returns the approximate tokens of a chunk in a request.
func (j *Judge) size(s string) int {
	n := j.opts.Tokens(s)
	return n + n/16 + chunkOverhead/3
}

const (
	messageTokens = 32  // tokens that a chat template adds to two messages
	chunkOverhead = 24  // bytes of JSON syntax around a chunk
	minWindow     = 64  // smallest useful window, in tokens
	minBytes      = 200 // smallest useful group, in bytes
	overlap       = 8   // consecutive windows overlap by 1/overlap of their length
)
