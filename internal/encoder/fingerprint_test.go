package encoder

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFingerprintDependsOnEveryFile(t *testing.T) {
	weights := make([]byte, 3<<20)
	extra := map[string]string{}
	write := func(config string) string {
		// The directory name must not be taken for a glob pattern.
		dir := filepath.Join(t.TempDir(), "[ab]")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"config.json": []byte(config), "tokenizer.json": []byte("{}"), "model.safetensors": weights} {
			writeFile(t, dir, name, content)
		}
		for name, content := range extra {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, dir, name, []byte(content))
		}
		got, err := Fingerprint(dir)
		if err != nil || len(got) != 32 {
			t.Fatalf("got fingerprint %q, error %v, want 32 digits", got, err)
		}
		return got
	}
	first := write("{}")
	if again := write("{}"); again != first {
		t.Error("other directory: got another fingerprint, want an unchanged one")
	}
	if other := write(`{"a":1}`); other == first {
		t.Error("config.json: got an unchanged fingerprint, want another")
	}
	for _, name := range []string{"tokenizer_config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"} {
		extra = map[string]string{name: "{}"}
		with := write("{}")
		extra[name] = `{"a":1}`
		if other := write("{}"); with == first || other == with {
			t.Errorf("%s: got an unchanged fingerprint, want another", name)
		}
	}
	extra = map[string]string{"pytorch_model.bin": "a", "last.ckpt": "a"}
	if with := write("{}"); with != first {
		t.Error("weights that are not used: got another fingerprint, want an unchanged one")
	}
	extra = nil
	for i := range weights {
		weights[i] = byte(i % 251) // simulate training
	}
	if other := write("{}"); other == first {
		t.Error("weights: got an unchanged fingerprint, want another")
	}
	if _, err := Fingerprint(t.TempDir()); err == nil {
		t.Error("Fingerprint of an empty directory: got no error, want one")
	}
}
