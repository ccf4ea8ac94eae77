// Package ort computes graphs with ONNX Runtime, which it loads at run time. The
// library is not needed to build, and it is not searched for unless requested.
//
// # Graphs
//
// A [Graph] is built node by node and encoded as an ONNX ModelProto (operator set
// 17) in memory. Matrices are not part of it: ONNX Runtime receives their
// addresses, which may be in a mapped file. See https://onnx.ai/onnx/intro for the
// format and https://onnx.ai/onnx/operators for the operators.
//
// # Builds
//
// A program that loads libraries needs the system's dynamic loader, so on Linux
// it is not static. Therefore, libraries can be loaded only in builds with the tag
// ort; in others, [Open] returns an error that wraps [ErrStatic]. The package does
// not need cgo.
//
// # Versions
//
// Functions are found by their index in a table that only grows. The package uses
// API version 18, so it requires ONNX Runtime 1.18 or later.
package ort
