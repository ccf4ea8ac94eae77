package checkpoint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenDirReadsSingleFileOrShards(t *testing.T) {
	single, sharded := t.TempDir(), t.TempDir()
	writeFile(t, single, "model.safetensors", shard("a", 1, 2))
	writeFile(t, sharded, "model-00001-of-00002.safetensors", shard("a", 1, 2))
	writeFile(t, sharded, "model-00002-of-00002.safetensors", shard("b", 3, 4))
	writeFile(t, sharded, "model.safetensors.index.json", []byte(`{"metadata":{"total_size":16},"weight_map":{
		"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}`))
	want := map[string][]float32{"a": {1, 2}, "b": {3, 4}}
	for dir, names := range map[string][]string{single: {"a"}, sharded: {"a", "b"}} {
		s, err := OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(names, s.Names()); diff != "" {
			t.Errorf("names (-want +got)\n%s", diff)
		}
		for _, name := range names {
			got, err := s.Tensor(name).Float32()
			if diff := cmp.Diff(want[name], got); err != nil || diff != "" {
				t.Errorf("%v: got error %v, difference (-want +got)\n%s", name, err, diff)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenDirRejectsInvalidFiles(t *testing.T) {
	tests := []struct{ name, index, want string }{
		{"no files", "", "missing model.safetensors, pytorch_model.bin or"},
		{"index is not JSON", "{", "index.json"},
		{"empty index", "{}", "weight_map is empty"},
		{"file in parent directory", `{"weight_map":{"a":"../x.safetensors"}}`, "invalid file name"},
		{"absolute name", `{"weight_map":{"a":"/etc/x.safetensors"}}`, "invalid file name"},
		{"name with a drive", `{"weight_map":{"a":"C:x.safetensors"}}`, "invalid file name"},
		{"name with a backslash", `{"weight_map":{"a":"..\\x.safetensors"}}`, "invalid file name"},
		{"other file type", `{"weight_map":{"a":"config.json"}}`, "invalid file name"},
		{"hidden file", `{"weight_map":{"a":"..safetensors"}}`, "invalid file name"},
		{"missing shard", `{"weight_map":{"a":"x.safetensors"}}`, "x.safetensors"},
		{"missing tensor", `{"weight_map":{"b":"y.safetensors"}}`, `missing tensor "b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, dir, "y.safetensors", shard("a", 1, 2))
			if tt.index != "" {
				writeFile(t, dir, "model.safetensors.index.json", []byte(tt.index))
			}
			s, err := OpenDir(dir)
			if err == nil {
				s.Close()
				t.Fatal("got no error, want one")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %q, want %q", err, tt.want)
			}
		})
	}
}

func TestOpenDirDoesNotFallBackToShards(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.safetensors", []byte("broken"))
	writeFile(t, dir, "y.safetensors", shard("a", 1, 2))
	writeFile(t, dir, "model.safetensors.index.json", []byte(`{"weight_map":{"a":"y.safetensors"}}`))
	if s, err := OpenDir(dir); err == nil {
		s.Close()
		t.Error("got no error, want one")
	}
}
