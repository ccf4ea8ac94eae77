package hub

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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

func TestCachedModelIsUsedInPlace(t *testing.T) {
	h := newMini(t)
	h.mini().files["config_sentence_transformers.json"] = fakeFile{content: []byte("{}")} // an optional file
	p := newPuller(t, h)
	p.Store.Cache = t.TempDir()
	dir := cacheMini(t, h, p.Store.Cache, miniFiles()...)
	if found, err := p.Store.Find(mini); err != nil || found != dir {
		t.Errorf("Find: got %s, error %v, want a model", found, err)
	}
	unknown, err := p.Store.Lookup(mini)
	if err != nil {
		t.Fatal(err)
	}
	checkIntact(t, unknown)
	m := pull(t, p, mini, "")
	if m.Dir != dir || !m.Shared || len(h.requests("/resolve/")) > 0 {
		t.Errorf("got model in %s, requests %+v, want %s and none", m.Dir, h.requests("/resolve/"), dir)
	}
	list, err := p.Store.List()
	if err != nil || len(list) != 1 || list[0].Dir != dir || !list[0].Shared || list[0].Size() != m.Size() {
		t.Errorf("got models %+v, error %v; want one shared model in %s", list, err, dir)
	}
	pull(t, p, mini, "")

	// A model that is damaged in the cache is downloaded to the store.
	blob := filepath.Join(filepath.Dir(filepath.Dir(dir)), "blobs", h.mini().files[weightsFile].sha256())
	if err := os.WriteFile(blob, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []*Model{m, unknown} {
		if mismatches, err := damaged.Verify(t.Context(), nil); err != nil || len(mismatches) != 1 || mismatches[0].File != weightsFile {
			t.Errorf("got mismatches %v, error %v; want %s, nil", mismatches, err, weightsFile)
		}
	}
	m = pull(t, p, mini, "")
	if m.Shared || len(h.requests(h.large())) != 1 {
		t.Errorf("got model %+v, want an unshared one with one download", m)
	}
	if content, err := os.ReadFile(blob); err != nil || content[0] != 0 {
		t.Error("the cache was modified")
	}
	if found, err := p.Store.Find(mini); err != nil || found != m.Dir {
		t.Errorf("Find: got %s, error %v, want a model", found, err)
	}
}

func TestPrunedCacheIsNotUsed(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	p.Store.Cache = t.TempDir()
	dir := cacheMini(t, h, p.Store.Cache, miniFiles()...)
	m := pull(t, p, mini, "")
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(dir))); err != nil {
		t.Fatal(err)
	}
	if dir, err := p.Store.Find(mini); err == nil {
		t.Errorf("Find: got %s, want an error", dir)
	}
	if mismatches, err := m.Verify(t.Context(), nil); err != nil || len(mismatches) != 6 || mismatches[0].Reason != "missing" {
		t.Errorf("got mismatches %v, error %v; want 6 missing files", mismatches, err)
	}
	if m = pull(t, p, mini, ""); m.Shared {
		t.Error("got a model in the cache")
	}
}

func TestCachedFilesAreNotDownloaded(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	p.Store.Cache = t.TempDir()
	cacheMini(t, h, p.Store.Cache, "model.safetensors", "config.json")
	if dir, err := p.Store.Find(mini); err == nil {
		t.Errorf("Find: got %s, want an error", dir)
	}
	m := pull(t, p, mini, "")
	if m.Shared || len(h.requests(weightsFile))+len(h.requests(h.large()))+len(h.requests(firstCommit+"/config.json")) > 0 {
		t.Errorf("got model %+v, requests %+v; want an unshared one without downloads", m, h.requests("/resolve/"))
	}
	checkIntact(t, m)
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
	p.Store.Cache = t.TempDir()
	cacheRepo(t, p.Store.Cache, "org/big", repo, "config.json", "tokenizer.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors")
	if dir, err := p.Store.Find("org/big"); err == nil {
		t.Errorf("Find: got %s, want an error", dir)
	}
	dir := cacheRepo(t, p.Store.Cache, "org/big", repo, "model-00002-of-00002.safetensors")
	if found, err := p.Store.Find("org/big"); err != nil || found != dir {
		t.Errorf("Find: got %s, error %v, want a model", found, err)
	}
	if m := pull(t, p, "org/big", ""); m.Dir != dir || len(m.Files) != 5 || len(h.requests("/resolve/")) > 0 {
		t.Errorf("got model %+v, want all 5 files in %s", m, dir)
	}
}

func TestCachedFilesAreCopiedBetweenFileSystems(t *testing.T) {
	h := newMini(t)
	cache, err := os.MkdirTemp("/dev/shm", "hub")
	if err != nil {
		t.Skipf("no second file system: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(cache) })
	p := newPuller(t, h)
	p.Store.Cache = cache
	cacheMini(t, h, cache, "model.safetensors")
	m := pull(t, p, mini, "")
	if mismatches, err := m.Verify(t.Context(), nil); err != nil || mismatches != nil || len(h.requests(h.large())) > 0 {
		t.Errorf("got mismatches %v, error %v; want none", mismatches, err)
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
	const known = "hhem-2.1-open, factcg-deberta-v3-large, minicheck-flan-t5-large, minicheck-roberta-large, minicheck-deberta-v3-large, " +
		"lettucedetect-base, lettucedetect-large, tinylettuce-17m, tinylettuce-32m, tinylettuce-68m, lettucedetect-v2-mmbert-base, " +
		"alignscore-base, alignscore-large, nli-deberta-v3-xsmall, nli-deberta-v3-small, nli-deberta-v3-base, nli-deberta-v3-large, " +
		"deberta-v3-base-mnli-fever-anli, deberta-v3-large-mnli-fever-anli-ling-wanli, minilm-l6"
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
		{"minilm", "", `unknown model "minilm": want ORG/REPO or one of ` + known},
		{"", "", `unknown model "": want ORG/REPO or one of ` + known},
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

func TestFindRejectsInvalidManifest(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	m := pull(t, p, mini, "")
	path := filepath.Join(m.Dir, manifestFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		"", "{}", strings.Replace(string(good), `"format": 1`, `"format": 2`, 1),
		strings.Replace(string(good), `"config.json"`, `"../config.json"`, 1),
		strings.Replace(string(good), `"commit": "1`, `"commit": "3`, 1),
		strings.Replace(string(good), `"sha256": "`, `"sha256": "x`, 1),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		list, listErr := p.Store.List()
		_, findErr := p.Store.Find(mini)
		if len(list) > 0 || listErr == nil || findErr == nil || !strings.Contains(listErr.Error(), path) || !strings.Contains(findErr.Error(), path) {
			t.Errorf("%.40q: got models %v, errors %v and %v; want errors that contain %s", content, list, listErr, findErr, path)
		}
	}
	before := len(h.requests("/resolve/"))
	pull(t, p, mini, "")
	if n := len(h.requests("/resolve/")) - before; n != 0 {
		t.Errorf("invalid manifest: got %d files downloaded, want 0", n)
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

// TestLockHelper runs in the process that TestLockIsReleasedByExit starts.
func TestLockHelper(t *testing.T) {
	dir := os.Getenv("HOLD_LOCK_IN")
	if dir == "" {
		t.Skip("runs only in another process")
	}
	r := &remote{Puller: &Puller{Store: Store{Dir: dir}, Clock: &fakeClock{}}}
	if _, err := r.lock(t.Context(), "org/repo"); err != nil {
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
	release, err := r.lock(t.Context(), "org/repo")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
