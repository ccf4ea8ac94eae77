package checkpoint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shard returns a safetensors file with a tensor of two values.
func shard(name string, values ...float32) []byte {
	header := `{"` + name + `":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	return build(header, floats(values...))
}

func TestOpenDir(t *testing.T) {
	const index, torchIndex = "model.safetensors.index.json", "pytorch_model.bin.index.json"
	one := map[string][]float64{"a": {1, 2}}
	two := map[string][]float64{"a": {1, 2}, "b": {3, 4}}
	safe, torch := string(shard("a", 1, 2)), string(floatFile("a", 1, 2))
	for name, tt := range map[string]struct {
		files map[string]string
		want  map[string][]float64
		err   string
	}{
		"safetensors": {files: map[string]string{"model.safetensors": safe}, want: one},
		"safetensors shards": {files: map[string]string{
			index: `{"metadata":{"total_size":16},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}}`, "m-1.safetensors": safe, "m-2.safetensors": string(shard("b", 3, 4)),
		}, want: two},
		"torch":        {files: map[string]string{"pytorch_model.bin": torch, "training_args.bin": "x"}, want: one},
		"torch shards": {files: map[string]string{torchIndex: `{"weight_map":{"a":"m-1.bin","b":"m-2.bin"}}`, "m-1.bin": torch, "m-2.bin": string(floatFile("b", 3, 4))}, want: two},
		"checkpoint":   {files: map[string]string{"AlignScore-base.ckpt": torch}, want: one},
		"preferred":    {files: map[string]string{"model.safetensors": safe, "pytorch_model.bin": "not read", "last.ckpt": "not read"}, want: one},

		"two checkpoints":         {files: map[string]string{"a.ckpt": torch, "b.ckpt": torch}, err: "ambiguous weights: a.ckpt, b.ckpt"},
		"no fallback to torch":    {files: map[string]string{"model.safetensors": "x", "pytorch_model.bin": torch}, err: "model.safetensors"},
		"damaged shard":           {files: map[string]string{torchIndex: `{"weight_map":{"a":"m-1.bin"}}`, "m-1.bin": torch[:90]}, err: "m-1.bin: zip archive: "},
		"other weights only":      {files: map[string]string{"optimizer.bin": torch}, err: "missing model.safetensors, pytorch_model.bin or"},
		"pointer of Git LFS":      {files: map[string]string{"model.safetensors": "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n"}, err: "git lfs pull"},
		"index is not JSON":       {files: map[string]string{index: "{"}, err: "index.json"},
		"empty index":             {files: map[string]string{index: "{}"}, err: "weight_map is empty"},
		"parent directory":        {files: map[string]string{index: `{"weight_map":{"a":"../x.safetensors"}}`}, err: "invalid file name"},
		"name with a drive":       {files: map[string]string{index: `{"weight_map":{"a":"C:x.safetensors"}}`}, err: "invalid file name"},
		"name with a backslash":   {files: map[string]string{index: `{"weight_map":{"a":"..\\x.safetensors"}}`}, err: "invalid file name"},
		"shard of another format": {files: map[string]string{torchIndex: `{"weight_map":{"a":"m.safetensors"}}`, "m.safetensors": safe}, err: "invalid file name"},
		"hidden file":             {files: map[string]string{index: `{"weight_map":{"a":"..safetensors"}}`}, err: "invalid file name"},
		"missing shard":           {files: map[string]string{index: `{"weight_map":{"a":"x.safetensors"}}`}, err: "x.safetensors"},
		"missing tensor":          {files: map[string]string{index: `{"weight_map":{"b":"y.safetensors"}}`, "y.safetensors": safe}, err: `missing tensor "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tt.files {
				writeFile(t, dir, name, []byte(data))
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
			got := make(map[string][]float64)
			for _, name := range s.Names() {
				got[name] = values(t, s.Tensor(name))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tensors (-want +got)\n%s", diff)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
