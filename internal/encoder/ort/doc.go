// Package ort computes graphs with ONNX Runtime, a library of its own that is
// loaded while the program runs: it is not needed to build, and a program that
// was not asked for it never looks for it.
//
// # Graphs
//
// A [Graph] is built node by node and written as an ONNX ModelProto (operator
// set 17), which stays in memory. Matrices are not part of it: the library is
// told where they lie, which may be a mapped file. https://onnx.ai/onnx/intro
// describes the format and https://onnx.ai/onnx/operators the operators.
//
// # Builds
//
// A program that loads libraries needs the system's loader, and on Linux it is
// then no longer static. So this package can load only where it was built with
// the tag ort; anywhere else [Open] returns an error that wraps [ErrStatic].
// Nothing here needs cgo.
//
// # Versions
//
// The library's functions are found by their place in a table that only ever
// grows, in the state of API version 18: ONNX Runtime 1.18 and all that came
// after it.
package ort
