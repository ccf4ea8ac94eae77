package verdict

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// A phraseJudge returns each occurrence of a phrase as evidence and records the
// contexts it receives.
type phraseJudge struct{ contexts []string }

func (f *phraseJudge) Judge(_ context.Context, task Task) (Judgement, error) {
	f.contexts = task.Contexts
	v := Verdict{}
	for chunk, c := range task.Contexts {
		const phrase = "costs five"
		if i := strings.Index(c, phrase); i >= 0 {
			start := utf8.RuneCountInString(c[:i])
			v.Evidence = append(v.Evidence, Evidence{Chunk: chunk, Start: start, End: start + len(phrase), Quote: phrase})
		}
	}
	return Judgement{Verdicts: []Verdict{v}}, nil
}

func TestJudgeMapsEvidenceToRawContexts(t *testing.T) {
	contexts := []string{"It costs five.", "Ünter <b>it costs</b> five &amp; more.", "nothing", "**It costs** five."}
	before := slices.Clone(contexts)
	f := &phraseJudge{}
	got, err := PlainJudge{f}.Judge(t.Context(), Task{Contexts: contexts})
	if err != nil {
		t.Fatal(err)
	}
	var quotes []string
	for _, e := range got.Verdicts[0].Evidence {
		if r := []rune(contexts[e.Chunk]); string(r[e.Start:e.End]) != e.Quote {
			t.Errorf("chunk %d: got quote %q, want %q", e.Chunk, e.Quote, string(r[e.Start:e.End]))
		}
		quotes = append(quotes, e.Quote)
	}
	if want := []string{"costs five", "costs</b> five", "costs** five"}; !slices.Equal(quotes, want) {
		t.Errorf("got quotes %q, want %q", quotes, want)
	}
	if want := "Ünter it costs five & more."; f.contexts[1] != want {
		t.Errorf("judge got context %q, want %q", f.contexts[1], want)
	}
	if !slices.Equal(contexts, before) {
		t.Errorf("got contexts %q after Judge, want them unchanged: %q", contexts, before)
	}
}

type failingJudge struct{}

func (failingJudge) Judge(context.Context, Task) (Judgement, error) {
	return Judgement{}, errors.ErrUnsupported
}

func TestJudgeReturnsInnerError(t *testing.T) {
	if _, err := (PlainJudge{failingJudge{}}).Judge(t.Context(), Task{Contexts: []string{"<b>a</b>"}}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got error %v, want %v", err, errors.ErrUnsupported)
	}
}

func TestNearestReturnsTheFirstEvidence(t *testing.T) {
	for context, want := range map[string]bool{"It costs five.": true, "It is free.": false} {
		if got, err := Nearest(t.Context(), &phraseJudge{}, []string{context}, extract.Claim{ID: 7}); err != nil || (got != nil) != want {
			t.Errorf("%s: got evidence %v, error %v, want evidence: %t", context, got, err, want)
		}
	}
}
