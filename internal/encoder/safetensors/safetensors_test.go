package safetensors

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// build returns a file with a header and data.
func build(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestOpenReadsTensors(t *testing.T) {
	data := append(floats(1, -2.5, 3, 4, 5, 6), 0x00, 0x3c, 0x80, 0x3f)
	path := write(t, t.TempDir(), "w.safetensors", build(`{"__metadata__":{"format":"pt"},
		"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
		"h":{"dtype":"F16","shape":[1],"data_offsets":[24,26]},
		"b":{"dtype":"BF16","shape":[],"data_offsets":[26,28]},
		"none":{"dtype":"F32","shape":[0,7],"data_offsets":[28,28]}}    `, data))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff([]string{"a", "b", "h", "none"}, f.Names()); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	a, err := f.Tensor("a").Float32()
	if diff := cmp.Diff([]float32{1, -2.5, 3, 4, 5, 6}, a); err != nil || diff != "" {
		t.Errorf("got error %v, difference (-want +got)\n%s", err, diff)
	}
	if got := f.Tensor("a").Shape; !cmp.Equal(got, []int{2, 3}) {
		t.Errorf("got shape %v, want [2 3]", got)
	}
	for name, want := range map[string]uint16{"h": 0x3c00, "b": 0x3f80} {
		bits, err := f.Tensor(name).Bits16()
		if diff := cmp.Diff([]uint16{want}, bits); err != nil || diff != "" {
			t.Errorf("%v: got error %v, difference (-want +got)\n%s", name, err, diff)
		}
	}
	if n := f.Tensor("none").Len(); n != 0 {
		t.Errorf("empty tensor: got length %d, want 0", n)
	}
	if f.Tensor("c") != nil {
		t.Error("found a tensor that does not exist")
	}
	if _, err := f.Tensor("a").Bits16(); err == nil || !strings.Contains(err.Error(), `"a" has type F32`) {
		t.Errorf("Bits16 of an F32 tensor: got error %v, want one about the type", err)
	}
}

func TestMisalignedTensorsAreCopied(t *testing.T) {
	for pad := range 8 {
		data := floats(1.5, -7)
		header := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}` + strings.Repeat(" ", pad)
		f, err := Open(write(t, t.TempDir(), "w.safetensors", build(header, data)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Tensor("a").Float32()
		if diff := cmp.Diff([]float32{1.5, -7}, a); err != nil || diff != "" {
			t.Errorf("%v: got error %v, difference (-want +got)\n%s", pad, err, diff)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadRejectsUnsupportedTypes(t *testing.T) {
	header := `{"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"new":{"dtype":"F4","shape":[4],"data_offsets":[8,10]}}`
	f, err := Open(write(t, t.TempDir(), "w.safetensors", build(header, make([]byte, 10))))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range f.Names() {
		if _, err := f.Tensor(name).Float32(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v, want one that names the tensor", name, err)
		}
	}
}

func TestOpenRejectsInvalidFiles(t *testing.T) {
	one := func(dtype, shape, offsets string) []byte {
		return build(`{"w":{"dtype":"`+dtype+`","shape":`+shape+`,"data_offsets":`+offsets+`}}`, make([]byte, 16))
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty file", nil, "no header"},
		{"short header length", []byte{1, 2, 3}, "no header"},
		{"header longer than the file", binary.LittleEndian.AppendUint64(nil, 50), "truncated"},
		{"header of 2^62 bytes", binary.LittleEndian.AppendUint64(nil, 1<<62), "more than the"},
		{"text file", []byte("This is not a model.\n"), "not a safetensors file"},
		{"pointer of Git LFS", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n"), "git lfs pull"},
		{"header is not JSON", build("nonsense", nil), "header"},
		{"empty header", build("", nil), "empty"},
		{"header is an array", build("[]", nil), "want an object"},
		{"two values", build("{}{}", nil), "more than one"},
		{"truncated header", build(`{"w":{"dtype":"F32"`, nil), "EOF"},
		{"tensor is not an object", build(`{"w":3}`, nil), `"w"`},
		{"no shape", build(`{"w":{"dtype":"F32","data_offsets":[0,0]}}`, nil), `"w"`},
		{"no type", build(`{"w":{"shape":[],"data_offsets":[0,0]}}`, nil), `"w"`},
		{"type is a number", build(`{"w":{"dtype":5}}`, nil), "dtype"},
		{"one offset", one("F32", "[4]", "[0]"), "two data_offsets"},
		{"three offsets", one("F32", "[4]", "[0,16,16]"), "more than 2"},
		{"duplicate name", build(`{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, nil), "duplicate"},
		{"negative dimension", one("F32", "[-4]", "[0,16]"), "integer"},
		{"fractional dimension", one("F32", "[4.0]", "[0,16]"), "integer"},
		{"dimension is a string", one("F32", `["4"]`, "[0,16]"), "number"},
		{"2^60 elements", one("F32", "[1152921504606846976]", "[0,16]"), "is 4611686018427387904 bytes"},
		{"2^64 elements", one("F32", "[18446744073709551616]", "[0,16]"), "integer"},
		{"product overflows", one("F32", "[4294967296,4294967296]", "[0,0]"), "is too large"},
		{"product overflows to the right size", one("F32", "[4,4611686018427387905]", "[0,16]"), "is too large"},
		{"too many dimensions", one("F32", "["+strings.Repeat("1,", 40)+"4]", "[0,16]"), "more than 32"},
		{"size of another type", one("F16", "[4]", "[0,16]"), "is 8 bytes, but data_offsets span 16"},
		{"reversed offsets", one("F32", "[4]", "[16,0]"), "are reversed"},
		{"truncated data", one("F32", "[8]", "[0,32]"), `tensor "w": truncated`},
		{"huge offsets", one("F32", "[4]", "[18446744073709551599,18446744073709551615]"), "truncated"},
		{"bytes before tensors", one("F32", "[3]", "[4,16]"), "belong to no tensor"},
		{"bytes after tensors", one("F32", "[3]", "[0,12]"), "4 bytes follow"},
		{"overlap", build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}}`, make([]byte, 16)), "overlaps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, t.TempDir(), "bad.safetensors", tt.data)
			f, err := Open(path)
			if err == nil {
				f.Close()
				t.Fatal("got no error, want one")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "bad.safetensors") {
				t.Errorf("got error %q, want %q and the file name", err, tt.want)
			}
		})
	}
}

func TestOpenReadsBytes(t *testing.T) {
	data := build(`{"__metadata__":{"format":"x","n":3,"o":{"a":"b"},"text":"é\u0031"},
		"q":{"dtype":"I8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}}`, []byte{1, 128, 255, 7, 200})
	f, err := Parse("inside", data)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"q": {1, 128, 255}, "b": {7, 200}} {
		if diff := cmp.Diff(want, f.Tensor(name).data); diff != "" {
			t.Errorf("bytes of %q: difference (-want +got)\n%s", name, diff)
		}
	}
	if _, err := f.Tensor("q").Float32(); err == nil {
		t.Error("Float32 of an I8 tensor: got no error, want one")
	}
	if _, err := Parse("inside", build(`{"__metadata__":{"a":"b"`, nil)); err == nil {
		t.Error("truncated metadata: got no error, want one")
	}
}

func TestParseRejectsTruncatedFile(t *testing.T) {
	whole := build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]}}`, make([]byte, 12))
	if _, err := Parse("w", whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := Parse("w", whole[:n:n]); err == nil {
			t.Errorf("parse of %d of %d bytes: got no error, want one", n, len(whole))
		}
	}
}

func TestOpenRejectsDirectory(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("Open of a directory: got no error, want one")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, make([]byte, 8)))
	f.Add(build(`{"__metadata__":{"format":"pt"},"h":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]},"i":{"dtype":"I64","shape":[],"data_offsets":[4,12]}}`, make([]byte, 12)))
	f.Add(build(`{"a":{"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,8]}}`, nil))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("w", data)
		if err != nil {
			return
		}
		var total int
		for _, tensor := range file.tensors {
			total += len(tensor.data)
			var n int
			switch tensor.DType {
			case F32:
				values, err := tensor.Float32()
				if err != nil {
					t.Error(err)
				}
				n = len(values)
			case F16, BF16:
				values, err := tensor.Bits16()
				if err != nil {
					t.Error(err)
				}
				n = len(values)
			default:
				continue
			}
			if n != tensor.Len() {
				t.Errorf("%q: got %d values, want %d", tensor.Name, n, tensor.Len())
			}
		}
		if total > len(data) {
			t.Errorf("got tensors of %d bytes in a file of %d", total, len(data))
		}
	})
}
