package llm

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A finding is what is known of a claim so far. The zero value is nothing.
type finding struct {
	known    bool
	label    verdict.Label
	reason   string
	chunks   []int // that support it
	evidence []verdict.Evidence
}

// add takes in what another group of chunks says: support in any group is
// support, and a contradiction counts only where no group supports. Of two that
// say the same the first is kept.
func (f *finding) add(g finding) {
	if !f.known || g.label > f.label {
		*f = g
	}
}

// A hearing judges the claims of a task once.
type hearing struct {
	judge *Judge
	task  verdict.Task
	vote  int
	usage usage.Usage
	open  []finding // by place of the claim
	fits  int       // the window that contexts were grouped for; 0 for none
}

// all judges every claim against every piece.
func (h *hearing) all(ctx context.Context, pieces []piece) error {
	order := make([]int, len(h.task.Claims))
	for i := range order {
		order[i] = i
	}
	if h.vote > 0 {
		r := rand.New(rand.NewPCG(uint64(h.vote), uint64(len(order)))) //nolint:gosec // an order, no secret
		r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	}
	n := h.judge.opts.ClaimsPerCall
	var later error
	for len(order) > 0 {
		k := min(n, len(order))
		err := h.groups(ctx, pieces, order[:k])
		switch {
		case llm.Deferred(err):
			later = err // the other claims can be asked about meanwhile
		case err != nil:
			return err
		}
		order = order[k:]
	}
	return later
}

// groups judges claims against pieces, in as many groups as fit the window.
func (h *hearing) groups(ctx context.Context, pieces []piece, claims []int) error {
	window, found := h.judge.window()
	if h.fits = window; window == 0 {
		return h.group(ctx, pieces, claims)
	}
	room, err := h.room(claims)
	if err != nil {
		return err
	}
	halve := room < minWindow
	if found && !halve && len(claims) > 1 {
		// The instructions take most of a window that was found to be small, so that
		// fewer claims at a time may need fewer requests.
		more, err := h.room(claims[:(len(claims)+1)/2])
		if err != nil {
			return err
		}
		all := 0
		for _, p := range pieces {
			all += h.judge.size(p.text)
		}
		halve = 2*(all/more+1) < all/room+1
	}
	if halve && len(claims) > 1 {
		return h.halves(claims, func(part []int) error { return h.groups(ctx, pieces, part) })
	}
	if halve {
		return &llm.ContextLengthError{
			Limit: window, Message: "a claim and the instructions leave no room for the contexts", Silent: found,
		}
	}
	for _, g := range pack(pieces, room, h.judge.size) {
		if claims = h.unsupported(claims); len(claims) == 0 {
			return nil
		}
		if err := h.group(ctx, g, claims); err != nil {
			return err
		}
	}
	return nil
}

// group judges claims against pieces, in one request unless the server finds it
// too long.
func (h *hearing) group(ctx context.Context, pieces []piece, claims []int) error {
	err := h.ask(ctx, pieces, claims)
	tooLong, ok := errors.AsType[*llm.ContextLengthError](err)
	if !ok {
		return err
	}
	if window, _ := h.judge.window(); window != h.fits {
		return h.groups(ctx, pieces, claims) // what the server reads is known by now
	}
	total := 0
	for _, p := range pieces {
		total += len(p.text) + pieceMarks
	}
	if total >= 2*minBytes {
		for _, g := range pack(pieces, (total+1)/2, bytesOf) {
			if claims = h.unsupported(claims); len(claims) == 0 {
				return nil
			}
			if err := h.group(ctx, g, claims); err != nil {
				return err
			}
		}
		return nil
	}
	if len(claims) > 1 {
		return h.halves(claims, func(part []int) error { return h.group(ctx, pieces, part) })
	}
	return tooLong
}

// window is how many tokens a request and its reply may have, 0 for any number, and
// whether that was found by what the server does.
func (j *Judge) window() (tokens int, found bool) {
	window, limit := j.opts.MaxContextTokens, 0
	if j.opts.Limit != nil {
		limit = j.opts.Limit()
	}
	if limit > 0 && (window == 0 || limit < window) {
		return limit, true
	}
	return window, false
}

// room is how many tokens of contexts a request about claims has.
func (h *hearing) room(claims []int) (int, error) {
	bare, err := h.request(nil, claims, 0)
	if err != nil {
		return 0, err
	}
	return h.judge.room(bare), nil
}

// room is what a request without contexts leaves for them in the window.
func (j *Judge) room(bare *llm.Request) int {
	window, found := j.window()
	room := window - bare.MaxTokens - perMessage
	if found {
		room = window - llm.ReplyRoom(bare) - perMessage
		if bare.Schema != nil {
			room -= j.opts.Tokens(string(bare.Schema.JSON))
		}
	}
	for _, m := range bare.Messages {
		room -= j.opts.Tokens(m.Text)
	}
	return room
}

// halves calls judge with each half of claims.
func (h *hearing) halves(claims []int, judge func([]int) error) error {
	n := (len(claims) + 1) / 2
	if err := judge(claims[:n]); err != nil {
		return err
	}
	return judge(claims[n:])
}

// unsupported is claims without those that a group supports already.
func (h *hearing) unsupported(claims []int) []int {
	var out []int
	for _, c := range claims {
		if !h.open[c].known || h.open[c].label != verdict.Supported {
			out = append(out, c)
		}
	}
	return out
}
