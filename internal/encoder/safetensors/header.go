package safetensors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const metadata = "__metadata__" // key of the metadata, which is not a tensor

// maxRank limits the number of dimensions of a tensor. Real weights have a handful.
const maxRank = 32

// parseHeader returns the tensors of a header. It does not check their byte ranges. The
// decoder rejects duplicate names.
func parseHeader(header []byte) ([]Tensor, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(header))
	if err := expectToken(dec, '{', "an object"); err != nil {
		return nil, err
	}
	var tensors []Tensor
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		t := Tensor{Name: name.String()}
		if t.Name == metadata {
			err = dec.SkipValue()
		} else {
			err = t.read(dec)
			tensors = append(tensors, t)
		}
		if err != nil {
			return nil, fmt.Errorf("tensor %.200q: %w", t.Name, err)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	switch _, err := dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return tensors, nil
	case err == nil:
		return nil, errors.New("more than one JSON value")
	default:
		return nil, err
	}
}

// read reads {"dtype": …, "shape": […], "data_offsets": […]}.
func (t *Tensor) read(dec *jsontext.Decoder) error {
	if err := expectToken(dec, '{', "an object"); err != nil {
		return err
	}
	var offsets []uint64
	var hasShape bool
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		switch key := tok.String(); key {
		case "dtype":
			if dec.PeekKind() != '"' {
				return errors.New("dtype: want a string")
			}
			if tok, err = dec.ReadToken(); err == nil {
				t.DType = tok.String()
			}
		case "shape":
			hasShape = true
			t.Shape, err = numbers(dec, maxRank, func(v uint64) (int, bool) { return int(v), uint64(int(v)) == v && int(v) >= 0 })
		case "data_offsets":
			offsets, err = numbers(dec, 2, func(v uint64) (uint64, bool) { return v, true })
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if t.DType == "" || !hasShape || len(offsets) != 2 {
		return errors.New("want dtype, shape and two data_offsets")
	}
	t.begin, t.end = offsets[0], offsets[1]
	return nil
}

// numbers reads an array of at most limit integers.
func numbers[T any](dec *jsontext.Decoder, limit int, convert func(uint64) (T, bool)) ([]T, error) {
	if err := expectToken(dec, '[', "an array"); err != nil {
		return nil, err
	}
	var values []T
	for dec.PeekKind() == '0' {
		v, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("want an integer, got %.40s", v)
		}
		value, ok := convert(n)
		if !ok {
			return nil, fmt.Errorf("%d is too large", n)
		}
		if len(values) == limit {
			return nil, fmt.Errorf("more than %d numbers", limit)
		}
		values = append(values, value)
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != ']' {
		return nil, fmt.Errorf("want a number, got %.40s", tok.String())
	}
	return values, nil
}

// expectToken reads a token, which must be of the given kind. want describes it
// for the error.
func expectToken(dec *jsontext.Decoder, kind jsontext.Kind, want string) error {
	tok, err := dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return errors.New("is empty")
	}
	if err == nil && tok.Kind() != kind {
		err = errors.New("want " + want)
	}
	return err
}
