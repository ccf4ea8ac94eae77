package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	for dir, want := range map[string]string{
		"/models/minicheck-roberta-large":                                                                   "minicheck-roberta-large",
		"/models/MiniCheck-RoBERTa-Large/":                                                                  "minicheck-roberta-large",
		"/models/lytang--MiniCheck-RoBERTa-Large/0123456789abcdef0123456789abcdef01234567":                  "minicheck-roberta-large",
		"/hub/models--yaxili96--FactCG-DeBERTa-v3-Large/snapshots/0123456789abcdef0123456789abcdef01234567": "factcg-deberta-v3-large",
		"/models/minicheck":              "",
		"/minicheck-roberta-large/a/b/c": "",
		"/":                              "",
	} {
		if got, ok := Identify(dir); got.Short != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t, want %q", dir, got.Short, ok, want)
		}
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
		{"org/other", "", "model org/other not found; run: ragfaith models pull org/other; a model on a server needs --judge llm --model NAME"},
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

func TestNamesAreSortedByPublishedAccuracy(t *testing.T) {
	before := "LLM-AggreFact 100"
	for _, n := range Names() {
		benchmark, figure, _ := strings.Cut(n.Card.Accuracy, " ") // such as 75.6
		last, lastFigure, _ := strings.Cut(before, " ")
		if n.Embeds && n.Card.Accuracy != "" || benchmark != "" && (last == "" || benchmark < last || benchmark == last && len(lastFigure) == len(figure) && figure > lastFigure) {
			t.Errorf("%s: got %q after %q, want the best first", n.Short, n.Card.Accuracy, before)
		}
		before = n.Card.Accuracy
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
	if _, err := Resolve("yzha/AlignScore"); err == nil || err.Error() != `unknown model "yzha/AlignScore": want ORG/REPO or a name in "ragfaith models list"` {
		t.Errorf("repository of several models: got error %v, want one about its name", err)
	}
	for _, bad := range []string{"a", "a/b/c", "a/", "/b", "../b", "a/..", "a/-b", "a/b.", "a--b/c", "a b/c", "a/b\n", "a/.", "a/b:c", "a/b\nc", "a/b\u202ec", strings.Repeat("a", 97) + "/b"} {
		if n, err := Resolve(bad); err == nil {
			t.Errorf("Resolve(%q): got %+v, want an error", bad, n)
		}
	}
}
