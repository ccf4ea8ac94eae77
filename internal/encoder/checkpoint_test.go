package encoder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint/checkpointtest"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

// copyModel copies the files of a model other than its weights.
func copyModel(t *testing.T, dir string) string {
	t.Helper()
	dst := t.TempDir()
	if err := os.CopyFS(dst, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dst, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	return dst
}

// torchWeights returns the weights of a model in the format of torch.save.
func torchWeights(t *testing.T, dir string) []checkpointtest.Weight {
	t.Helper()
	f, err := safetensors.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var weights []checkpointtest.Weight
	for _, name := range f.Names() {
		tensor := f.Tensor(name)
		values, err := tensor.Float32()
		if err != nil {
			t.Fatal(err)
		}
		data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
		weights = append(weights, checkpointtest.Weight{Name: name, Class: "FloatStorage", Shape: tensor.Shape, Data: slices.Clone(data)})
	}
	return weights
}

// goldenOutputs returns the outputs of the model in dir for its golden cases.
func goldenOutputs(t *testing.T, dir string, g *goldenModel) [][][]float32 {
	t.Helper()
	var seqs []sequence
	for _, c := range g.Cases {
		seqs = append(seqs, c.sequence())
	}
	all, err := mustLoad(t, dir, Options{}).compute(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTorchWeightsGiveTheSameOutput(t *testing.T) {
	for _, name := range []string{"deberta-v2", "bert-sentence"} {
		weights := torchWeights(t, goldenDir(name))
		half := (len(weights) + 1) / 2
		shards := []string{"pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"}
		files := map[string]string{}
		for i, w := range weights {
			files[w.Name] = shards[i/half]
		}
		index, err := json.Marshal(map[string]any{"weight_map": files})
		if err != nil {
			t.Fatal(err)
		}
		layouts := map[string]map[string][]byte{
			"single file": {"pytorch_model.bin": checkpointtest.File(weights...)},
			"checkpoint":  {"last.ckpt": checkpointtest.File(weights...)},
			"shards": {
				"pytorch_model.bin.index.json": index,
				shards[0]:                      checkpointtest.File(weights[:half]...), shards[1]: checkpointtest.File(weights[half:]...),
			},
		}
		golden := readGolden(t, name)
		want := goldenOutputs(t, goldenDir(name), golden)
		fingerprints := map[string]string{}
		for layout, files := range layouts {
			dir := copyModel(t, goldenDir(name))
			for file, data := range files {
				writeFile(t, dir, file, data)
			}
			if diff := cmp.Diff(want, goldenOutputs(t, dir, golden)); diff != "" {
				t.Errorf("%s, %s (-safetensors +torch)\n%s", name, layout, diff)
			}
			fingerprint, err := Fingerprint(dir)
			if other := fingerprints[fingerprint]; err != nil || other != "" {
				t.Errorf("%s: got the fingerprint of %s, error %v; want another", layout, other, err)
			}
			fingerprints[fingerprint] = layout
		}
	}
}
