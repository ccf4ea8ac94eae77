// Package checkpointtest writes files in the format of torch.save for tests.
package checkpointtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// The following functions return instructions of a pickle that push a value.

// Pickle returns the pickle of a value.
func Pickle(value string) string { return "\x80\x02" + value + "." }

// String pushes a string.
func String(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// Int pushes an integer.
func Int(n int) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// Tuple pushes a tuple of values.
func Tuple(values ...string) string { return "(" + strings.Join(values, "") + "t" }

// Ints pushes a tuple of integers.
func Ints(numbers ...int) string {
	values := make([]string, len(numbers))
	for i, n := range numbers {
		values[i] = Int(n)
	}
	return Tuple(values...)
}

// Call pushes the result of calling a function.
func Call(module, name string, args ...string) string {
	return "c" + module + "\n" + name + "\n" + Tuple(args...) + "R"
}

// Dict pushes a dictionary of keys and values.
func Dict(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

// Storage pushes a reference to a storage, such as FloatStorage, with count values.
func Storage(class, key string, count int) string {
	return Tuple(String("storage"), "ctorch\n"+class+"\n", String(key), String("cpu"), Int(count)) + "Q"
}

// Tensor pushes a tensor. args are its offset, shape and strides.
func Tensor(storage string, args ...string) string {
	return Call("torch._utils", "_rebuild_tensor_v2", append([]string{storage}, append(args, "\x89", "N")...)...)
}

// A Weight is a contiguous tensor.
type Weight struct {
	Name, Class string // Class is the class of the storage, such as FloatStorage
	Shape       []int
	Data        []byte
}

// File returns a file with a dictionary of weights.
func File(weights ...Weight) []byte {
	var items []string
	entries := make([]Entry, 1, len(weights)+1)
	for i, w := range weights {
		count, stride := 1, make([]int, len(w.Shape))
		for d := len(w.Shape) - 1; d >= 0; d-- {
			stride[d] = count
			count *= w.Shape[d]
		}
		key := strconv.Itoa(i)
		items = append(items, String(w.Name), Tensor(Storage(w.Class, key, count), Int(0), Ints(w.Shape...), Ints(stride...)))
		entries = append(entries, Entry{"archive/data/" + key, w.Data})
	}
	entries[0] = Entry{"archive/data.pkl", []byte(Pickle(Dict(items...)))}
	return Zip(entries...)
}

// An Entry is a file in a zip archive.
type Entry struct {
	Name string
	Data []byte
}

// Zip returns an archive of uncompressed files.
func Zip(entries ...Entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(e.Data)
		}
		if err != nil {
			panic(err) // a buffer never fails
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
