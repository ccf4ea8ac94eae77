package encoder

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// words is a text of n tokens.
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

// BenchmarkGrounding judges groups of a window of 200 tokens and five claims of
// 30, in a model with the sizes of MiniLM-L6 and random weights, and in turns the
// same claims as five pairs: "pairs/group" is how many times as long these take.
func BenchmarkGrounding(b *testing.B) {
	for name, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
		b.Run(name, func(b *testing.B) {
			g, err := ParseGrounding(large(b, precision == kernel.Int8), Options{Precision: precision})
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
			whole, apart := make([]Group, 0, groups), make([]Group, 0, 5*groups)
			tokens := 0
			for range groups {
				whole, apart = append(whole, group), append(apart, pairs...)
				tokens += g.Count(group.Window) + 2
				for _, c := range group.Claims {
					tokens += g.Count(c) + 1
				}
			}
			var took [2]time.Duration
			b.ReportAllocs()
			for b.Loop() {
				for i, some := range [][]Group{whole, apart} {
					from := b.Elapsed()
					if _, err := g.Judge(b.Context(), some); err != nil {
						b.Fatal(err)
					}
					took[i] += b.Elapsed() - from
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/took[0].Seconds(), "tokens/s")
			b.ReportMetric(float64(5*groups)*float64(b.N)/took[0].Seconds(), "claims/s")
			b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "pairs/group")
		})
	}
}

// BenchmarkGroundingOpen opens a model out of memory: that of random weights, whose
// tokenizer is small, and one with a published trunk and its tokenizer.
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
	b.Run("float32", func(b *testing.B) { open(b, large(b, false), kernel.Float32) })
	b.Run("int8", func(b *testing.B) { open(b, large(b, true), kernel.Int8) })
	b.Run("int8 of MiniLM", func(b *testing.B) { open(b, trunk(b, minilm(b), true), kernel.Int8) })
}
