package checkpoint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenDir(t *testing.T) {
	const index = "model.safetensors.index.json"
	one := map[string][]float64{"a": {1, 2}}
	safe := string(build(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, floats(1, 2)))
	torch := string(floatFile("a", 1, 2))
	for name, tt := range map[string]struct {
		files map[string]string
		want  map[string][]float64
		err   string
	}{
		"safetensors": {files: map[string]string{"model.safetensors": safe}, want: one},
		"torch":       {files: map[string]string{"pytorch_model.bin": torch, "training_args.bin": "x"}, want: one},
		"checkpoint":  {files: map[string]string{"AlignScore-base.ckpt": torch}, want: one},
		"preferred":   {files: map[string]string{"model.safetensors": safe, "pytorch_model.bin": "not read", "last.ckpt": "not read"}, want: one},

		"two checkpoints":      {files: map[string]string{"a.ckpt": torch, "b.ckpt": torch}, err: "ambiguous weights: a.ckpt, b.ckpt"},
		"no fallback to torch": {files: map[string]string{"model.safetensors": "x", "pytorch_model.bin": torch}, err: "model.safetensors"},
		"other weights only":   {files: map[string]string{"optimizer.bin": torch}, err: "missing model.safetensors or pytorch_model.bin"},
		"shards":               {files: map[string]string{index: `{"weight_map":{"a":"m-1.safetensors"}}`, "m-1.safetensors": safe}, err: "missing model.safetensors or pytorch_model.bin"},
		"pointer of Git LFS":   {files: map[string]string{"model.safetensors": "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n"}, err: "git lfs pull"},
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
