package ort

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file encodes the subset of onnx.proto3 that graphs need. See
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
