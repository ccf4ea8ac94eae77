package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/exit"
)

func TestConfigHasTheLineOfEachValue(t *testing.T) {
	got, err := parseConfig("f.yaml", []byte(`# options
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
	scalar := func(line int, text string) configValue {
		return configValue{Shape: shapeScalar, Line: line, Text: text}
	}
	want := &configFile{Path: "f.yaml", Entries: []configEntry{
		{"judge", 2, scalar(2, "null")},
		{"no-claims", 3, scalar(3, "null")},
		{"threshold", 4, scalar(4, "0.50")},
		{"empty", 5, configValue{Line: 5}},
		{"quoted", 6, scalar(6, "")},
		{"keep", 7, configValue{Shape: shapeList, Line: 7, Items: []configValue{scalar(7, "a"), scalar(7, "b c")}}},
		{"score", 8, configValue{Shape: shapeMapping, Line: 9, Entries: []configEntry{
			{"map", 9, configValue{Shape: shapeMapping, Line: 10, Entries: []configEntry{{"answer", 10, scalar(10, "reply")}}}},
			{"output", 11, configValue{Shape: shapeList, Line: 12, Items: []configValue{scalar(12, "a.jsonl"), scalar(13, "b.csv")}}},
		}}},
	}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(configFile{})); d != "" {
		t.Errorf("file (-want +got):\n%s", d)
	}
	for _, nothing := range []string{"", "\n", "# a comment\n", "---\n"} {
		if f, err := parseConfig("f.yaml", []byte(nothing)); err != nil || len(f.Entries) > 0 {
			t.Errorf("parseConfig(%q): got %v, %v, want no entries", nothing, f, err)
		}
	}
}

func TestConfigMistakesHaveFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [1":              "f.yaml:3: invalid YAML: while parsing a flow sequence: did not find expected ',' or ']' (started on line 2)",
		"a: 1\nb: \"x\n\n":         "f.yaml:4: invalid YAML: while scanning a quoted scalar: found unexpected end of stream (started on line 2)",
		"a: 1\n\tb: 2":             "f.yaml:2: invalid YAML: ",
		"a: \xff":                  "f.yaml: invalid YAML: invalid leading UTF-8 octet",
		"a: 1\nb: 2\na: 3":         "f.yaml:3: duplicate key a (first on line 1)",
		"s:\n  a: 1\n  a: 2":       "f.yaml:3: duplicate key a",
		"a: &x 1":                  "f.yaml:1: anchors (&)",
		"a: 1\nb: *x":              "f.yaml:2: invalid YAML: unknown anchor",
		"a: &x [1]\nb: *x":         "f.yaml:1: anchors (&)",
		"a: !!str 1":               "f.yaml:1: tags (!)",
		"a: !x {b: c}":             "f.yaml:1: tags (!)",
		"- a\n- b":                 "f.yaml:1: want options as NAME: VALUE",
		"just a text":              "f.yaml:1: want options as NAME: VALUE",
		"a: 1\n---\nb: 2":          "f.yaml: want a single YAML document",
		"? [a]\n: b":               "f.yaml:1: want a name",
		"a: {b: {c: {d: {e: 1}}}}": "f.yaml:1: values are nested too deeply",
		"a: [[[[[1]]]]]":           "f.yaml:1: values are nested too deeply",
	} {
		_, err := parseConfig("f.yaml", []byte(text))
		var mistake *exit.UsageError
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("parseConfig(%q): got error %v, want %s", text, err, want)
		}
	}
}

// Files that expand or nest deeply must not take long.
func TestConfigBombsAreRejected(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		before, after := string(rune('a'+i-1)), string(rune('a'+i))
		bomb.WriteString(after + ": &" + after + " [" + strings.TrimSuffix(strings.Repeat("*"+before+",", 9), ",") + "]\n")
	}
	for name, text := range map[string]string{
		"aliases": bomb.String(), "flow": strings.Repeat("[", maxConfigBytes), "mappings": strings.Repeat("{a: ", maxConfigBytes/4),
		"blocks": strings.Repeat("- ", maxConfigBytes/2), "questions": strings.Repeat("? ", maxConfigBytes/2),
	} {
		if _, err := parseConfig("f.yaml", []byte(text)); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestUnreadableConfigIsNotAMistakeInIt(t *testing.T) {
	var mistake *exit.UsageError
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir()} {
		if _, err := readConfig(path); err == nil || errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: got error %v, want a plain one that starts with the path", path, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"judge: llm\nscore:\n  map: {a: b}\n", "a: &x [*x]", "%YAML 1.1\n---\na: !!binary x", "a: |\n  b\n c", "? a\n: b", "<<: {a: b}",
		"\ufeffa: 1", "a: \"\\x41\\u0000\"", "a:\n- b\n-\n", "{a: b, a: c}", "--- >\n x\n...\n--- y",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := parseConfig("f.yaml", content)
		var mistake *exit.UsageError
		if err != nil {
			if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Fatalf("got error %#v, want a usage error for f.yaml", err)
			}
			return
		}
		names := make(map[string]bool)
		for _, e := range file.Entries {
			if names[e.Key] || e.Line < 1 || e.Value.Line < 1 {
				t.Fatalf("got entry %+v, want a new key with line numbers", e)
			}
			names[e.Key] = true
		}
	})
}
