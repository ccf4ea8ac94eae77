// Package kernel implements the arithmetic of transformer inference: linear
// layers in float32 and int8, normalization, activations and attention, in Go
// and with the vector instructions of the processor.
//
// # Overview
//
// [Kernels] is the code for one instruction set (see [Names]). [Kernels.Linear] prepares the
// weights of a linear layer for it. A [Pool] runs operations on a fixed number of workers.
//
// The operations are methods of Pool, which use all workers, and of [Worker],
// for chains of operations on a block of rows that stays in the cache:
//
//	p.Rows(kernel.Int8, rows, func(w *kernel.Worker, lo, hi int) {
//		n := hi - lo
//		up := w.Floats(n * inner)
//		w.Apply(l.up, up, x[lo*width:hi*width], kernel.Gelu)
//		down := w.Floats(n * width)
//		w.Apply(l.down, down, up, kernel.None)
//		w.Norm(&l.norm, x[lo*width:hi*width], x[lo*width:hi*width], down)
//	})
//
// # Batches
//
// Operations exchange float32 rows, one per token. The rows of all sequences of a batch are
// concatenated without padding. The result of a row is a function of that row (in attention, of its
// sequence) to the last bit: it does not depend on the other rows of the batch, the number of
// workers or the division of the work. All vector kernels of amd64 return equal values; those of
// "generic" and of other architectures differ from them by float32 rounding.
//
// # Int8
//
// Weights are quantized once, symmetrically to [-127, 127] with a scale per output channel.
// Activations are quantized on the fly to the same integers with a scale and an offset per row; the
// offset is the middle of the range of the row and 0. Its contribution, the offset times the sum of
// the weights, is added in float32. Products are summed exactly in int32, which cannot overflow for
// rows of up to 133,000 values, so all kernels compute the same sums. The output for a row that
// contains a NaN or an infinity is NaN.
//
// # Errors
//
// Shapes are not checked: an operation panics like an index expression if a slice is too short.
package kernel
