package local

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// In a pairModel, the probability of support is the share of the claim's words in the
// premise. A premise with "not" contradicts the claim.
type pairModel struct {
	wordCounter
	labels []encoder.Meaning
	err    error

	mu       sync.Mutex
	premises []string
	maxBatch int
}

func (m *pairModel) Info() encoder.Info {
	labels := m.labels
	if labels == nil {
		labels = []encoder.Meaning{encoder.Contradicted, encoder.NotMentioned, encoder.Supported}
	}
	return encoder.Info{Kind: encoder.Classify, MaxTokens: m.limit, Labels: make([]string, len(labels)), Meanings: labels}
}

func (m *pairModel) Classify(_ context.Context, pairs []encoder.Pair) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.maxBatch = max(m.maxBatch, len(pairs))
	var out [][]float32
	for _, p := range pairs {
		m.premises = append(m.premises, p.Premise)
		shared, words := 0, strings.Fields(p.Hypothesis)
		for _, w := range words {
			if slices.Contains(strings.Fields(p.Premise), w) {
				shared++
			}
		}
		supported := min(max(float64(shared)/float64(len(words)), 0.01), 0.97)
		contradicted := 0.01
		if strings.Contains(p.Premise, "not") {
			supported, contradicted = supported/10, 0.85
		}
		if !slices.Contains(m.Info().Meanings, encoder.Contradicted) {
			contradicted = 0
		}
		row := make([]float32, len(m.Info().Meanings))
		for i, meaning := range m.Info().Meanings {
			p := map[encoder.Meaning]float64{encoder.Supported: supported, encoder.Contradicted: contradicted, encoder.NotMentioned: 1 - supported - contradicted}[meaning]
			row[i] = float32(math.Log(max(p, 1e-6)))
			if m.nan {
				row[i] = float32(math.NaN())
			}
		}
		out = append(out, row)
	}
	return out, m.err
}

func newCrossEncoder(t testing.TB, o CrossEncoderOptions) *CrossEncoder {
	t.Helper()
	o.Options = options(t)
	j, err := NewCrossEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func judge(t testing.TB, j *CrossEncoder, contexts []string, texts ...string) []verdict.Verdict {
	t.Helper()
	got, err := j.Judge(t.Context(), verdict.Task{Contexts: contexts, Claims: claims(texts...)})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Verdicts) != len(texts) {
		t.Fatalf("got %d verdicts for %d claims", len(got.Verdicts), len(texts))
	}
	for i, v := range got.Verdicts {
		if v.ClaimID != i || v.Reason == "" {
			t.Errorf("claim %d: got %+v, want claim ID %d and a reason", i, v, i)
		}
		for _, e := range v.Evidence {
			if string([]rune(contexts[e.Chunk])[e.Start:e.End]) != e.Quote {
				t.Errorf("claim %d: got evidence %+v, want the text at its offsets", i, e)
			}
		}
	}
	return got.Verdicts
}

func TestBestChunkDecides(t *testing.T) {
	contexts := []string{"Bees make honey.", "Grüße. The bridge opened in May. It is red.", "—", "The bridge opened in May."}
	vs := judge(t, newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}}), contexts, "The bridge opened in May.", "Cats sleep all day.", "The bridge opened in May and is red.")
	if v := vs[0]; v.Label != verdict.Supported || math.Abs(v.Score-0.97) > 1e-4 || !reflect.DeepEqual(v.ChunkIDs, []int{1, 3}) ||
		len(v.Evidence) != 2 || v.Evidence[0].Quote != "The bridge opened in May." || v.Evidence[0].Start != 7 {
		t.Errorf("got %+v, want support by chunks 1 and 3 with score 0.97", v)
	}
	if v := vs[1]; v.Label != verdict.NotMentioned || v.ChunkIDs != nil || v.Score > 0.02 {
		t.Errorf("got %+v, want not mentioned", v)
	}
	if v := vs[2]; v.Label != verdict.Supported || v.Score < 0.6 {
		t.Errorf("got %+v, want supported", v)
	}
}

func TestSupportOverridesContradiction(t *testing.T) {
	against := "The bridge did not open in May."
	j := newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}})
	if v := judge(t, j, []string{"Bees.", against}, "The bridge opened in May.")[0]; v.Label != verdict.Contradicted || len(v.Evidence) != 1 || v.Evidence[0].Chunk != 1 {
		t.Errorf("got %+v, want a contradiction in chunk 1", v)
	}
	if v := judge(t, j, []string{against, "The bridge opened in May."}, "The bridge opened in May.")[0]; v.Label != verdict.Supported || !slices.Equal(v.ChunkIDs, []int{1}) {
		t.Errorf("got %+v, want support by chunk 1", v)
	}
	two := newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{labels: []encoder.Meaning{encoder.NotMentioned, encoder.Supported}}})
	if v := judge(t, two, []string{against}, "The bridge opened in May.")[0]; v.Label != verdict.NotMentioned {
		t.Errorf("two labels: got %+v, want not mentioned", v)
	}
}

func TestJoinedContexts(t *testing.T) {
	m := &pairModel{}
	contexts := []string{"The bridge opened", "in May. Bees."}
	v := judge(t, newCrossEncoder(t, CrossEncoderOptions{Model: m, Joined: true}), contexts, "The bridge opened in May.")[0]
	if v.Label != verdict.Supported || len(m.premises) != 1 || m.premises[0] != "The bridge opened\nin May. Bees." {
		t.Errorf("got %+v for premises %q, want support by one premise", v, m.premises)
	}
}

// With half of the words the probability is one half, except for float32 rounding.
func TestRoundedThreshold(t *testing.T) {
	for _, tt := range []struct {
		p    float64
		want bool
	}{{0.49, false}, {0.5, false}, {math.Nextafter(0.5, 1), true}, {0.97, true}} {
		j := newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}, Rounded: true})
		if got := j.supports(tt.p); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.p, got, tt.want)
		}
	}
	if j := newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}}); !j.supports(0.5) {
		t.Error("got false for a probability equal to the threshold, want true")
	}
}

func TestWindowsCoverTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "bridge", "opened", "in", "May.", "Then", "schön,", "日本語の文。", "it", "closed!", "\n\n"}
	rounds := 500
	if testing.Short() {
		rounds = 50
	}
	for range rounds {
		var b strings.Builder
		for range random.IntN(300) {
			b.WriteString(words[random.IntN(len(words))])
			if random.IntN(12) > 0 {
				b.WriteByte(' ')
			}
		}
		text := b.String()
		m := &pairModel{wordCounter: wordCounter{limit: 4 + random.IntN(60)}}
		j := newCrossEncoder(t, CrossEncoderOptions{Model: m})
		claim := random.IntN(40)
		if j.checkClaim(claim) != nil {
			continue
		}
		size := j.free - claim
		ws, err := j.windows(t.Context(), []string{"", text, "..."}, size)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for i, w := range ws {
			if w.Text != 1 || w.Start >= w.End || m.Count(text[w.Start:w.End]) > size {
				t.Fatalf("window %d of %d: got %+v with %d words, want 1 to %d", i, len(ws), w, m.Count(text[w.Start:w.End]), size)
			}
			if w.Start > end && strings.TrimSpace(text[end:w.Start]) != "" {
				t.Fatalf("no window covers %q", text[end:w.Start])
			}
			if w.End <= end && i > 0 {
				t.Fatalf("window %d covers no new text", i)
			}
			end = max(end, w.End)
		}
		if strings.ContainsFunc(text, unicode.IsLetter) && strings.TrimSpace(text[end:]) != "" {
			t.Fatalf("no window covers %q", text[end:])
		}
	}
}

func TestMeanOfSentences(t *testing.T) {
	contexts := []string{"Bees.", "The bridge opened in May. Cats sleep all day."}
	j := newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}, Layout: CrossEncoderLayout{Mean: true}})
	vs := judge(t, j, contexts, "The bridge opened in May. Dogs bark every single night.", "Cats sleep all day.", "The bridge opened in May. Cats sleep all night.")
	for i, want := range []struct {
		score float64
		label verdict.Label
	}{{0.5 * (0.97 + 0.01), verdict.NotMentioned}, {0.97, verdict.Supported}, {0.5 * (0.97 + 0.75), verdict.Supported}} {
		if v := vs[i]; math.Abs(v.Score-want.score) > 1e-3 || v.Label != want.label || (v.Label == verdict.Supported) != (len(v.ChunkIDs) > 0) {
			t.Errorf("claim %d: got %+v, want score %v, %v", i, v, want.score, want.label)
		}
	}
	if want := "mean of 2 sentences 0.490: the model finds no support for it (0.010)"; !strings.HasPrefix(vs[0].Reason, want) {
		t.Errorf("got reason %q, want %q", vs[0].Reason, want)
	}
}

// Each claim is judged against the windows that are nearest to it.
func TestNearestWindows(t *testing.T) {
	contexts := []string{"Bees make honey.", "The bridge opened in May.", "It rains.", "The bridge is old.", "Snow fell."}
	m := &pairModel{}
	j := newCrossEncoder(t, CrossEncoderOptions{Model: m, Nearest: 2, Batch: 3, Rank: func(_ context.Context, claims []extract.Claim, texts []string) ([][]float64, error) {
		ranks := make([][]float64, len(claims))
		for i, c := range claims {
			for _, text := range texts {
				shared := 0.0
				for _, w := range strings.Fields(c.Text) {
					if strings.Contains(text, w) {
						shared++
					}
				}
				ranks[i] = append(ranks[i], shared)
			}
		}
		return ranks, nil
	}})
	got := judge(t, j, contexts, "The bridge opened in May.", "Snow fell.")
	if want := []string{contexts[1], contexts[3], contexts[0], contexts[4]}; !reflect.DeepEqual(m.premises, want) {
		t.Errorf("got windows %q, want %q", m.premises, want)
	}
	for i, chunk := range []int{1, 4} {
		if v := got[i]; v.Label != verdict.Supported || !reflect.DeepEqual(v.ChunkIDs, []int{chunk}) {
			t.Errorf("claim %d: got %v by chunks %v, want support by %d", i, v.Label, v.ChunkIDs, chunk)
		}
	}
	m.premises = nil
	judge(t, j, contexts, "Une autre langue.")
	if len(m.premises) != len(contexts) {
		t.Errorf("a claim that shares no word with a window: got %d windows, want all %d", len(m.premises), len(contexts))
	}
}

func TestCrossEncoderRejectsUnsuitableModels(t *testing.T) {
	if _, err := NewCrossEncoder(CrossEncoderOptions{Model: &pairModel{labels: []encoder.Meaning{encoder.NotMentioned}}}); err == nil {
		t.Error("got no error for a model without a supported label, want one")
	}
	for name, m := range map[string]*pairModel{"error": {err: errors.New("closed")}, "NaN": {wordCounter: wordCounter{nan: true}}} {
		if _, err := newCrossEncoder(t, CrossEncoderOptions{Model: m}).Judge(t.Context(), verdict.Task{Contexts: []string{"a"}, Claims: claims("b")}); err == nil {
			t.Errorf("output %s: got no error, want one", name)
		}
	}
	v := judge(t, newCrossEncoder(t, CrossEncoderOptions{Model: &pairModel{}}), []string{" ", "\n"}, "b")[0]
	if v.Label != verdict.NotMentioned || v.Score != 0 {
		t.Errorf("no contexts: got %+v, want not mentioned with score 0", v)
	}
}
