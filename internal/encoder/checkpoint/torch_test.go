package checkpoint

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFile(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openTorch returns the tensors of a file in testdata by name.
func openTorch(t *testing.T, name string) (map[string]*Tensor, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return Parse(name, data)
}

// values returns the values of a tensor, or nil for types that have no accessor.
func values(t *testing.T, tensor *Tensor) []float64 {
	t.Helper()
	var numbers []float64
	var err error
	switch tensor.DType {
	case F32:
		var v []float32
		v, err = tensor.Float32()
		for _, n := range v {
			numbers = append(numbers, float64(n))
		}
	case BF16, F16:
		var v []uint16
		v, err = tensor.Bits16()
		for _, n := range v {
			f := math.Float32frombits(uint32(n) << 16)
			if tensor.DType == F16 && n<<1 != 0 { // a normal number
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
	if len(golden) < 7 {
		t.Errorf("got %d files, want at least 7", len(golden))
	}
	for name, want := range golden {
		t.Run(name, func(t *testing.T) {
			tensors, err := openTorch(t, name)
			if err != nil || len(tensors) != len(want) {
				t.Errorf("got %d tensors, error %v, want %d", len(tensors), err, len(want))
			}
			for tensorName, want := range want {
				got := tensors[tensorName]
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
	tensors, err := openTorch(t, "tied.bin")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := tensors["a"].Float32()
	row, _ := tensors["row"].Float32()
	if &a[4] != &row[0] {
		t.Error("got a copy, want a view")
	}
}

func TestTruncatedFilesAreRejected(t *testing.T) {
	for _, name := range []string{"float32.bin", "lightning.ckpt"} {
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
