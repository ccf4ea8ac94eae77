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

// TestFullDiskLeavesNoPartialModel checks that a model is usable only after all its
// files and its manifest are written, including when they are copied from a cache.
func TestFullDiskLeavesNoPartialModel(t *testing.T) {
	t.Parallel()
	skipShort(t)
	for name, tt := range map[string]struct {
		weights string
		blocks  int
		cached  bool // copied from another file system
	}{
		"full at first byte":      {"weights", 0, false},
		"full at manifest":        {"weights", 1, false},
		"full at weights":         {strings.Repeat("weights ", 4096), 4, false},
		"full at copy of weights": {strings.Repeat("weights ", 4096), 4, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHub(func(h *testHub) {
				h.files = func(string) map[string]string {
					return map[string]string{"config.json": `{"model_type":"bert"}`, "tokenizer.json": `{}`, "model.safetensors": tt.weights}
				}
			})
			defer h.close()
			dir := t.TempDir()
			home := filepath.Join(dir, "none")
			if tt.cached {
				home = otherFileSystem(t, dir)
				blobs := filepath.Join(home, "hub", "models--org--plain", "blobs")
				if err := errors.Join(os.MkdirAll(blobs, 0o700), os.WriteFile(filepath.Join(blobs, fmt.Sprintf("%x", sha256.Sum256([]byte(tt.weights)))), []byte(tt.weights), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			models := func(blocks int, args ...string) (int, string) {
				cmd := limitedCommand(t, dir, "-f", blocks, append([]string{"models"}, append(args, "--models", "m")...)...)
				cmd.Env = append(cmd.Env, "HF_ENDPOINT="+h.hub.URL, "HF_HOME="+home, "HF_HUB_CACHE=")
				return runCommand(t, cmd)
			}
			if code, msg := models(tt.blocks, "pull", "org/plain", "--retries", "0"); code != exitFailure || !strings.Contains(msg, "file too large") {
				t.Errorf("exit code: got %d, want %d; stderr: %s", code, exitFailure, msg)
			}
			copied := -1
			for path, content := range readTree(t, dir) {
				if filepath.Base(path) == "ragfaith-model.json" {
					t.Errorf("manifest %s of an incomplete model: %s", path, content)
				}
				if filepath.Base(path) == "model.safetensors" && tt.cached {
					copied = len(content)
				}
			}
			if tt.cached && copied != tt.blocks*block {
				t.Errorf("got a copy of %d bytes, want %d", copied, tt.blocks*block)
			}
			if _, msg := models(tt.blocks, "list"); strings.Contains(msg, "org/plain") {
				t.Errorf("incomplete model is listed: %s", msg)
			}
			for _, command := range []string{"pull", "verify"} {
				if code, msg := models(1000, command, "org/plain"); code != exitOK {
					t.Errorf("then %s: exit code: got %d, want %d; stderr: %s", command, code, exitOK, msg)
				}
			}
		})
	}
}

// otherFileSystem returns a directory on a file system other than that of dir, so that
// files must be copied instead of linked.
func otherFileSystem(t *testing.T, dir string) string {
	t.Helper()
	other, err := os.MkdirTemp("/dev/shm", "ragfaith")
	if err != nil {
		t.Skipf("no other file system: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	from, to := filepath.Join(other, "x"), filepath.Join(dir, "x")
	writeFile(t, from, "")
	if os.Link(from, to) == nil {
		t.Skip("/dev/shm is on the file system of temporary files")
	}
	return other
}
