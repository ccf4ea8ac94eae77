// Package kernel holds the arithmetic of transformer inference: linear layers
// in float32 and int8, normalisations, activations and attention, each in plain
// Go and in the vector instructions that the processor is found to have.
//
// # Parts
//
// [Kernels] is one path of code (see [Names]). [Kernels.Linear] makes the
// weights of a linear layer ready for that path. A [Pool] runs operations on a
// fixed number of workers; it starts goroutines as they are needed, which end by
// themselves soon after the last operation, so it needs no closing.
//
// The operations are methods of Pool, which spread over the workers, and of
// [Worker], for chains of operations on a block of rows that stay in its cache:
//
//	p.Rows(kernel.Int8, rows, func(w *kernel.Worker, lo, hi int) {
//		n := hi - lo
//		up := w.Floats(n * inner)
//		w.Apply(l.up, up, inner, x[lo*width:], width, n, kernel.Gelu)
//		down := w.Floats(n * width)
//		w.Apply(l.down, down, width, up, inner, n, kernel.None)
//		w.LayerNorm(x[lo*width:], x[lo*width:], down, n, width, gain, bias, eps)
//	})
//
// # Batches
//
// Everything between operations is float32 in rows, one a token; the rows of all
// sequences of a batch follow one another without padding. What an operation
// makes of a row depends on that row alone (of a sequence, in attention), to the
// last bit: not on the other rows of the batch, on the number of workers, nor on
// how the work was cut. Two paths differ by the rounding of float32.
//
// # Int8
//
// Weights are quantised once, each output channel by its own scale,
// symmetrically to [-127, 127]; activations are quantised as they come, each row
// by its own scale to the same integers, about the middle of its range and 0.
// What the middle adds to an output, itself times the sum of the weights, is
// added in float32. The products are summed exactly in int32, which holds for
// rows of up to 133,000 values, so that all paths find the same sums. A row with
// a NaN or an infinity in it comes out as NaN.
//
// # Errors
//
// Shapes are the caller's word: an operation panics, as an index does, where a
// slice is shorter than its shape says.
package kernel
