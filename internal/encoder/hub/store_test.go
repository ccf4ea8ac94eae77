package hub

import (
	"errors"
	"os"
	"path/filepath"
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
		blob, link := filepath.Join(repo, "blobs", f.hash()), filepath.Join(dir, name)
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
	if mismatches, err := m.Verify(t.Context(), nil); err != nil || len(mismatches) != len(m.Files) || mismatches[0].Reason != NoChecksum {
		t.Errorf("without blobs: got mismatches %v, error %v; want all files, because of %q", mismatches, err, NoChecksum)
	}
	checkIntact(t, pull(t, p, mini, ""))
}

func TestReadOnlyStoreIsUsed(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	m := pull(t, p, mini, "")
	locks := filepath.Join(p.Store.Dir, locksDir)
	if err := errors.Join(os.RemoveAll(locks), os.WriteFile(locks, nil, 0o600)); err != nil { // locking fails
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
	const hint = "; nothing is downloaded, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set"
	if want := h.mini().name() + ": revision main not found" + hint; err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	cacheMini(t, h, p.Store.Dir, miniFiles()[1:]...)
	if err := failToPull(t, p, mini); !strings.Contains(err.Error(), "incomplete: missing config.json") || !strings.HasSuffix(err.Error(), hint) {
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
	if m, err := p.Pull(t.Context(), n, ""); err == nil || !strings.Contains(err.Error(), ": tokenizer.json: git SHA-1 is ") {
		t.Errorf("got model %v, error %v, want one about tokenizer.json", m, err)
	}
	if n := len(h.requests("/")); n > 0 {
		t.Errorf("got %d requests, want 0", n)
	}
}

// filesOf returns the files of a model with an architecture.
func filesOf(architecture string) map[string]fakeFile {
	return map[string]fakeFile{
		"config.json": {content: []byte(`{"architectures":["` + architecture + `"]}`)}, "tokenizer.json": {content: []byte("{}")},
		weightsFile: {content: weights(100), large: true},
	}
}

func TestIncompleteModelsAreReported(t *testing.T) {
	h := newMini(t)
	judge, chat := filesOf("BertForSequenceClassification"), filesOf("LlamaForCausalLM")
	all := []string{"config.json", "tokenizer.json", weightsFile}
	for _, tt := range []struct {
		name           string
		content        map[string]fakeFile
		present        []string
		lost           string // file whose blob is removed
		listed, broken bool
	}{
		{"complete", judge, all, "", true, false},
		{"complete token classifier", filesOf("ModernBertForTokenClassification"), all, "", true, false},
		{"complete model of another architecture", chat, all, "", false, false},
		{"without weights", judge, all[:2], "", false, true},
		{"lost weights", judge, all, weightsFile, false, true},
		{"lost tokenizer", judge, all, "tokenizer.json", false, true},
		{"lost configuration", judge, all, "config.json", false, true},
		{"classifier that never had a tokenizer.json", judge, []string{"config.json", weightsFile}, "", false, false},
		{"tokenizer alone", judge, []string{"tokenizer.json"}, "", false, false},
		{"lost weights of another architecture", chat, all, weightsFile, false, false},
		{"damaged configuration", map[string]fakeFile{"config.json": {content: []byte("{")}, "tokenizer.json": judge["tokenizer.json"], weightsFile: judge[weightsFile]}, all, "", true, false},
	} {
		p := newPuller(t, h)
		dir := cacheRepo(t, p.Store.Dir, "org/it", &fakeRepo{firstCommit, tt.content}, tt.present...)
		if tt.lost != "" {
			blob, err := filepath.EvalSymlinks(filepath.Join(dir, tt.lost))
			if err := errors.Join(err, os.Remove(blob)); err != nil {
				t.Fatal(err)
			}
		}
		list, err := p.Store.List()
		incomplete, incompleteErr := p.Store.Incomplete()
		if err := errors.Join(err, incompleteErr); err != nil || len(list) == 1 != tt.listed || len(incomplete) == 1 != tt.broken {
			t.Errorf("%s: got %d models, incomplete ones %v, error %v; want listed %t, incomplete %t", tt.name, len(list), incomplete, err, tt.listed, tt.broken)
		}
	}
	p := newPuller(t, h)
	cacheMini(t, h, p.Store.Dir, "config.json", weightsFile)
	if incomplete, err := p.Store.Incomplete(); err != nil || len(incomplete) != 1 || !strings.HasSuffix(incomplete[0].Error(), "; run: ragfaith models pull minilm-l6") {
		t.Errorf("got incomplete models %v, error %v; want minilm-l6", incomplete, err)
	}
	cacheRepo(t, p.Store.Dir, h.mini().name(), &fakeRepo{secondCommit, h.mini().files}, miniFiles()...)
	if incomplete, err := p.Store.Incomplete(); err != nil || incomplete != nil {
		t.Errorf("got incomplete models %v, error %v; want none, because another commit is complete", incomplete, err)
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
		cacheMini(t, h, p.Store.Dir, weightsFile)
		if err := other.Unlock(); err != nil {
			t.Error(err)
		}
	}
	checkIntact(t, pull(t, p, mini, ""))
	if n := len(h.requests(h.large())); waits != 1 || n > 0 {
		t.Errorf("got %d waits, %d requests for the file that the other program wrote; want 1, 0", waits, n)
	}
}
