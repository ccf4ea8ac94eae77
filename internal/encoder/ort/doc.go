// Package ort computes graphs with ONNX Runtime, which it loads at run time. The
// library is not needed to build.
//
// # Graphs
//
// A [Graph] is built node by node and encoded as an ONNX ModelProto (operator set
// 17) in memory. Matrices are not part of it: ONNX Runtime receives their
// addresses, which may point into a mapped file. See https://onnx.ai/onnx/intro
// for the format and https://onnx.ai/onnx/operators for the operators.
//
// # Builds
//
// A program that loads libraries depends on the system's dynamic loader, so it cannot be static.
// Therefore, only builds for Linux with the tag ort can load libraries; in other builds, [Open]
// returns [ErrStatic]. The package does not need cgo.
//
// # Versions
//
// The C API is a table of functions that is only ever appended to. The package uses
// API version 18, so it requires ONNX Runtime 1.18 or later.
package ort
