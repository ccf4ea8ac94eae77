package hub

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// cacheMini is like cacheRepo for the model that most tests download.
func cacheMini(t *testing.T, h *fakeHub, cache string, names ...string) string {
	t.Helper()
	return cacheRepo(t, cache, h.mini().name(), h.mini(), names...)
}

// cacheRepo creates a Hugging Face cache with the named files of a repository, as
// links to blobs, and returns the snapshot directory.
func cacheRepo(t *testing.T, cache, name string, content *fakeRepo, names ...string) string {
	t.Helper()
	repo := filepath.Join(cache, "models--"+strings.Replace(name, "/", "--", 1))
	dir := filepath.Join(repo, "snapshots", content.commit)
	write := func(path, content string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(repo, "refs", "main"), content.commit)
	for _, name := range names {
		f := content.files[name]
		hash := f.blob()
		if f.large {
			hash = f.sha256()
		}
		blob, link := filepath.Join(repo, "blobs", hash), filepath.Join(dir, name)
		write(blob, string(f.content))
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		target, err := filepath.Rel(filepath.Dir(link), blob)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("cannot create links: %v", err)
		}
	}
	return dir
}

func miniFiles() []string {
	return []string{"config.json", "tokenizer.json", "tokenizer_config.json", "modules.json", "1_Pooling/config.json", "model.safetensors"}
}

func TestFilesOfOtherProgramsAreUsed(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	dir := cacheMini(t, h, p.Store.Dir, miniFiles()...)
	found, err := p.Store.Lookup(mini)
	if err != nil || found.Dir != dir {
		t.Fatalf("Lookup: got %+v, error %v, want a model in %s", found, err, dir)
	}
	checkIntact(t, found)
	m := pull(t, p, mini, "")
	if m.Dir != dir || len(h.requests("/resolve/")) > 0 {
		t.Errorf("got model in %s, requests %+v, want %s and none", m.Dir, h.requests("/resolve/"), dir)
	}

	// A damaged blob is replaced.
	blob := filepath.Join(filepath.Dir(filepath.Dir(dir)), "blobs", h.mini().files[weightsFile].sha256())
	if err := os.WriteFile(blob, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if mismatches, err := found.Verify(t.Context(), nil); err != nil || len(mismatches) != 1 || mismatches[0].File != weightsFile {
		t.Errorf("got mismatches %v, error %v; want %s, nil", mismatches, err, weightsFile)
	}
	checkIntact(t, pull(t, p, mini, ""))
	if len(h.requests("/resolve/")) != 1 {
		t.Errorf("got requests %+v, want one", h.requests("/resolve/"))
	}
}

func TestPartialSnapshotIsCompleted(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	dir := cacheMini(t, h, p.Store.Dir, "model.safetensors", "config.json")
	if dir, err := p.Store.Find(mini); err == nil || !strings.Contains(err.Error(), "incomplete: missing tokenizer.json in "+p.Store.Dir) {
		t.Errorf("Find: got %s, error %v, want one about tokenizer.json", dir, err)
	}
	m := pull(t, p, mini, "")
	if m.Dir != dir || len(h.requests(weightsFile))+len(h.requests(h.large()))+len(h.requests(firstCommit+"/config.json")) > 0 {
		t.Errorf("got model %+v, requests %+v; want one in %s without downloads of its files", m, h.requests("/resolve/"), dir)
	}
	checkIntact(t, m)
}

// TestPullWithoutSymlinks simulates Windows without developer mode. The files of a
// snapshot are hard links; the Hugging Face libraries move the blobs there.
func TestPullWithoutSymlinks(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	p.symlinkFunc = func(string, string) error { return errors.ErrUnsupported }
	m := pull(t, p, mini, "")
	checkIntact(t, m)
	info, err := os.Lstat(filepath.Join(m.Dir, weightsFile))
	blob, blobErr := os.Stat(p.Store.blob(remoteFile{Repo: h.mini().name(), SHA256: h.mini().files[weightsFile].sha256()}))
	if err := errors.Join(err, blobErr); err != nil || !os.SameFile(info, blob) {
		t.Errorf("got file %v, blob %v, error %v; want the same file", info, blob, err)
	}
	if err := os.RemoveAll(filepath.Join(p.Store.repoDir(h.mini().name()), blobsDir)); err != nil {
		t.Fatal(err)
	}
	before := len(h.requests("/resolve/"))
	if again := pull(t, p, mini, ""); again.Dir != m.Dir || len(h.requests("/resolve/")) != before {
		t.Errorf("got model in %s, %d downloads; want %s, none", again.Dir, len(h.requests("/resolve/"))-before, m.Dir)
	}
	path := filepath.Join(m.Dir, "tokenizer.json")
	if err := os.WriteFile(path, []byte(`{"version":"6.6"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	pull(t, p, mini, "")
	if content, err := os.ReadFile(path); string(content) != `{"version":"1.0"}` {
		t.Errorf("got tokenizer %s, error %v, want the intact one", content, err)
	}
}

func TestReadOnlyStoreIsUsed(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	m := pull(t, p, mini, "")
	if err := os.RemoveAll(filepath.Join(p.Store.Dir, locksDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Store.Dir, locksDir), nil, 0o600); err != nil { // locking fails
		t.Fatal(err)
	}
	if again := pull(t, p, mini, ""); again.Dir != m.Dir {
		t.Errorf("got model in %s, want %s", again.Dir, m.Dir)
	}
}

func TestLinksOutOfTheRepositoryAreNotFollowed(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	outside := t.TempDir()
	snapshot := filepath.Join(p.Store.repoDir(h.mini().name()), snapshotsDir, firstCommit)
	if err := errors.Join(os.MkdirAll(snapshot, 0o700), os.Symlink(outside, filepath.Join(snapshot, "1_Pooling"))); err != nil {
		t.Skipf("cannot create links: %v", err)
	}
	if err := failToPull(t, p, mini); !strings.Contains(err.Error(), "1_Pooling") {
		t.Errorf("got error %v, want one about 1_Pooling", err)
	}
	if files := filesUnder(t, outside); files != nil {
		t.Errorf("got files %v outside of the store, want none", files)
	}
}

func TestOffline(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	p.Offline = true
	err := failToPull(t, p, mini)
	const hint = "; nothing is downloaded, because HF_HUB_OFFLINE is set"
	if want := h.mini().name() + ": revision main not found" + hint; err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	cacheMini(t, h, p.Store.Dir, miniFiles()[1:]...)
	if err := failToPull(t, p, mini); err.Error() != h.mini().name()+": missing file config.json"+hint {
		t.Errorf("got error %v, want one about config.json", err)
	}
	dir := cacheMini(t, h, p.Store.Dir, "config.json")
	for _, revision := range []string{"", "main", firstCommit} {
		if m := pull(t, p, mini, revision); m.Dir != dir {
			t.Errorf("%s: got model in %s, want %s", revision, m.Dir, dir)
		}
	}
	n, _ := Resolve(mini)
	for _, revision := range []string{"v2", secondCommit} {
		if m, err := p.Pull(t.Context(), n, revision); err == nil {
			t.Errorf("%s: got model %v, want an error", revision, m)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(`{"version":"6.6"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Pull(t.Context(), n, ""); err == nil || !strings.Contains(err.Error(), ": tokenizer.json: damaged; ") {
		t.Errorf("got model %v, error %v, want one about tokenizer.json", m, err)
	}
	// The files of several repositories are combined.
	tokenizer := &fakeRepo{secondCommit, map[string]fakeFile{"tokenizer.json": {content: []byte("{}")}}}
	hhem := &fakeRepo{firstCommit, map[string]fakeFile{"config.json": {content: []byte("{}")}, "model.safetensors": {content: weights(9), large: true}}}
	cacheRepo(t, p.Store.Dir, "google/flan-t5-base", tokenizer, "tokenizer.json")
	cacheRepo(t, p.Store.Dir, "vectara/hallucination_evaluation_model", hhem, "config.json", "model.safetensors")
	if m := pull(t, p, "hhem-2.1-open", ""); len(m.Files) != 3 {
		t.Errorf("got files %v, want 3", m.Files)
	}
	if n := len(h.requests("/")); n > 0 {
		t.Errorf("got %d requests, want 0", n)
	}
}

func TestListSkipsModelsOfOtherPrograms(t *testing.T) {
	h := newFakeHub(t)
	p := newPuller(t, h)
	for name, architecture := range map[string]string{
		"org/judge": "BertForSequenceClassification", "org/spans": "ModernBertForTokenClassification", "org/chat": "LlamaForCausalLM",
	} {
		repo := &fakeRepo{firstCommit, map[string]fakeFile{
			"config.json": {content: []byte(`{"architectures":["` + architecture + `"]}`)}, "tokenizer.json": {content: []byte("{}")},
			"model.safetensors": {content: weights(100), large: true},
		}}
		cacheRepo(t, p.Store.Dir, name, repo, "config.json", "tokenizer.json", "model.safetensors")
	}
	list, err := p.Store.List()
	if err != nil || len(list) != 2 || list[0].Name.Repo != "org/judge" || list[1].Name.Repo != "org/spans" {
		t.Errorf("got models %+v, error %v, want org/judge and org/spans", list, err)
	}
}

func TestCachedModelNeedsAllShards(t *testing.T) {
	h := newFakeHub(t)
	index := `{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}`
	repo := &fakeRepo{firstCommit, map[string]fakeFile{
		"config.json": {content: []byte("{}")}, "tokenizer.json": {content: []byte("{}")},
		"model.safetensors.index.json":     {content: []byte(index)},
		"model-00001-of-00002.safetensors": {content: weights(5000), large: true},
		"model-00002-of-00002.safetensors": {content: weights(4000), large: true},
	}}
	h.repos["org/big"] = repo
	p := newPuller(t, h)
	cacheRepo(t, p.Store.Dir, "org/big", repo, "config.json", "tokenizer.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors")
	if dir, err := p.Store.Find("org/big"); err == nil {
		t.Errorf("Find: got %s, want an error", dir)
	}
	dir := cacheRepo(t, p.Store.Dir, "org/big", repo, "model-00002-of-00002.safetensors")
	if found, err := p.Store.Find("org/big"); err != nil || found != dir {
		t.Errorf("Find: got %s, error %v, want a model", found, err)
	}
	if m := pull(t, p, "org/big", ""); m.Dir != dir || len(m.Files) != 5 || len(h.requests("/resolve/")) > 0 {
		t.Errorf("got model %+v, want all 5 files in %s", m, dir)
	}
}

func TestFind(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	m := pull(t, p, mini, "")
	here := t.TempDir()
	t.Chdir(here)
	for _, dir := range []string{"model", "empty", "minilm-l6", "org/repo"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"model", "org/repo"} {
		if err := os.WriteFile(filepath.Join(dir, configFile), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, dir, err string }{
		{"model", "model", ""},
		{"./model", "./model", ""},
		{"org/repo", "org/repo", ""},
		{mini, m.Dir, ""}, // the directory of that name is not a model
		{"sentence-transformers/all-MiniLM-L6-v2", m.Dir, ""},
		{"empty", "", "empty: not a model directory: missing config.json"},
		{"./none", "", "./none: no such directory"},
		{"a/b/c", "", "a/b/c: no such directory"},
		{"org/other", "", "model org/other not found; run: ragfaith models pull org/other"},
		{"cross-encoder/nli-deberta-v3-base", "", "model nli-deberta-v3-base not found; run: ragfaith models pull nli-deberta-v3-base"},
		{"minilm", "", `unknown model "minilm": want ORG/REPO or a name in "ragfaith models list"`},
		{"", "", `unknown model "": want ORG/REPO or a name in "ragfaith models list"`},
	} {
		dir, err := p.Store.Find(tt.name)
		if dir != tt.dir || err != nil != (tt.err != "") || err != nil && err.Error() != tt.err {
			t.Errorf("Find(%q): got %q, error %v, want %q, error %q", tt.name, dir, err, tt.dir, tt.err)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, n := range Names() {
		if !isRepo(n.Repo) || n.Tokenizer != "" && !isRepo(n.Tokenizer) || strings.Contains(n.Short, "/") {
			t.Errorf("invalid name %+v", n)
		}
		for _, text := range []string{n.Short, n.Repo} {
			if text == n.Repo && n.Weights != "" {
				continue // the repository contains several models
			}
			if got, err := Resolve(text); err != nil || got != n {
				t.Errorf("Resolve(%q): got %+v, error %v, want %+v", text, got, err, n)
			}
		}
	}
	if _, err := Resolve("yzha/AlignScore"); err == nil || err.Error() != "yzha/AlignScore contains several models: choose one of alignscore-base, alignscore-large" {
		t.Errorf("repository of several models: got error %v, want one that names them", err)
	}
	for _, bad := range []string{"a", "a/b/c", "a/", "/b", "../b", "a/..", "a/-b", "a/b.", "a--b/c", "a b/c", "a/b\n", strings.Repeat("a", 97) + "/b"} {
		if n, err := Resolve(bad); err == nil {
			t.Errorf("Resolve(%q): got %+v, want an error", bad, n)
		}
	}
}

func TestPullErrorNamesUnusableDirectory(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Store.Dir = file
	if err := failToPull(t, p, mini); !strings.Contains(err.Error(), file) {
		t.Errorf("got error %v, want %q", err, file)
	}
}

func TestPullWaitsForOtherPrograms(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	// Python's filelock also uses flock.
	path := filepath.Join(p.Store.Dir, ".locks", "models--sentence-transformers--all-MiniLM-L6-v2", h.mini().files[weightsFile].sha256()+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	other := flock.New(path)
	if locked, err := other.TryLock(); err != nil || !locked {
		t.Fatalf("got locked %t, error %v", locked, err)
	}
	waits := 0
	p.Watch.Wait = func(repo string) {
		waits++
		if n := len(h.requests(h.large())); n > 0 {
			t.Errorf("got %d requests while the file is locked, want 0", n)
		}
		if err := other.Unlock(); err != nil {
			t.Error(err)
		}
	}
	checkIntact(t, pull(t, p, mini, ""))
	if waits != 1 {
		t.Errorf("got %d waits, want 1", waits)
	}
}

// TestLockHelper runs in the process that TestLockIsReleasedByExit starts.
func TestLockHelper(t *testing.T) {
	dir := os.Getenv("HOLD_LOCK_IN")
	if dir == "" {
		t.Skip("runs only in another process")
	}
	r := &remote{Puller: &Puller{Store: Store{Dir: dir}, Clock: &fakeClock{}}}
	if _, err := r.lock(t.Context(), "org/repo", "hash"); err != nil {
		t.Fatal(err)
	}
	os.Exit(0) // without releasing the lock
}

func TestLockIsReleasedByExit(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("system has no processes")
	}
	dir := t.TempDir()
	r := &remote{Puller: &Puller{Store: Store{Dir: dir}, Clock: &fakeClock{}}}
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockHelper$")
	cmd.Env = append(os.Environ(), "HOLD_LOCK_IN="+dir)
	if reply, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, reply)
	}
	r.Watch.Wait = func(string) { t.Error("the lock is still held") }
	release, err := r.lock(t.Context(), "org/repo", "hash")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
