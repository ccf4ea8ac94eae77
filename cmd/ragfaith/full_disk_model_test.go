package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A model that there is no room for, or no room to say what it is, is none; it is
// one as soon as there is. So it is where the files come from a cache.
func TestFullDiskLeavesNoPartialModel(t *testing.T) {
	skipShort(t)
	for name, tt := range map[string]struct {
		weights string
		blocks  int
		cached  bool // they are copied from another disk
	}{
		"no room for a byte":       {"weights", 0, false},
		"no room for the manifest": {"weights", 1, false},
		"no room for the weights":  {strings.Repeat("weights ", 4096), 4, false},
		"no room for a copy":       {strings.Repeat("weights ", 4096), 4, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHub(func(h *testHub) {
				h.files = func(string) map[string]string {
					return map[string]string{"config.json": `{"model_type":"bert"}`, "tokenizer.json": `{}`, "model.safetensors": tt.weights}
				}
			})
			defer h.close()
			folder := t.TempDir()
			home := filepath.Join(folder, "none")
			if tt.cached {
				home = onAnotherDisk(t, folder)
				blobs := filepath.Join(home, "hub", "models--org--plain", "blobs")
				if err := errors.Join(os.MkdirAll(blobs, 0o700), os.WriteFile(filepath.Join(blobs, fmt.Sprintf("%x", sha256.Sum256([]byte(tt.weights)))), []byte(tt.weights), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			models := func(blocks int, args ...string) (int, string) {
				cmd := within(t, folder, "-f", blocks, append([]string{"models"}, append(args, "--models", "m")...)...)
				cmd.Env = append(cmd.Env, "HF_ENDPOINT="+h.hub.URL, "HF_HOME="+home, "HF_HUB_CACHE=")
				return runCommand(t, cmd)
			}
			if code, said := models(tt.blocks, "pull", "org/plain", "--retries", "0"); code != exitFailure || !strings.Contains(said, "file too large") {
				t.Errorf("exit %d: %s", code, said)
			}
			copied := -1
			for path, content := range readTree(t, folder) {
				if filepath.Base(path) == "ragfaith-model.json" {
					t.Errorf("%s says that the model is whole: %s", path, content)
				}
				if filepath.Base(path) == "model.safetensors" && tt.cached {
					copied = len(content)
				}
			}
			if tt.cached && copied != tt.blocks*block {
				t.Errorf("the copy was cut to %d bytes", copied)
			}
			if _, said := models(tt.blocks, "list"); strings.Contains(said, "org/plain") {
				t.Errorf("it is listed: %s", said)
			}
			for _, again := range []string{"pull", "verify"} {
				if code, said := models(1000, again, "org/plain"); code != exitOK {
					t.Errorf("then %s: exit %d: %s", again, code, said)
				}
			}
		})
	}
}

// onAnotherDisk is a folder from which nothing can be linked into another one, so that it is
// copied.
func onAnotherDisk(t *testing.T, folder string) string {
	t.Helper()
	other, err := os.MkdirTemp("/dev/shm", "ragfaith")
	if err != nil {
		t.Skipf("there is no other disk: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	from, to := filepath.Join(other, "x"), filepath.Join(folder, "x")
	writeFile(t, from, "")
	if os.Link(from, to) == nil {
		t.Skip("there is no other disk: /dev/shm is the one of temporary files")
	}
	return other
}
