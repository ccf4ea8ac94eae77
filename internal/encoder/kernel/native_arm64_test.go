package kernel

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/cpu"
)

func TestGemm8WithAndWithoutDotProduct(t *testing.T) {
	t.Parallel()
	if !cpu.ARM64.HasASIMDDP {
		t.Skip("the processor has no int8 dot product")
	}
	r := rand.New(rand.NewPCG(51, 52))
	for rows := 1; rows <= 6; rows++ {
		for depth := 4; depth < 70; depth += 12 {
			a, b := make([]byte, rows*depth), make([]int8, depth*16)
			for i := range a {
				a[i] = byte(int8(r.IntN(255) - 127))
			}
			for i := range b {
				b[i] = int8(r.IntN(255) - 127)
			}
			scale, columns, bias := random(r, rows), random(r, 16), random(r, 16)
			steps, totals := random(r, rows+6), random(r, 16)
			var c [2][]float32
			for i, dot := range []bool{false, true} {
				c[i] = make([]float32, rows*16)
				k := neon(dot)
				k.gemm8(rows, depth, a, depth, b, c[i], 16, scale, columns, bias, nil, steps, totals)
			}
			checkEqual(t, "sums with the dot product", c[1], c[0])
		}
	}
}
