package hub

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filesUnder returns the names of all files below a directory.
func filesUnder(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPullDownloadsModel(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	var planned int64
	var seen atomicSum
	p.Watch = Watch{Plan: func(bytes int64) { planned = bytes }, Bytes: seen.add}
	m := pull(t, p, mini, "")
	want := []string{
		"1_Pooling/config.json", "config.json", "model.safetensors", "modules.json",
		"tokenizer.json", "tokenizer_config.json",
	}
	for name, f := range h.mini().files {
		got, err := os.ReadFile(filepath.Join(m.Dir, name))
		if wanted := slices.Contains(want, name); wanted && !bytes.Equal(got, f.content) || !wanted && err == nil {
			t.Errorf("%s: got different contents or error %v", name, err)
		}
	}
	if planned != m.Size() || seen.n.Load() != planned {
		t.Errorf("got %d bytes planned, %d reported, want %d", planned, seen.n.Load(), m.Size())
	}
	list, err := p.Store.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("got models %v, error %v, want one model", list, err)
	}
	if l := list[0]; l.Name.Short != mini || l.Revision != "main" || l.Commit != firstCommit || l.Dir != m.Dir || l.Size() != m.Size() {
		t.Errorf("got model %+v, want %s at %s in %s", l, mini, firstCommit, m.Dir)
	}
	repo := "models--sentence-transformers--all-MiniLM-L6-v2/"
	layout := []string{repo + "refs/main"}
	for _, name := range want {
		layout = append(layout, repo+"snapshots/"+firstCommit+"/"+name)
	}
	for name, f := range h.mini().files {
		if slices.Contains(want, name) {
			layout = append(layout, repo+"blobs/"+f.hash())
		}
	}
	slices.Sort(layout)
	if diff := cmp.Diff(layout, filesUnder(t, p.Store.Dir)); diff != "" {
		t.Errorf("files in the store (-want +got)\n%s", diff)
	}
	if target, err := os.Readlink(filepath.Join(m.Dir, "1_Pooling/config.json")); err != nil || target != "../../../blobs/"+h.mini().files["1_Pooling/config.json"].blob() {
		t.Errorf("got link to %s, error %v; want a relative one", target, err)
	}

	before := len(h.requests("/resolve/"))
	if again := pull(t, p, mini, ""); again.Dir != m.Dir {
		t.Errorf("second pull: got directory %s, want %s", again.Dir, m.Dir)
	}
	if now := len(h.requests("/resolve/")); before != 6 || now != before {
		t.Errorf("got %d file requests, then %d; want 6, then %d", before, now, before)
	}
	before = len(h.requests("/"))
	pull(t, p, mini, firstCommit)
	if now := len(h.requests("/")); now != before {
		t.Errorf("got %d requests for a commit that is present, want 0", now-before)
	}
}

func TestTokenIsSentOnlyToHub(t *testing.T) {
	h := newMini(t)
	h.token = testToken
	p := newPuller(t, h)
	p.Token = testToken
	pull(t, p, mini, "")
	stored := 0
	for _, a := range h.requests("/") {
		if want := map[bool]string{false: "Bearer " + testToken}[a.store]; a.authorization != want {
			t.Errorf("%s: got authorization %q, want %q", a.path, a.authorization, want)
		}
		if a.store {
			stored++
		}
	}
	if stored != 1 {
		t.Errorf("got %d requests to the second host, want 1", stored)
	}
	for _, f := range filesUnder(t, p.Store.Dir) {
		if content, _ := os.ReadFile(filepath.Join(p.Store.Dir, f)); strings.Contains(string(content), testToken) {
			t.Errorf("got the token in %s, want none", f)
		}
	}
}

func TestPullDownloadsTokenizerFromOtherRepository(t *testing.T) {
	h := newFakeHub(t)
	h.repos["vectara/hallucination_evaluation_model"] = &fakeRepo{firstCommit, map[string]fakeFile{
		"config.json":       {content: []byte(`{"foundation":"google/flan-t5-base"}`)},
		"tokenizer.json":    {content: []byte(`{"model":"unused"}`)},
		"model.safetensors": {content: weights(5000), large: true},
	}}
	h.repos["google/flan-t5-base"] = &fakeRepo{secondCommit, map[string]fakeFile{
		"config.json":             {content: []byte(`{"model":"unused"}`)},
		"tokenizer.json":          {content: []byte(`{"model":"T5"}`)},
		"tokenizer_config.json":   {content: []byte(`{}`)},
		"special_tokens_map.json": {content: []byte(`{}`)},
	}}
	p := newPuller(t, h)
	// The name of the repository refers to the same model.
	m := pull(t, p, "vectara/hallucination_evaluation_model", "")
	for name, want := range map[string]string{"tokenizer.json": `{"model":"T5"}`, "config.json": `{"foundation":"google/flan-t5-base"}`} {
		if got, err := os.ReadFile(filepath.Join(m.Dir, name)); string(got) != want {
			t.Errorf("%s: got %s, %v; want %q", name, got, err, want)
		}
	}
	m = lookup(t, p, "hhem-2.1-open")
	if m.Commit != firstCommit || len(m.Files) != 5 {
		t.Errorf("got commit %s, files %v, want %s and 5", m.Commit, m.Files, firstCommit)
	}
	checkIntact(t, m)
	// The snapshots have only files of their own repositories.
	for repo, want := range map[string][]string{
		"vectara/hallucination_evaluation_model": {"config.json", "model.safetensors"},
		"google/flan-t5-base":                    {"special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"},
	} {
		dir := filepath.Join(p.Store.repoDir(repo), snapshotsDir, h.repos[repo].commit)
		if diff := cmp.Diff(want, filesUnder(t, dir)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", repo, diff)
		}
		if ref := p.Store.ref(repo, "main"); ref != h.repos[repo].commit {
			t.Errorf("%s: got reference %q, want %q", repo, ref, h.repos[repo].commit)
		}
	}
	// A new tokenizer replaces the old one.
	h.repos["google/flan-t5-base"].commit = strings.Repeat("3", sha1Digits)
	h.repos["google/flan-t5-base"].files["tokenizer.json"] = fakeFile{content: []byte(`{"model":"new"}`)}
	m = pull(t, p, "hhem-2.1-open", "")
	if got, err := os.ReadFile(filepath.Join(m.Dir, "tokenizer.json")); string(got) != `{"model":"new"}` {
		t.Errorf("got tokenizer %s, error %v, want the new one", got, err)
	}
}

// Two models of a repository get directories of their own, with the configuration and
// the tokenizer of their base models.
func TestPullModelsOfOneRepository(t *testing.T) {
	h := newFakeHub(t)
	h.repos["yzha/AlignScore"] = &fakeRepo{firstCommit, map[string]fakeFile{
		"README.md": {content: []byte("#")}, "AlignScore-base.ckpt": {content: weights(4000), large: true}, "AlignScore-large.ckpt": {content: weights(5000), large: true},
	}}
	for _, base := range []string{"base", "large"} {
		h.repos["FacebookAI/roberta-"+base] = &fakeRepo{secondCommit, map[string]fakeFile{
			"config.json": {content: []byte(`{"size":"` + base + `"}`)}, "tokenizer.json": {content: []byte("{}")}, "model.safetensors": {content: weights(9000), large: true},
		}}
	}
	p := newPuller(t, h)
	for range 2 {
		for _, base := range []string{"base", "large"} {
			m := pull(t, p, "alignscore-"+base, "")
			checkIntact(t, m)
			want := []string{"AlignScore-" + base + ".ckpt", "config.json", "tokenizer.json"}
			if diff := cmp.Diff(want, filesUnder(t, m.Dir)); diff != "" {
				t.Errorf("%s: files (-want +got)\n%s", base, diff)
			}
			if config, err := os.ReadFile(filepath.Join(m.Dir, "config.json")); err != nil || !strings.Contains(string(config), base) {
				t.Errorf("%s: got config %s, error %v, want that of roberta-%s", base, config, err, base)
			}
			if dir, err := p.Store.Find("alignscore-" + base); err != nil || dir != m.Dir {
				t.Errorf("got directory %s, error %v, want %s", dir, err, m.Dir)
			}
			if got, ok := Identify(m.Dir); !ok || got != m.Name || got.Short != "alignscore-"+base {
				t.Errorf("%s: got %+v, want %+v", m.Dir, got, m.Name)
			}
		}
	}
	if list, err := p.Store.List(); err != nil || len(list) != 2 || list[0].Name == list[1].Name {
		t.Errorf("got list %+v, error %v, want two models", list, err)
	}
}

func TestPullDownloadsTorchWeights(t *testing.T) {
	h := newFakeHub(t)
	large, object := fakeFile{content: weights(5000), large: true}, fakeFile{content: []byte("{}")}
	h.repos["org/it"] = &fakeRepo{firstCommit, map[string]fakeFile{
		"config.json": object, "tokenizer.json": object, "pytorch_model.bin": large,
		"pytorch_model.bin.index.json": object, "training_args.bin": large, "model.ckpt": large, // not wanted
	}}
	m := pull(t, newPuller(t, h), "org/it", "")
	if diff := cmp.Diff([]string{"config.json", "pytorch_model.bin", "tokenizer.json"}, filesUnder(t, m.Dir)); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	checkIntact(t, m)
}

func TestPullRejectsIncompleteModel(t *testing.T) {
	for missing, want := range map[string]string{
		"model.safetensors": "missing file model.safetensors or pytorch_model.bin",
		"tokenizer.json":    `missing file tokenizer.json; create it with Python, in a directory DIR with the other files: AutoTokenizer.from_pretrained("sentence-transformers/all-MiniLM-L6-v2").save_pretrained(DIR)`,
		"config.json":       "missing file config.json",
	} {
		h := newMini(t)
		delete(h.mini().files, missing)
		delete(h.mini().files, "pytorch_model.bin")
		if err := failToPull(t, newPuller(t, h), mini); err.Error() != "sentence-transformers/all-MiniLM-L6-v2: "+want {
			t.Error(err)
		}
		if n := len(h.requests("/resolve/")); n > 0 {
			t.Errorf("got %d file requests, want 0", n)
		}
	}
}

func TestFindPrefersBranchMain(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	find := func() string {
		t.Helper()
		dir, err := p.Store.Find(mini)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if pr := pull(t, p, mini, "refs/pr/1"); find() != pr.Dir || pr.Revision != "" {
		t.Errorf("Find: got %s, want %s, the only revision", find(), pr.Dir)
	}
	h.mini().commit = secondCommit
	main := pull(t, p, mini, "")
	h.mini().commit = firstCommit
	pull(t, p, mini, "refs/pr/1")
	if find() != main.Dir || main.Revision != "main" {
		t.Errorf("Find: got %s, want %s, the branch main", find(), main.Dir)
	}
	if list, err := p.Store.List(); err != nil || len(list) != 1 || list[0].Revision != "main" {
		t.Errorf("got models %v, error %v; want main", list, err)
	}
}

func TestPullRepairsDamagedFiles(t *testing.T) {
	h := newMini(t)
	p := newPuller(t, h)
	m := pull(t, p, mini, "")
	for i, damage := range []func(path string) error{
		os.Remove, // only the link
		func(path string) error { return os.WriteFile(path, weights(3<<20 - 1)[:3<<20-1], 0o600) },
		func(path string) error { return os.WriteFile(path, make([]byte, 3<<20), 0o600) },
	} {
		if err := damage(filepath.Join(m.Dir, "model.safetensors")); err != nil {
			t.Fatal(err)
		}
		mismatches, err := m.Verify(t.Context())
		if err != nil || len(mismatches) != 1 || mismatches[0].File != "model.safetensors" {
			t.Errorf("got mismatches %v, error %v; want model.safetensors, nil", mismatches, err)
		}
		before := len(h.requests("/resolve/"))
		repaired := pull(t, p, mini, firstCommit)
		checkIntact(t, repaired)
		if n := len(h.requests("/resolve/")) - before; n != min(i, 1) {
			t.Errorf("%d: got %d files downloaded, want %d", i, n, min(i, 1))
		}
	}
}
