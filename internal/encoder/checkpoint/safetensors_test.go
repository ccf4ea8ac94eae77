package checkpoint

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// build returns a file with a header and data.
func build(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestParseReadsTensors(t *testing.T) {
	data := append(floats(1, -2.5, 3, 4, 5, 6), 0x00, 0x3c, 0x80, 0x3f, 1, 128, 255)
	tensors, err := parseSafetensors(build(`{"__metadata__":{"format":"pt","n":3,"o":{"a":"b"}},
		"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
		"h":{"dtype":"F16","shape":[1],"data_offsets":[24,26]},
		"b":{"dtype":"BF16","shape":[],"data_offsets":[26,28]},
		"none":{"dtype":"F32","shape":[0,7],"data_offsets":[28,28]},
		"new":{"dtype":"F4","shape":[4],"data_offsets":[28,30]},
		"q":{"dtype":"I8","shape":[1],"data_offsets":[30,31]}}    `, data))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]float64{}
	for name, tensor := range tensors {
		got[name] = values(t, tensor)
	}
	want := map[string][]float64{"a": {1, -2.5, 3, 4, 5, 6}, "h": {1}, "b": {1}, "none": nil, "new": nil, "q": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tensors (-want +got)\n%s", diff)
	}
	if shape := tensors["a"].Shape; !cmp.Equal(shape, []int{2, 3}) {
		t.Errorf("got shape %v, want [2 3]", shape)
	}
	for name, tensor := range tensors {
		if _, err := tensor.Bits16(); (err == nil) != (name == "h" || name == "b") {
			t.Errorf("Bits16 of %s: got error %v", name, err)
		}
		if _, err := tensor.Float32(); (err == nil) != (name == "a" || name == "none") {
			t.Errorf("Float32 of %s: got error %v", name, err)
		}
	}
}

func TestMisalignedTensorsAreCopied(t *testing.T) {
	for pad := range 8 {
		header := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}` + strings.Repeat(" ", pad)
		tensors, err := parseSafetensors(build(header, floats(1.5, -7)))
		if err != nil {
			t.Fatal(err)
		}
		if got := values(t, tensors["a"]); !cmp.Equal(got, []float64{1.5, -7}) {
			t.Errorf("%d bytes of padding: got %v, want [1.5 -7]", pad, got)
		}
	}
}

func TestParseRejectsInvalidFiles(t *testing.T) {
	one := func(dtype, shape, offsets string) []byte {
		return build(`{"w":{"dtype":"`+dtype+`","shape":`+shape+`,"data_offsets":`+offsets+`}}`, make([]byte, 16))
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty file", nil, "no header"},
		{"header longer than the file", binary.LittleEndian.AppendUint64(nil, 50), "truncated"},
		{"header of 2^62 bytes", binary.LittleEndian.AppendUint64(nil, 1<<62), "more than the"},
		{"header is not JSON", build("nonsense", nil), "header"},
		{"truncated header", build(`{"w":{"dtype":"F32"`, nil), "EOF"},
		{"no shape", build(`{"w":{"dtype":"F32","data_offsets":[0,0]}}`, nil), "w"},
		{"no type", build(`{"w":{"shape":[],"data_offsets":[0,0]}}`, nil), "w"},
		{"one offset", one("F32", "[4]", "[0]"), "data_offsets"},
		{"duplicate name", build(`{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, nil), "duplicate"},
		{"negative dimension", one("F32", "[-4]", "[0,16]"), "negative"},
		{"2^60 elements", one("F32", "[1152921504606846976]", "[0,16]"), "does not match"},
		{"product overflows", one("F32", "[4294967296,4294967296]", "[0,0]"), "does not match"},
		{"product overflows to the right size", one("F32", "[4,4611686018427387905]", "[0,16]"), "does not match"},
		{"too many dimensions", one("F32", "["+strings.Repeat("1,", 40)+"4]", "[0,16]"), "more than 32"},
		{"size of another type", one("F16", "[4]", "[0,16]"), "does not match 16 bytes"},
		{"reversed offsets", one("F32", "[4]", "[16,0]"), "exceed"},
		{"truncated data", one("F32", "[8]", "[0,32]"), "exceed the 16 bytes"},
		{"huge offsets", one("F32", "[4]", "[18446744073709551599,18446744073709551615]"), "exceed"},
		{"bytes before tensors", one("F32", "[3]", "[4,16]"), "starts at byte 4 of the data, want 0"},
		{"bytes after tensors", one("F32", "[3]", "[0,12]"), "bytes follow"},
		{"overlap", build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}}`, make([]byte, 16)), "starts at byte 4 of the data, want 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseSafetensors(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseRejectsTruncatedFile(t *testing.T) {
	whole := build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]}}`, make([]byte, 12))
	if _, err := parseSafetensors(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := parseSafetensors(whole[:n:n]); err == nil {
			t.Errorf("parse of %d of %d bytes: got no error, want one", n, len(whole))
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, make([]byte, 8)))
	f.Add(build(`{"__metadata__":{"format":"pt"},"h":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]},"i":{"dtype":"I64","shape":[],"data_offsets":[4,12]}}`, make([]byte, 12)))
	f.Add(build(`{"a":{"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,8]}}`, nil))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, err := parseSafetensors(data)
		if err != nil {
			return
		}
		total := 0
		for _, tensor := range tensors {
			total += len(tensor.data)
			values(t, tensor)
		}
		if total > len(data) {
			t.Errorf("got tensors of %d bytes in a file of %d", total, len(data))
		}
	})
}
