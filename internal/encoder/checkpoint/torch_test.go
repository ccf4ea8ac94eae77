package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint/checkpointtest"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

func writeFile(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// values returns the values of a tensor, or nil for types that have no accessor.
func values(t *testing.T, tensor *safetensors.Tensor) []float64 {
	t.Helper()
	var numbers []float64
	var err error
	switch tensor.DType {
	case safetensors.F32:
		var v []float32
		v, err = tensor.Float32()
		for _, n := range v {
			numbers = append(numbers, float64(n))
		}
	case safetensors.BF16, safetensors.F16:
		var v []uint16
		v, err = tensor.Bits16()
		for _, n := range v {
			f := math.Float32frombits(uint32(n) << 16)
			if tensor.DType == safetensors.F16 && n<<1 != 0 { // a normal number
				f = math.Float32frombits(uint32(n>>15)<<31 | (uint32(n>>10&31)+127-15)<<23 | uint32(n&0x3ff)<<13)
			}
			numbers = append(numbers, float64(f))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// testdata/golden.py writes the files and their tensors.
func TestOpenTorchReadsGoldenFiles(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	type tensor struct {
		DType  string
		Shape  []int
		Values []float64
	}
	var golden map[string]map[string]tensor
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden) < 14 {
		t.Errorf("got %d files, want at least 14", len(golden))
	}
	for name, want := range golden {
		t.Run(name, func(t *testing.T) {
			f, err := OpenTorch(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := f.Names(); len(got) != len(want) {
				t.Errorf("got tensors %q, want %d", got, len(want))
			}
			for tensorName, want := range want {
				got := f.Tensor(tensorName)
				if got == nil || got.File != name || got.DType != want.DType || !cmp.Equal(got.Shape, want.Shape) {
					t.Errorf("%s: got %+v, want type %s, shape %v", tensorName, got, want.DType, want.Shape)
					continue
				}
				if got := values(t, got); got != nil && !cmp.Equal(got, want.Values) {
					t.Errorf("%s: got %v, want %v", tensorName, got, want.Values)
				}
			}
		})
	}
}

func TestTiedWeightsShareMemory(t *testing.T) {
	f, err := OpenTorch("testdata/tied.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, _ := f.Tensor("a").Float32()
	row, _ := f.Tensor("row").Float32()
	if &a[4] != &row[0] {
		t.Error("got a copy, want a view")
	}
}

func TestOpenDirReadsTorchFiles(t *testing.T) {
	one := func(name string, v float32) []byte {
		data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
		return checkpointtest.File(checkpointtest.Weight{Name: name, Class: "FloatStorage", Shape: []int{1}, Data: data})
	}
	tests := []struct {
		name  string
		files map[string][]byte
		want  map[string]float64
		err   string
	}{
		{"single file", map[string][]byte{"pytorch_model.bin": one("a", 1), "training_args.bin": []byte("x")}, map[string]float64{"a": 1}, ""},
		{"shards", map[string][]byte{
			"pytorch_model.bin.index.json": []byte(`{"weight_map":{"a":"m-1.bin","b":"m-2.bin"}}`), "m-1.bin": one("a", 1), "m-2.bin": one("b", 2),
		}, map[string]float64{"a": 1, "b": 2}, ""},
		{"checkpoint", map[string][]byte{"AlignScore-base.ckpt": one("a", 3)}, map[string]float64{"a": 3}, ""},
		{"checkpoint beside others", map[string][]byte{"last.ckpt": one("a", 3), "pytorch_model.bin": one("a", 1)}, map[string]float64{"a": 1}, ""},
		{"two checkpoints", map[string][]byte{"a.ckpt": one("a", 3), "b.ckpt": one("a", 1)}, nil, "ambiguous weights: a.ckpt, b.ckpt"},
		{"safetensors shard in a torch index", map[string][]byte{
			"pytorch_model.bin.index.json": []byte(`{"weight_map":{"a":"m.safetensors"}}`), "m.safetensors": shard("a", 1, 2),
		}, nil, "invalid file name"},
		{"damaged safetensors", map[string][]byte{"model.safetensors": []byte("x"), "pytorch_model.bin": one("a", 1)}, nil, "model.safetensors"},
		{"damaged shard", map[string][]byte{
			"pytorch_model.bin.index.json": []byte(`{"weight_map":{"a":"m-1.bin","b":"m-2.bin"}}`), "m-1.bin": one("a", 1), "m-2.bin": one("b", 2)[:90],
		}, nil, "m-2.bin: zip archive: "},
		{"other weights only", map[string][]byte{"optimizer.bin": one("a", 1)}, nil, "missing model.safetensors, pytorch_model.bin or"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tt.files {
				writeFile(t, dir, name, data)
			}
			s, err := OpenDir(dir)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got := make(map[string]float64)
			for _, name := range s.Names() {
				got[name] = values(t, s.Tensor(name))[0]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tensors (-want +got)\n%s", diff)
			}
		})
	}
}

func TestSafetensorsArePreferred(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.safetensors", shard("a", 1, 2))
	writeFile(t, dir, "pytorch_model.bin", []byte("not read"))
	s, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Tensor("a").File; got != "model.safetensors" {
		t.Errorf("got a tensor of %s, want one of model.safetensors", got)
	}
}

func TestTruncatedFilesAreRejected(t *testing.T) {
	for _, name := range []string{"float32.bin", "lightning.ckpt", "legacy-float32.bin", "legacy-tied.bin"} {
		whole, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseTorch(whole); err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			if _, err := parseTorch(whole[:n:n]); err == nil {
				t.Errorf("%s: got no error for %d of %d bytes, want one", name, n, len(whole))
			}
		}
	}
}

func shard(name string, values ...float32) []byte {
	header := `{"` + name + `":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestMisalignedTensorsAreCopied(t *testing.T) {
	want := []float64{1.5, -7}
	data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(-7))
	for pad := range 4 {
		w := checkpointtest.Weight{Name: "a" + strings.Repeat("b", pad), Class: "FloatStorage", Shape: []int{2}, Data: data}
		tensors, err := parseTorch(bytes.Clone(checkpointtest.File(w)))
		if err != nil {
			t.Fatal(err)
		}
		if got := values(t, tensors[0]); !cmp.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", pad, got, want)
		}
	}
}
