package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAFileIsReadWithThePlaceOfEachSetting(t *testing.T) {
	got, err := Parse("f.yaml", []byte(`# settings
judge: "null"
no-claims: null
threshold: 0.50
empty:
quoted: ""
keep: [a, 'b c']
score:
  map:
    answer: reply
  output:
    - a.jsonl
    - b.csv
`))
	if err != nil {
		t.Fatal(err)
	}
	scalar := func(line int, text string) Value { return Value{Shape: Scalar, Line: line, Text: text} }
	want := &File{Path: "f.yaml", Entries: []Entry{
		{"judge", 2, scalar(2, "null")},
		{"no-claims", 3, scalar(3, "null")},
		{"threshold", 4, scalar(4, "0.50")},
		{"empty", 5, Value{Line: 5}},
		{"quoted", 6, scalar(6, "")},
		{"keep", 7, Value{Shape: List, Line: 7, Items: []Value{scalar(7, "a"), scalar(7, "b c")}}},
		{"score", 8, Value{Shape: Mapping, Line: 9, Entries: []Entry{
			{"map", 9, Value{Shape: Mapping, Line: 10, Entries: []Entry{{"answer", 10, scalar(10, "reply")}}}},
			{"output", 11, Value{Shape: List, Line: 12, Items: []Value{scalar(12, "a.jsonl"), scalar(13, "b.csv")}}},
		}}},
	}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(File{}, "Sum")); d != "" {
		t.Error(d)
	}
	if other, err := Parse("f.yaml", []byte("judge: lexical\n")); err != nil || len(got.Sum) != 64 || other.Sum == got.Sum {
		t.Errorf("got the sums %q and %q, %v, want two of 64 digits", got.Sum, other.Sum, err)
	}
	for _, nothing := range []string{"", "\n", "# a comment\n", "---\n"} {
		if f, err := Parse("f.yaml", []byte(nothing)); err != nil || len(f.Entries) > 0 {
			t.Errorf("%q: %v, %v", nothing, f, err)
		}
	}
}

func TestMistakesAreNamedWithFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [1":              "f.yaml:3: this is no YAML: while parsing a flow sequence: did not find expected ',' or ']' (it begins on line 2)",
		"a: 1\nb: \"x\n\n":         "f.yaml:4: this is no YAML: while scanning a quoted scalar: found unexpected end of stream (it begins on line 2)",
		"a: 1\n\tb: 2":             "f.yaml:2: this is no YAML: ",
		"a: \xff":                  "f.yaml: this is no YAML: invalid leading UTF-8 octet",
		"a: 1\nb: 2\na: 3":         "f.yaml:3: a is there twice, on line 1 as well",
		"s:\n  a: 1\n  a: 2":       "f.yaml:3: a is there twice",
		"a: &x 1":                  "f.yaml:1: anchors (&)",
		"a: 1\nb: *x":              "f.yaml:2: this is no YAML: unknown anchor",
		"a: &x [1]\nb: *x":         "f.yaml:1: anchors (&)",
		"a: !!str 1":               "f.yaml:1: tags (!)",
		"a: !x {b: c}":             "f.yaml:1: tags (!)",
		"- a\n- b":                 "f.yaml:1: want settings as NAME: VALUE",
		"just a text":              "f.yaml:1: want settings as NAME: VALUE",
		"a: 1\n---\nb: 2":          "f.yaml: there is more than one document",
		"? [a]\n: b":               "f.yaml:1: want a name",
		"a: {b: {c: {d: {e: 1}}}}": "f.yaml:1: too many values in one another",
		"a: [[[[[1]]]]]":           "f.yaml:1: too many values in one another",
	} {
		_, err := Parse("f.yaml", []byte(text))
		var mistake *Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A file that grows when it is read, or lies deep in itself, takes no time and no
// memory.
func TestNoFileTakesLong(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		before, after := string(rune('a'+i-1)), string(rune('a'+i))
		bomb.WriteString(after + ": &" + after + " [" + strings.TrimSuffix(strings.Repeat("*"+before+",", 9), ",") + "]\n")
	}
	for name, text := range map[string]string{
		"aliases": bomb.String(), "flow": strings.Repeat("[", MostBytes), "mappings": strings.Repeat("{a: ", MostBytes/4),
		"blocks": strings.Repeat("- ", MostBytes/2), "questions": strings.Repeat("? ", MostBytes/2), "too long": strings.Repeat("#", MostBytes+1),
	} {
		done := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			_, err := Parse("f.yaml", []byte(text))
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: it was read", name)
			}
		case <-ctx.Done():
			t.Fatalf("%s: it never ends", name)
		}
	}
}

func TestAFileThatCantBeReadIsNoMistakeInIt(t *testing.T) {
	var mistake *Error
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir()} {
		if _, err := Read(path); err == nil || errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAFileIsFoundInTheRepositoryAlone(t *testing.T) {
	root := t.TempDir()
	folder := func(names ...string) string {
		path := filepath.Join(append([]string{root}, names...)...)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(names ...string) string {
		path := filepath.Join(append([]string{root}, names...)...)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	inner := folder("repo", "a", "b")
	if got := Find(inner); got != "" {
		t.Errorf("%s", got)
	}
	above := file(Name) // beside the repository
	folder("repo", ".git")
	if got := Find(inner); got != "" {
		t.Errorf("%s is outside of the repository", got)
	}
	top := file("repo", Name)
	if got := Find(inner); got != top {
		t.Errorf("%s", got)
	}
	near := file("repo", "a", Name)
	if got := Find(inner); got != near {
		t.Errorf("%s", got)
	}
	if got := Find(root); got != above {
		t.Errorf("%s", got)
	}
	if got := Find(folder("lone")); got != "" {
		t.Errorf("%s is above a folder that is in no repository", got)
	}
	worktree := folder("tree", "a")
	file("tree", ".git") // as in a second work tree
	if got, want := Find(worktree), file("tree", Name); got != "" && got != want {
		t.Errorf("%s", got)
	}
	if got := Find(worktree); got != filepath.Join(root, "tree", Name) {
		t.Errorf("%s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"judge: llm\nscore:\n  map: {a: b}\n", "a: &x [*x]", "%YAML 1.1\n---\na: !!binary x", "a: |\n  b\n c", "? a\n: b", "<<: {a: b}",
		"\ufeffa: 1", "a: \"\\x41\\u0000\"", "a:\n- b\n-\n", "{a: b, a: c}", "--- >\n x\n...\n--- y",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Parse("f.yaml", content)
		var mistake *Error
		if err != nil {
			if !errors.As(err, &mistake) || mistake.Path != "f.yaml" || mistake.Line < 0 {
				t.Fatalf("%#v", err)
			}
			return
		}
		names := make(map[string]bool)
		for _, e := range file.Entries {
			if names[e.Key] || e.Line < 1 || e.Value.Line < 1 {
				t.Fatalf("%+v", e)
			}
			names[e.Key] = true
		}
	})
}
