package encoder

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFingerprintsTellModelsApart(t *testing.T) {
	weights := make([]byte, 3<<20)
	more := map[string]string{}
	write := func(config string) string {
		// The folder's name has what would be a pattern.
		dir := filepath.Join(t.TempDir(), "[ab]")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"config.json": []byte(config), "tokenizer.json": []byte("{}"), "model.safetensors": weights} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for name, content := range more {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, dir, name, []byte(content))
		}
		mark, err := Fingerprint(dir)
		if err != nil || len(mark) != 32 {
			t.Fatal(mark, err)
		}
		return mark
	}
	first := write("{}")
	if again := write("{}"); again != first {
		t.Error("the same files in another folder have another fingerprint")
	}
	if other := write(`{"a":1}`); other == first {
		t.Error("another configuration has the same fingerprint")
	}
	for _, name := range []string{"tokenizer_config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"} {
		more = map[string]string{name: "{}"}
		with := write("{}")
		more[name] = `{"a":1}`
		if other := write("{}"); with == first || other == with {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	more = nil
	for i := range weights {
		weights[i] = byte(i % 251) // as if trained
	}
	if other := write("{}"); other == first {
		t.Error("other weights have the same fingerprint")
	}
	if _, err := Fingerprint(t.TempDir()); err == nil {
		t.Error("an empty folder has one")
	}
}
