package local

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/encoder"
)

// lines yields sentences that end at ". ", "。" and line breaks, as testdata/parity.py does.
func lines(text string, yield func(start, end int)) {
	start := 0
	emit := func(end int) {
		if piece := strings.TrimSpace(text[start:end]); piece != "" {
			at := start + strings.Index(text[start:end], piece)
			yield(at, at+len(piece))
		}
		start = end
	}
	for i, r := range text {
		if r == '\n' || strings.HasSuffix(text[:i], ". ") || strings.HasSuffix(text[:i], "。") {
			emit(i)
		}
	}
	emit(len(text))
}

// Sentences without spaces in between have more tokens as the layout joins them.
func TestJoinedSentencesFitTheModel(t *testing.T) {
	for repo, model := range map[string]string{"yzha/AlignScore": "alignscore", "lytang/MiniCheck-RoBERTa-Large": "roberta"} {
		l := CrossEncoderLayouts()[repo]
		m := openModel(t, model, l.Apply)
		l.Limit = m.Info().MaxTokens
		j := newCrossEncoder(t, CrossEncoderOptions{Model: m, Layout: l})
		j.o.Sentences = lines
		var claims []string
		for n := range 16 {
			claims = append(claims, strings.Repeat("is ", n)+"it")
		}
		judge(t, j, []string{strings.Repeat("北京。", 200)}, claims...)
	}
}

// The probabilities are those of the inference code of each judge, with small random
// weights; see testdata/parity.py.
func TestCrossEncodersMatchReference(t *testing.T) {
	var golden struct {
		Texts  [][2]string
		Judges []struct {
			Repo, Model   string
			Chunk, Limit  int
			Probabilities [][][]float64 // by pair, sentence of the claim and chunk
		}
	}
	readGolden(t, "parity.json", &golden)
	if len(golden.Texts) != 50 {
		t.Fatalf("got %d pairs, want 50", len(golden.Texts))
	}
	for _, g := range golden.Judges {
		t.Run(filepath.Base(g.Repo), func(t *testing.T) {
			l := CrossEncoderLayouts()[g.Repo]
			l.Chunk, l.Limit = g.Chunk, g.Limit
			m := openModel(t, g.Model, l.Apply)
			j := newCrossEncoder(t, CrossEncoderOptions{Model: m, Layout: l})
			j.o.Sentences = lines
			largest, chunks := 0.0, 0
			for i, pair := range golden.Texts {
				document, claim, want := pair[0], pair[1], g.Probabilities[i]
				if l.Chunk == 0 { // the reference does not cut documents
					logits, err := m.Classify(t.Context(), []encoder.Pair{{Premise: document, Hypothesis: claim}})
					if err != nil {
						t.Fatal(err)
					}
					info := m.Info()
					largest = max(largest, math.Abs(info.Probabilities(logits[0]).Supported-want[0][0]))
					chunks++
					continue
				}
				got := judge(t, j, []string{document}, claim)[0]
				windows, err := j.windows(t.Context(), []string{document}, j.free-m.Count(claim))
				if err != nil {
					t.Fatal(err)
				}
				score := 0.0
				for _, sentence := range want {
					best := 0.0
					for _, p := range sentence {
						best = max(best, p)
					}
					score += best / float64(len(want))
				}
				n := len(want[0])
				if !strings.ContainsFunc(document, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
					n, score = 0, 0 // nothing that could support a claim
				}
				if len(windows) != n {
					t.Errorf("pair %d: got %d chunks, want %d", i, len(windows), n)
					continue
				}
				chunks += n
				largest = max(largest, math.Abs(got.Score-score))
			}
			t.Logf("%d chunks; scores differ by at most %.1g", chunks, largest)
			if largest > 1e-4 {
				t.Errorf("scores differ by %g, want at most 1e-4", largest)
			}
		})
	}
}
