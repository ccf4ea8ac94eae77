package llm

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An answer is the verdict on one claim in a reply.
type answer struct {
	label   verdict.Label
	reason  string
	chunks  []int // unchecked indexes of pieces
	quote   string
	score   float64 // probability of support, if graded
	graded  bool
	ofFacts bool // made from facts, so that chunk ids and quotes do not refer to contexts
}

// A finding is the result for a claim so far; the zero value is none.
type finding struct {
	known    bool
	ofFacts  bool // as for an answer
	label    verdict.Label
	score    float64 // probability of support, on the side of label; otherwise 1 or 0
	graded   bool    // score was computed from log probabilities
	reason   string
	chunks   []int // chunks that support the claim
	evidence []verdict.Evidence
}

// add merges the result for another group of chunks. Support in any group takes
// precedence over a contradiction, and a contradiction over no mention. If the
// labels are equal, the first result is kept. The score is the higher one. Of results made from
// facts, a contradiction takes precedence.
func (f *finding) add(g finding) {
	if f.known && g.ofFacts {
		if g.label == verdict.Contradicted && f.label != verdict.Contradicted {
			*f = g
		}
		return
	}
	best := f
	if !f.known || g.score > f.score {
		best = &g
	}
	score, graded := best.score, best.graded
	if !f.known || g.label > f.label {
		*f = g
	}
	f.score, f.graded = score, graded
}

// finding validates an answer against the pieces that were sent. It drops
// unknown chunk ids and quotes that do not occur in the pieces.
func (a *answer) finding(pieces []piece, contexts []string) finding {
	f := finding{known: true, ofFacts: a.ofFacts, label: a.label, reason: a.reason, score: a.score, graded: a.graded}
	if !a.graded && a.label == verdict.Supported {
		f.score = 1
	}
	if f.reason == "" {
		f.reason = "the model gave no reason"
	}
	if a.label == verdict.NotMentioned || a.ofFacts {
		return f
	}
	var named, shown []int
	for _, p := range pieces {
		shown = append(shown, p.chunk)
	}
	for _, id := range a.chunks {
		if id < len(pieces) {
			named = append(named, pieces[id].chunk)
		}
	}
	named, shown = ascending(named), ascending(shown)
	if len(named) == 0 && len(shown) == 1 {
		named = shown
	}
	candidates := named
	if len(candidates) == 0 {
		candidates = shown
	}
	for _, c := range candidates {
		if start, end, ok := find(contexts[c], a.quote); ok {
			f.evidence = []verdict.Evidence{verdict.NewEvidence(contexts, c, start, end)}
			if len(named) == 0 {
				named = []int{c}
			}
			break
		}
	}
	if a.label == verdict.Supported {
		f.chunks = named
	}
	return f
}

func ascending(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// A rowJudge judges the claims of a task once, for a single vote.
type rowJudge struct {
	judge    *Judge
	task     verdict.Task
	vote     int
	usage    usage.Usage
	marks    []string  // as in verdict.Judgement
	findings []finding // by claim index
	window   int       // context window used for grouping chunks, or 0 if unlimited
}

// indexes returns 0 to n-1.
func indexes(n int) []int {
	return convert(make([]int, n), func(i, _ int) int { return i })
}

func (r *rowJudge) mark(name string) { r.marks = verdict.AddMarks(r.marks, name) }

func (r *rowJudge) complete(ctx context.Context, req *llm.Request) (*llm.Reply, error) {
	reply, err := r.judge.opts.Model.Complete(ctx, req)
	if err != nil {
		r.usage = r.usage.Add(llm.UsageOf(err))
		return nil, err
	}
	r.usage = r.usage.Add(reply.Usage)
	return reply, nil
}

// claimIDs formats the ids of claims for an error message.
func (r *rowJudge) claimIDs(claims []int) string {
	const maxShown = 5
	var ids []string
	for _, c := range claims[:min(len(claims), maxShown)] {
		ids = append(ids, strconv.Itoa(r.task.Claims[c].ID))
	}
	text := "claim " + strings.Join(ids, ", ")
	if more := len(claims) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// A piece is a chunk, or a window of a long chunk.
type piece struct {
	text  string
	chunk int
}

// convert returns f of the index and the value of each element.
func convert[T, U any](list []T, f func(int, T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(i, x)
	}
	return out
}

func wholeChunks(contexts []string) []piece {
	return convert(contexts, func(i int, c string) piece { return piece{text: c, chunk: i} })
}

// items numbers pieces for a prompt.
func items(pieces []piece) []prompt.Item {
	return convert(pieces, func(i int, p piece) prompt.Item { return prompt.Item{ID: i, Text: p.text} })
}

func texts(pieces []piece) []string {
	return convert(pieces, func(_ int, p piece) string { return p.text })
}

// bytesOf returns the approximate bytes of a chunk in a request.
func bytesOf(s string) int { return len(s) + chunkOverhead }

// halve splits pieces into two groups or slightly more. It returns nil if they are too short.
func halve(pieces []piece) [][]piece {
	total := 0
	for _, p := range pieces {
		total += bytesOf(p.text)
	}
	if total < 2*minBytes {
		return nil
	}
	return pack(pieces, (total+1)/2, bytesOf)
}

// pack distributes pieces, in order, over groups of at most limit in total
// size. A piece larger than limit is split into overlapping windows.
func pack(pieces []piece, limit int, size func(string) int) [][]piece {
	var groups [][]piece
	var group []piece
	used := 0
	for _, p := range pieces {
		for _, w := range windows(p.text, limit, size) {
			n := size(w)
			if used+n > limit && len(group) > 0 {
				groups = append(groups, group)
				group, used = nil, 0
			}
			group = append(group, piece{text: w, chunk: p.chunk})
			used += n
		}
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// windows splits text into windows of at most limit in size, but of at least
// one character. Windows end between sentences or words if possible. They
// overlap so that each sentence of usual length is complete in one of them.
func windows(text string, limit int, size func(string) int) []string {
	var out []string
	for {
		if size(text) <= limit {
			return append(out, text)
		}
		low, high := 1, len(text) // text[:low] fits, text[:high] does not
		for high-low > 1 {
			if mid := (low + high) / 2; size(text[:mid]) <= limit {
				low = mid
			} else {
				high = mid
			}
		}
		end := max(breakBefore(text, low), 1)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		out = append(out, text[:end])
		next := end - end/overlap
		if i := strings.IndexFunc(text[next:end], unicode.IsSpace); i >= 0 {
			next += i + 1
		}
		for next < end && !utf8.RuneStart(text[next]) {
			next++
		}
		if next == 0 || next >= len(text) {
			next = end
		}
		if text = text[next:]; text == "" {
			return out
		}
	}
}

// breakBefore returns a good offset for splitting text, at or slightly before n.
func breakBefore(text string, n int) int {
	start := n - n/4
	best := 0
	for _, mark := range []string{"\n", ". ", "。", "? ", "! "} {
		if i := strings.LastIndex(text[start:n], mark); i >= 0 {
			best = max(best, start+i+len(mark))
		}
	}
	if best > 0 {
		return best
	}
	if i := strings.LastIndexAny(text[start:n], " \t"); i >= 0 {
		return start + i + 1
	}
	return n
}
