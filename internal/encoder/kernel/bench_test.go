package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkTile measures the innermost loops with all data in the cache.
func BenchmarkTile(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range Names()[1:] {
		k, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, depth := range []int{32, 128, 384, 768, 1536} {
			for _, rows := range []int{k.mr, k.mr - 1, k.mr - 2, 2, 1} {
				a, w, c := random(r, rows*depth+64), random(r, depth*k.nr+64), random(r, rows*k.nr)
				b.Run(fmt.Sprintf("%s/float32/%dx%d", name, rows, depth), func(b *testing.B) {
					for b.Loop() {
						k.gemm(rows, depth, a, depth, w, c, k.nr, nil, nil, nil)
					}
					b.ReportMetric(float64(rows*depth*k.nr)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gmac/s")
				})
				qa, qw, sums := make([]byte, (rows*depth+64)*k.inputSize), make([]int8, depth*k.nr+64), make([]int32, k.nr)
				b.Run(fmt.Sprintf("%s/int8/%dx%d", name, rows, depth), func(b *testing.B) {
					for b.Loop() {
						k.gemm8(rows, depth, qa, depth*k.inputSize, qw, c, k.nr, a, a, a, sums, a, a)
					}
					b.ReportMetric(float64(rows*depth*k.nr)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gmac/s")
				})
			}
		}
	}
}
