package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
)

// pickled returns the pickle of a value. The functions below return instructions of a
// pickle that push a value.
func pickled(value string) string { return "\x80\x02" + value + "." }

// str pushes a string.
func str(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// num pushes an integer.
func num(n int) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// newTuple pushes a tuple of values.
func newTuple(values ...string) string { return "(" + strings.Join(values, "") + "t" }

// ints pushes a tuple of integers.
func ints(numbers ...int) string {
	values := make([]string, len(numbers))
	for i, n := range numbers {
		values[i] = num(n)
	}
	return newTuple(values...)
}

// call pushes the result of calling a function.
func call(module, name string, args ...string) string {
	return "c" + module + "\n" + name + "\n" + newTuple(args...) + "R"
}

// dict pushes a dictionary of keys and values.
func dict(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

// newStorage pushes a reference to a storage, such as FloatStorage, with count values.
func newStorage(class, key string, count int) string {
	return newTuple(str("storage"), "ctorch\n"+class+"\n", str(key), str("cpu"), num(count)) + "Q"
}

// rebuild pushes a tensor. args are its offset, shape and strides.
func rebuild(storage string, args ...string) string {
	return call("torch._utils", "_rebuild_tensor_v2", append([]string{storage}, append(args, "\x89", "N")...)...)
}

// An entry is a file in a zip archive.
type entry struct {
	name string
	data []byte
}

// zipped returns an archive of uncompressed files.
func zipped(entries ...entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(e.data)
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

// floatFile returns a file with a tensor of one dimension.
func floatFile(name string, values ...float32) []byte {
	tensor := rebuild(newStorage("FloatStorage", "0", len(values)), num(0), ints(len(values)), ints(1))
	return zipped(entry{"archive/data.pkl", []byte(pickled(dict(str(name), tensor)))}, entry{"archive/data/0", floats(values...)})
}
