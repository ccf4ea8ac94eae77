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
	found := lookup(t, p, mini)
	if found.Dir != dir {
		t.Fatalf("Lookup: got %+v, want a model in %s", found, dir)
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
	blob, blobErr := os.Stat(p.Store.blob(remoteFile{Repo: h.mini().name(), Hash: h.mini().files[weightsFile].sha256()}))
	if err := errors.Join(err, blobErr); err != nil || !os.SameFile(info, blob) {
		t.Errorf("got file %v, blob %v, error %v; want the same file", info, blob, err)
	}
	if err := os.RemoveAll(filepath.Join(p.Store.repoDir(h.mini().name()), blobsDir)); err != nil {
		t.Fatal(err)
	}
	if mismatches, err := lookup(t, p, mini).Verify(t.Context()); err != nil || len(mismatches) != len(m.Files) || mismatches[0].Reason != NoChecksum {
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
	const want = "minilm-l6: nothing is downloaded, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set"
	if err := failToPull(t, p, mini); err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	dir := cacheMini(t, h, p.Store.Dir, miniFiles()...)
	if m := pull(t, p, mini, firstCommit); m.Dir != dir {
		t.Errorf("got model in %s, want %s", m.Dir, dir)
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

func TestListHasCompleteJudges(t *testing.T) {
	h := newMini(t)
	judge := filesOf("BertForSequenceClassification")
	all := []string{"config.json", "tokenizer.json", weightsFile}
	for name, tt := range map[string]struct {
		content map[string]fakeFile
		present []string
		want    int
	}{
		"classifier":            {judge, all, 1},
		"token classifier":      {filesOf("ModernBertForTokenClassification"), all, 1},
		"other architecture":    {filesOf("LlamaForCausalLM"), all, 0},
		"without weights":       {judge, all[:2], 0},
		"damaged configuration": {map[string]fakeFile{"config.json": {content: []byte("{")}, "tokenizer.json": judge["tokenizer.json"], weightsFile: judge[weightsFile]}, all, 1},
	} {
		p := newPuller(t, h)
		cacheRepo(t, p.Store.Dir, "org/it", &fakeRepo{firstCommit, tt.content}, tt.present...)
		if list, err := p.Store.List(); err != nil || len(list) != tt.want {
			t.Errorf("%s: got models %v, error %v, want %d", name, list, err, tt.want)
		}
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
	p.Clock.(*fakeClock).onPoll = func() {
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
