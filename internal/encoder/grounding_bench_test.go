package encoder

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// words returns a text of n tokens.
func words(t testing.TB, g *Grounding, n int) string {
	t.Helper()
	list := strings.Fields("the committee directed the agency to publish its findings by march and three members of the report abstained in favour")
	var b strings.Builder
	for i := 0; ; i++ {
		longer := b.String() + list[i%len(list)] + " "
		if g.Count(longer) > n {
			return b.String()
		}
		b.Reset()
		b.WriteString(longer)
	}
}

// BenchmarkGrounding runs a model with random weights and the dimensions of
// MiniLM-L6 on five claims of 30 tokens and a window of 200, alternately as one
// group and as five pairs. "pairs/group" is the ratio of their durations.
func BenchmarkGrounding(b *testing.B) {
	for name, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
		b.Run(name, func(b *testing.B) {
			g, err := ParseGrounding(largeModel(b, precision == kernel.Int8), Options{Precision: precision})
			if err != nil {
				b.Fatal(err)
			}
			defer g.Close()
			group := Group{words(b, g, 200), nil}
			var pairs []Group
			for i := range 5 {
				claim := strings.ToUpper(words(b, g, 29)) + strconv.Itoa(i)
				group.Claims = append(group.Claims, claim)
				pairs = append(pairs, Group{group.Window, []string{claim}})
			}
			const groups = 8
			grouped, paired := make([]Group, 0, groups), make([]Group, 0, 5*groups)
			tokens := 0
			for range groups {
				grouped, paired = append(grouped, group), append(paired, pairs...)
				tokens += g.Count(group.Window) + 2
				for _, c := range group.Claims {
					tokens += g.Count(c) + 1
				}
			}
			var elapsed [2]time.Duration
			b.ReportAllocs()
			for b.Loop() {
				for i, input := range [][]Group{grouped, paired} {
					start := b.Elapsed()
					if _, err := g.Judge(b.Context(), input); err != nil {
						b.Fatal(err)
					}
					elapsed[i] += b.Elapsed() - start
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/elapsed[0].Seconds(), "tokens/s")
			b.ReportMetric(float64(5*groups)*float64(b.N)/elapsed[0].Seconds(), "claims/s")
			b.ReportMetric(elapsed[1].Seconds()/elapsed[0].Seconds(), "pairs/group")
		})
	}
}

// BenchmarkGroundingOpen opens models in memory: one with random weights and a
// small tokenizer, and one with a published trunk and its tokenizer.
func BenchmarkGroundingOpen(b *testing.B) {
	open := func(b *testing.B, data []byte, precision kernel.Precision) {
		b.Helper()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			g, err := ParseGrounding(data, Options{Precision: precision})
			if err != nil {
				b.Fatal(err)
			}
			if err := g.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("float32", func(b *testing.B) { open(b, largeModel(b, false), kernel.Float32) })
	b.Run("int8", func(b *testing.B) { open(b, largeModel(b, true), kernel.Int8) })
	b.Run("int8 MiniLM", func(b *testing.B) { open(b, withTrunk(b, minilm(b), true), kernel.Int8) })
}
