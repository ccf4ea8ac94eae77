package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

var exampleData = Data{
	Question:  "Where was \"Einstein\" born?",
	Answer:    "Einstein was born in Ulm.\nHe died in 1955.",
	Before:    "Here is what I know.",
	Sentences: []Item{{ID: 0, Text: "Einstein was born in Ulm."}, {ID: 1, Text: "He died in 1955.", Heading: "Death"}},
	Contexts:  []Item{{ID: 0, Text: "Albert Einstein was born\nin Ulm."}, {ID: 1, Text: "<b>He</b> died in 1955. <|im_end|> [INST] [1] 2 < 3"}},
	Joined:    "Albert Einstein was born\nin Ulm.\nHe died in 1955.",
	Claims:    []Item{{ID: 0, Text: "Einstein was born in Ulm."}, {ID: 1, Text: "He died in 1955."}},
}

func names() []Name {
	return []Name{Claims, Judge, JudgeWord, RagasClaims, RagasJudge, RagEvals, MiniCheck, Lynx, Guardian, DeepEvalTruths, DeepEvalJudge}
}

func mustLoad(t testing.TB, dir string) *Set {
	t.Helper()
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRender(t *testing.T, s *Set, n Name, d Data) Text {
	t.Helper()
	text, err := s.Render(n, d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goldenDiff returns the difference between a golden file, which -update writes, and got.
func goldenDiff(t *testing.T, file, got string) string {
	t.Helper()
	if *update {
		writeFile(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Diff(string(want), got)
}

// The golden files contain the messages exactly as sent.
func TestRenderMatchesGoldenFiles(t *testing.T) {
	s := mustLoad(t, "")
	for _, n := range names() {
		for _, variant := range []struct {
			name          string
			strict, retry bool
		}{{"", false, false}, {"-strict", true, false}, {"-retry", false, true}} {
			d := exampleData
			d.Strict, d.Again = variant.strict, variant.retry
			text := mustRender(t, s, n, d)
			got := "# " + text.Version + "\n# system\n" + text.System + "\n# user\n" + text.User + "\n"
			file := filepath.Join("testdata", string(n)+variant.name+".golden")
			if d := goldenDiff(t, file, got); d != "" {
				t.Errorf("%s (-want +got; run with -update to accept):\n%s", file, d)
			}
		}
	}
}

// The version must change with the text, since it is part of cache keys.
func TestVersionChangesWithText(t *testing.T) {
	sums := map[string]string{}
	for _, b := range builtins() {
		sum := sha256.Sum256(b.text)
		sums[versionOf(b, b.text)] = hex.EncodeToString(sum[:8])
	}
	raw, _ := json.MarshalIndent(sums, "", "  ")
	file := filepath.Join("testdata", "versions.json")
	if d := goldenDiff(t, file, string(raw)+"\n"); d != "" {
		t.Errorf("a built-in prompt changed: increment its version in load.go and run with -update (-want +got)\n%s", d)
	}
}

// Text shared by all rows comes first, and contexts precede claims, so that servers can
// cache prompt prefixes.
func TestRenderStartsWithSharedPrefix(t *testing.T) {
	s := mustLoad(t, "")
	for _, n := range names() {
		a, _ := s.Render(n, exampleData)
		changed := exampleData
		changed.Question, changed.Answer, changed.Claims, changed.Sentences, changed.Before = "Q?", "A.", []Item{{Text: "C."}}, []Item{{Text: "S."}}, ""
		b, _ := s.Render(n, changed)
		if a.System != b.System {
			t.Errorf("%s: system message differs between rows", n)
		}
		if len(a.System) < 1000 && n != JudgeWord && n != MiniCheck && n != Lynx && n != Guardian { // small models repeat examples
			t.Errorf("%s: got a system message of %d bytes, want at least 1000 with examples", n, len(a.System))
		}
		if n == Judge || n == JudgeWord || n == RagEvals {
			contexts := string(encodeItems(exampleData.Contexts))
			if i := strings.Index(a.User, contexts); i < 0 || i > 20 || !strings.HasPrefix(b.User, a.User[:i+len(contexts)]) {
				t.Errorf("%s: contexts are not a shared prefix:\n%s", n, a.User)
			}
		}
	}
}

func TestLoadReplacesTemplates(t *testing.T) {
	dir := t.TempDir()
	if _, err := Export(dir); err != nil {
		t.Fatal(err)
	}
	builtin := mustLoad(t, "")
	same := mustLoad(t, dir)
	for _, n := range names() {
		if same.Version(n) != builtin.Version(n) {
			t.Errorf("%s: got version %s after export, want %s", n, same.Version(n), builtin.Version(n))
		}
	}
	replaced := `{{define "system"}}Be strict: {{.Strict}}.{{end}}{{define "user"}}{{.Contexts}} {{.Claims}}{{end}}`
	writeFile(t, filepath.Join(dir, "judge.tmpl"), replaced)
	s := mustLoad(t, dir)
	text := mustRender(t, s, Judge, Data{Strict: true, Contexts: []Item{{ID: 0, Text: "x"}}, Claims: []Item{{ID: 0, Text: "y"}}})
	if text.System != "Be strict: true." || text.User != `[{"id":0,"text":"x"}] [{"id":0,"text":"y"}]` {
		t.Errorf("got %+v, want the replaced template", text)
	}
	if v := s.Version(Judge); v == builtin.Version(Judge) || !strings.HasPrefix(v, "judge/") || len(v) != len("judge/")+12 || v != text.Version {
		t.Errorf("got version %q, want judge/ and a hash of 12 digits that differs from %q", v, builtin.Version(Judge))
	}
	if s.Version(Claims) != "claims/1" || s.Version("x") != "" {
		t.Errorf("got versions %q and %q, want %q and %q", s.Version(Claims), s.Version("x"), "claims/1", "")
	}
	if _, err := s.Render("x", Data{}); err == nil {
		t.Error("got no error for an unknown prompt")
	}
}

func TestLoadRejectsInvalidTemplates(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, want string }{
		"unused field": {"judge.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Contexts}}{{end}}`, `judge.tmpl: "user" does not use the field {{.Claims}}`},
		"field used in one variant only": {
			"judge.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Contexts}}{{if .Strict}}{{.Claims}}{{end}}{{end}}`,
			`judge.tmpl: "user" does not use the field {{.Claims}} (strict false`,
		},
		"unknown field":             {"claims.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Sentences}}{{.Anwser}}{{end}}`, "Anwser"},
		"missing user":              {"claims.tmpl", `{{define "system"}}s{{end}}`, `claims.tmpl: missing template "user"`},
		"missing system":            {"claims.tmpl", `{{define "user"}}s{{end}}`, `claims.tmpl: missing template "system"`},
		"empty system":              {"claims.tmpl", `{{define "system"}} {{end}}{{define "user"}}{{.Sentences}}{{end}}`, `claims.tmpl: "system" is empty`},
		"dataset text in system":    {"claims.tmpl", `{{define "system"}}{{.Question}}{{end}}{{define "user"}}{{.Sentences}}{{end}}`, `claims.tmpl: "system" must not use dataset text`},
		"no template":               {"claims.tmpl", `{{define "system"`, "claims.tmpl"},
		"runtime error in user":     {"claims.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Sentences}}{{index .Claims 1 2 3}}{{end}}`, "claims.tmpl"},
		"runtime error in system":   {"claims.tmpl", `{{define "system"}}{{.X}}{{end}}{{define "user"}}{{.Sentences}}{{end}}`, "claims.tmpl"},
		"unknown prompt":            {"jugde.tmpl", "", "jugde.tmpl: unknown prompt; want one of claims.tmpl"},
		"loop":                      {"claims.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Sentences}}{{range 1000000000}}{{range 1000000000}}{{end}}{{end}}{{end}}`, "{{range}} is not supported in prompts"},
		"recursion":                 {"claims.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Sentences}}{{template "user" .}}{{end}}`, "{{template}} is not supported in prompts"},
		"exponential text":          {"claims.tmpl", `{{define "system"}}s{{end}}{{define "user"}}{{.Sentences}}{{$a := "aaaaaaaa"}}` + strings.Repeat(`{{$a = printf "%s%s" $a $a}}`, 60) + `{{end}}`, "function printf is not supported in prompts"},
		"large file":                {"claims.tmpl", strings.Repeat("x", MaxBytes+1), "longer than 1048576 bytes"},
		"directory without prompts": {"readme.txt", "", "no prompts found"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, tt.file), tt.text)
			_, err := Load(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want an error that contains %q and the path", err, tt.want)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("got no error for a missing directory")
	}
}

func TestExportKeepsChangedFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "prompts")
	paths, err := Export(dir)
	if err != nil || len(paths) != len(names()) {
		t.Fatal(paths, err)
	}
	if _, err := Export(dir); err != nil {
		t.Errorf("unchanged files: got error %v, want nil", err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	writeFile(t, paths[1], "mine")
	if _, err := Export(dir); err == nil || !strings.Contains(err.Error(), paths[1]) {
		t.Errorf("got error %v, want one that contains %s", err, paths[1])
	}
	if b, _ := os.ReadFile(paths[1]); string(b) != "mine" {
		t.Errorf("changed file: got %q, want %q", b, "mine")
	}
	if _, err := os.Stat(paths[0]); err == nil {
		t.Errorf("failed export wrote %s", paths[0])
	}
	if _, err := Export(filepath.Join(paths[1], "x")); err == nil {
		t.Error("got no error for a file instead of a directory")
	}
}

// A template that repeats a text does not exhaust the memory.
func TestOutputIsLimited(t *testing.T) {
	dir := t.TempDir()
	text := `{{define "system"}}s{{end}}{{define "user"}}{{.Claims}}` + strings.Repeat("{{.Contexts}}", 1000) + `{{end}}`
	writeFile(t, filepath.Join(dir, "judge.tmpl"), text)
	_, err := mustLoad(t, dir).Render(Judge, Data{Contexts: []Item{{Text: strings.Repeat("x", 1<<20)}}})
	if err == nil || !strings.Contains(err.Error(), "output exceeds") {
		t.Errorf("got %v, want an error about the output", err)
	}
}
