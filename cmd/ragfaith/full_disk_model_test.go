package main

import (
	"strings"
	"testing"
)

// TestFullDiskLeavesNoPartialModel checks that a model appears only after all its files
// are written.
func TestFullDiskLeavesNoPartialModel(t *testing.T) {
	t.Parallel()
	skipShort(t)
	for name, tt := range map[string]struct {
		weights string
		blocks  int
	}{
		"full at first byte": {"weights", 0},
		"full at weights":    {strings.Repeat("weights ", 4096), 4},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHub(func(h *testHub) {
				h.files = func(string) map[string]string {
					return map[string]string{"config.json": `{"model_type":"bert","architectures":["BertForSequenceClassification"]}`, "tokenizer.json": `{}`, "model.safetensors": tt.weights}
				}
			})
			defer h.close()
			dir := t.TempDir()
			models := func(blocks int, args ...string) commandResult {
				cmd := limitedCommand(t, dir, "-f", blocks, append([]string{"models"}, append(args, "--models", "m")...)...)
				cmd.Env = append(cmd.Env, "HF_ENDPOINT="+h.hub.URL, "HF_HOME="+dir, "HF_HUB_CACHE=")
				return runCommand(t, cmd)
			}
			checkExit(t, models(tt.blocks, "pull", "org/plain", "--retries", "0"), exitFailure, "file too large")
			for path := range readTree(t, dir) {
				if strings.Contains(path, "snapshots") || strings.Contains(path, "refs") {
					t.Errorf("got %s of an incomplete model, want none", path)
				}
			}
			if list := models(tt.blocks, "list").stderr; strings.Contains(list, "org/plain") {
				t.Errorf("incomplete model is listed: %s", list)
			}
			for _, command := range []string{"pull", "verify"} {
				checkExit(t, models(1000, command, "org/plain"), exitOK)
			}
		})
	}
}
