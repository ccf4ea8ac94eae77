package encoder

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFingerprintDependsOnEveryFile(t *testing.T) {
	weights := bytes.Repeat([]byte{1}, 3<<20)
	fingerprint := func(changed string, more ...string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "[ab]") // must not be taken for a glob pattern
		if err := os.MkdirAll(filepath.Join(dir, poolingDir), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(more, "config.json", "tokenizer.json", "model.safetensors") {
			data := weights
			if filepath.Ext(name) == ".json" {
				data = []byte("{}")
			}
			if name == changed {
				data = bytes.Repeat([]byte{2}, len(data))
			}
			writeFile(t, dir, name, data)
		}
		got, err := Fingerprint(dir)
		if err != nil || len(got) != 32 {
			t.Fatalf("got fingerprint %q, error %v, want 32 digits", got, err)
		}
		return got
	}
	first := fingerprint("")
	if fingerprint("") != first || fingerprint("", "pytorch_model.bin", "last.ckpt") != first {
		t.Error("another directory, or weights that are not used: got another fingerprint, want an unchanged one")
	}
	optional := []string{"tokenizer_config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"}
	all := fingerprint("", optional...)
	for _, name := range append(optional, "config.json", "tokenizer.json", "model.safetensors") {
		if fingerprint(name, optional...) == all {
			t.Errorf("%s: got an unchanged fingerprint, want another", name)
		}
	}
	if _, err := Fingerprint(t.TempDir()); err == nil {
		t.Error("Fingerprint of an empty directory: got no error, want one")
	}
}
