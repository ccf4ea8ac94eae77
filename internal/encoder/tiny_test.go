package encoder

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
)

// tiny returns the golden model of each family that tests change.
func tiny() map[string]string {
	return map[string]string{"bert": "bert", "roberta": "roberta", "t5": "hhem", "modernbert": "modernbert", "deberta": "deberta-v2"}
}

// tinyVocabulary is the number of tokens that all of these models have.
const tinyVocabulary = 184

// writeTiny writes a golden model without its tokenizer and returns its configuration.
func writeTiny(t testing.TB, family string) (dir string, config map[string]any) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{configFile, "model.safetensors"} {
		writeFile(t, dir, name, readFile(t, filepath.Join(goldenDir(tiny()[family]), name)))
	}
	readJSON(t, filepath.Join(dir, configFile), &config)
	return dir, config
}

func writeFile(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeConfig replaces the configuration of a model.
func writeConfig(t testing.TB, dir string, config map[string]any) {
	t.Helper()
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, configFile, data)
}

// rewriteWeights replaces the weights of a model by those that edit returns, in the given
// data type; nil removes a tensor.
func rewriteWeights(t testing.TB, dir, dtype string, edit func(name string, values []float32) []float32) {
	t.Helper()
	set, err := checkpoint.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	header := map[string]any{}
	var data []byte
	for _, name := range set.Names() {
		shape := set.Tensor(name).Shape
		raw := (&weights{set: set}).raw(name, shape...)
		values := make([]float32, len(raw.F32)+len(raw.F16)+len(raw.BF16))
		widen(values, raw)
		if values = edit(name, values); values == nil {
			continue
		}
		start := len(data)
		for _, v := range values {
			bits := math.Float32bits(v)
			switch dtype {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, bits)
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(bits>>16))
			case "F16":
				f16 := uint16(bits >> 31 << 15)
				if bits<<1 != 0 {
					f16 |= uint16((bits>>23&0xff)-127+15)<<10 | uint16(bits>>13&0x3ff)
				}
				data = binary.LittleEndian.AppendUint16(data, f16)
			}
		}
		header[name] = map[string]any{"dtype": dtype, "shape": shape, "data_offsets": []int{start, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if err := os.Remove(filepath.Join(dir, "model.safetensors")); err != nil { // it is mapped
		t.Fatal(err)
	}
	writeFile(t, dir, "model.safetensors", append(append(file, text...), data...))
}

// tinySequences returns sequences of several lengths, some with the padding token
// 1.
func tinySequences() []sequence {
	var seqs []sequence
	for i, n := range []int{1, 2, 7, 17, 40, 46, 3, 33} {
		s := sequence{make([]int32, n), make([]int32, n)}
		for j := range n {
			s.ids[j] = int32((i*i + 5*j + j*j*3) % tinyVocabulary)
			s.types[j] = int32(j * 2 / n)
		}
		seqs = append(seqs, s)
	}
	return seqs
}

// The golden models have weights in float32 or bfloat16. Numbers that all types hold
// exactly give the same output in each.
func TestOutputDoesNotDependOnTypeOfWeights(t *testing.T) {
	for family := range tiny() {
		for dtype, mask := range map[string]uint32{"BF16": 0xffff, "F16": 0x1fff} {
			round := func(_ string, values []float32) []float32 {
				for i, v := range values {
					values[i] = math.Float32frombits(math.Float32bits(v) &^ mask)
					if math.Abs(float64(v)) < 1.0/(1<<14) { // subnormal in F16
						values[i] = 0
					}
				}
				return values
			}
			var want [][]float32
			for _, dtype := range []string{"F32", dtype} {
				dir, _ := writeTiny(t, family)
				rewriteWeights(t, dir, dtype, round)
				for _, kernelName := range kernelNames() {
					t.Run(fmt.Sprintf("%s/%s/%s", family, dtype, kernelName), func(t *testing.T) {
						got, err := mustLoad(t, dir, Options{Kernel: kernelName, Threads: 2}).compute(t.Context(), tinySequences())
						if err != nil {
							t.Fatal(err)
						}
						if dtype == "F32" {
							want = append(want, slices.Concat(got...))
						} else if w := want[slices.Index(kernelNames(), kernelName)]; !slices.Equal(slices.Concat(got...), w) {
							t.Errorf("got %v, want %v, as in F32", got, w)
						}
					})
				}
			}
		}
	}
}
