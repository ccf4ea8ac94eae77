package ort

import (
	"math"
	"strconv"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Tensor is an array of values with a shape.
type Tensor struct {
	name    string
	element Element
	shape   []int64
	data    []byte
}

// NewTensor returns a tensor with the given values in row-major order. It does not copy them.
func NewTensor[T float32 | int32 | int64](name string, values []T, shape ...int) Tensor {
	t := Tensor{name, Int64, int64s(shape), bytesOf(values)}
	switch any(values).(type) {
	case []float32:
		t.element = Float32
	case []int32:
		t.element = Int32
	}
	return t
}

func int64s(shape []int) (list []int64) {
	for _, n := range shape {
		list = append(list, int64(n))
	}
	return list
}

// bytesOf returns the memory of values as bytes.
func bytesOf[T float32 | int32 | int64](values []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// A Value is the name of a tensor in a graph. The empty Value omits an optional input of a node.
type Value string

// A Graph is a computation on tensors whose sizes may be unknown until it is run.
// Nodes must be added in execution order. The zero value is an empty graph.
type Graph struct {
	nodes, constants, inputs, outputs []message
	outputName                        string
	weights                           []Tensor // constants stored outside of the graph
	names                             int      // number of names generated
}

// name returns a unique name that starts with prefix.
func (g *Graph) name(prefix string) Value {
	g.names++
	return Value(prefix + "_" + strconv.Itoa(g.names))
}

// Input adds an input.
func (g *Graph) Input(name string, e Element) Value {
	g.inputs = append(g.inputs, valueInfo(name, e))
	return Value(name)
}

// Output makes v, which must be a float32 tensor, the output of the graph. Output must be
// called exactly once.
func (g *Graph) Output(v Value) {
	g.outputName = string(v)
	g.outputs = append(g.outputs, valueInfo(g.outputName, Float32))
}

// Floats adds a float32 constant. Without a shape, it is a scalar.
func (g *Graph) Floats(values []float32, shape ...int) Value {
	return g.constant(Float32, shape, bytesOf(values))
}

// Scalar adds a float32 scalar.
func (g *Graph) Scalar(v float32) Value { return g.Floats([]float32{v}) }

// Ints adds a one-dimensional int64 constant, such as a shape or a list of axes.
func (g *Graph) Ints(values ...int64) Value {
	return g.constant(Int64, []int{len(values)}, bytesOf(values))
}

func (g *Graph) constant(e Element, shape []int, data []byte) Value {
	v := g.name("c")
	g.constants = append(g.constants, tensor(string(v), e, shape).bytes(tensorRawData, data))
	return v
}

// Weight adds a float32 constant that is not copied into the graph. values must not change
// until the session is closed.
func (g *Graph) Weight(values []float32, shape ...int) Value {
	v := g.name("w")
	w := NewTensor(string(v), values, shape...)
	g.weights = append(g.weights, w)
	t := tensor(string(v), Float32, shape)
	for _, entry := range [][2]string{{"location", string(v)}, {"offset", "0"}, {"length", strconv.Itoa(len(w.data))}} {
		t = t.bytes(tensorExternalData, message(nil).text(1, entry[0]).text(2, entry[1]))
	}
	g.constants = append(g.constants, t.int(tensorDataLocation, locationExternal))
	return v
}

// Op adds a node with one output.
func (g *Graph) Op(operator string, inputs []Value, attributes ...Attribute) Value {
	return g.Ops(operator, 1, inputs, attributes...)[0]
}

// Ops adds a node with n outputs.
func (g *Graph) Ops(operator string, n int, inputs []Value, attributes ...Attribute) []Value {
	var node message
	for _, v := range inputs {
		node = node.text(nodeInput, string(v))
	}
	outputs := make([]Value, n)
	for i := range outputs {
		outputs[i] = g.name("t")
		node = node.text(nodeOutput, string(outputs[i]))
	}
	node = node.text(nodeOperator, operator)
	for _, a := range attributes {
		node = node.bytes(nodeAttribute, a)
	}
	g.nodes = append(g.nodes, node)
	return outputs
}

// model encodes the graph as a ModelProto.
func (g *Graph) model() []byte {
	var graph message
	for _, part := range []struct {
		field fieldNumber
		list  []message
	}{{graphNode, g.nodes}, {graphInitializer, g.constants}, {graphInput, g.inputs}, {graphOutput, g.outputs}} {
		for _, m := range part.list {
			graph = graph.bytes(part.field, m)
		}
	}
	graph = graph.text(graphName, "ragfaith")
	return message(nil).
		int(modelVersion, irVersion).
		bytes(modelOperators, message(nil).text(1, "").int(2, operatorSet)).
		bytes(modelGraph, graph)
}

// The rest of this file encodes the subset of onnx.proto3 that graphs need. See
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.

type fieldNumber = protowire.Number

// Field numbers of the messages.
const (
	modelVersion   fieldNumber = 1
	modelGraph     fieldNumber = 7
	modelOperators fieldNumber = 8

	graphNode        fieldNumber = 1
	graphName        fieldNumber = 2
	graphInitializer fieldNumber = 5
	graphInput       fieldNumber = 11
	graphOutput      fieldNumber = 12

	nodeInput     fieldNumber = 1
	nodeOutput    fieldNumber = 2
	nodeOperator  fieldNumber = 4
	nodeAttribute fieldNumber = 5

	attributeName  fieldNumber = 1
	attributeFloat fieldNumber = 2
	attributeInt   fieldNumber = 3
	attributeInts  fieldNumber = 8
	attributeType  fieldNumber = 20

	tensorDims         fieldNumber = 1
	tensorType         fieldNumber = 2
	tensorName         fieldNumber = 8
	tensorRawData      fieldNumber = 9
	tensorExternalData fieldNumber = 13
	tensorDataLocation fieldNumber = 14
)

// Enum values, and the versions of the format and of the operator set.
const (
	locationExternal = 1

	typeFloat = 1
	typeInt   = 2
	typeInts  = 7

	irVersion   = 8
	operatorSet = 17
)

// Element is a data type. Its values are those of TensorProto.DataType.
type Element int32

// Data types of tensors.
const (
	Float32 Element = 1
	Int32   Element = 6
	Int64   Element = 7
)

// size returns the size of a value in bytes.
func (e Element) size() int {
	if e == Int64 {
		return 8
	}
	return 4
}

// A message is an encoded protobuf message.
type message []byte

func (m message) int(n fieldNumber, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, n, protowire.VarintType), uint64(v))
}

func (m message) float(n fieldNumber, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, n, protowire.Fixed32Type), math.Float32bits(v))
}

func (m message) bytes(n fieldNumber, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, n, protowire.BytesType), v)
}

func (m message) text(n fieldNumber, v string) message { return m.bytes(n, []byte(v)) }

// An Attribute is an attribute of a node.
type Attribute message

// Int returns an integer attribute.
func Int(name string, v int64) Attribute {
	return Attribute(message(nil).text(attributeName, name).int(attributeInt, v).int(attributeType, typeInt))
}

// Float returns a float attribute.
func Float(name string, v float32) Attribute {
	return Attribute(message(nil).text(attributeName, name).float(attributeFloat, v).int(attributeType, typeFloat))
}

// Ints returns an attribute with a list of integers.
func Ints(name string, values ...int64) Attribute {
	m := message(nil).text(attributeName, name)
	for _, v := range values {
		m = m.int(attributeInts, v)
	}
	return Attribute(m.int(attributeType, typeInts))
}

// tensor returns a TensorProto without data.
func tensor(name string, e Element, shape []int) message {
	var m message
	for _, d := range shape {
		m = m.int(tensorDims, int64(d))
	}
	return m.int(tensorType, int64(e)).text(tensorName, name)
}

// valueInfo returns a ValueInfoProto of a tensor of any shape.
func valueInfo(name string, e Element) message {
	typ := message(nil).int(1, int64(e))
	return message(nil).text(1, name).bytes(2, message(nil).bytes(1, typ))
}
