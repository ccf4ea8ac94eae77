package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runHuggingFace runs a Python program that has imported functions of huggingface_hub.
// It returns the last line of its output.
func runHuggingFace(t *testing.T, home, program string, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Getenv("TEST_PYTHON"), "-c", "from huggingface_hub import hf_hub_download, scan_cache_dir, snapshot_download\n"+program)
	cmd.Env = append(append(os.Environ(), "HF_HOME="+home, "HF_HUB_CACHE="+filepath.Join(home, "hub")), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// TestPythonSharesModels checks that the huggingface_hub package finds what ragfaith
// downloads, and ragfaith what the package downloads.
func TestPythonSharesModels(t *testing.T) {
	t.Parallel()
	python := os.Getenv("TEST_PYTHON")
	if python == "" || exec.Command(python, "-c", "import huggingface_hub").Run() != nil {
		t.Skip("TEST_PYTHON has no huggingface_hub (see scripts/fetch-readers.sh)")
	}
	h := newTestHub(func(*testHub) {})
	defer h.close()
	home := t.TempDir()
	env := map[string]string{"HF_HOME": home, "HF_ENDPOINT": h.hub.URL}
	got := runInProcess(t, t.TempDir(), env, "models", "pull", "org/plain", "-q")
	if got.code != exitOK {
		t.Fatalf("pull: got %+v, want success", got)
	}
	dir := strings.TrimSpace(got.stdout)
	for _, program := range []string{
		`print(snapshot_download("org/plain", local_files_only=True))`,
		`print(snapshot_download("org/plain", revision="` + hubCommit + `"))`,
		`print(hf_hub_download("org/plain", "model.safetensors").rpartition("/")[0])`,
	} {
		if found := runHuggingFace(t, home, program, "HF_HUB_OFFLINE=1"); found != dir {
			t.Errorf("%s: got %s, want %s", program, found, dir)
		}
	}
	const scan = `c = scan_cache_dir()
r, = c.repos
v, = r.revisions
print(r.repo_id, v.commit_hash, sorted(v.refs), v.nb_files, r.size_on_disk, [str(w) for w in c.warnings])`
	want := "org/plain " + hubCommit + " ['main'] 3 105088 []"
	if found := runHuggingFace(t, home, scan); found != want {
		t.Errorf("scan_cache_dir: got %s, want %s", found, want)
	}
	// ragfaith uses what Python downloads, in part by itself and then completely.
	home = t.TempDir()
	env["HF_HOME"] = home
	dir = filepath.Join(home, "hub", "models--org--plain", "snapshots", hubCommit)
	python = `snapshot_download("org/plain", allow_patterns=["*.safetensors", "config.json"])`
	if runHuggingFace(t, home, python+"; print(1)", "HF_ENDPOINT="+h.hub.URL) != "1" {
		t.Fatal("Python downloaded nothing")
	}
	if got := runInProcess(t, t.TempDir(), env, "models", "verify", "org/plain"); !strings.Contains(got.stderr, "incomplete: missing tokenizer.json") {
		t.Errorf("verify: got %+v, want an error about tokenizer.json", got)
	}
	transfers := h.resolved.Load()
	if got := runInProcess(t, t.TempDir(), env, "models", "pull", "org/plain", "-q"); got.code != exitOK || got.stdout != dir+"\n" || h.resolved.Load() != transfers+1 {
		t.Errorf("pull: got %+v and %d files, want %s and 1", got, h.resolved.Load()-transfers, dir)
	}
	if got := runInProcess(t, t.TempDir(), env, "models", "verify", "org/plain"); got.code != exitOK || !strings.Contains(got.stdout, "3 files verified") {
		t.Errorf("verify: got %+v, want 3 files verified", got)
	}
	if found := runHuggingFace(t, home, `print(hf_hub_download("org/plain", "tokenizer.json"))`, "HF_HUB_OFFLINE=1"); found != filepath.Join(dir, "tokenizer.json") {
		t.Errorf("hf_hub_download: got %s, want the file of ragfaith", found)
	}
}
