package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/exit"
)

func TestEmptyConfigsHaveNoEntries(t *testing.T) {
	for _, nothing := range []string{"", "\n", "# a comment\n", "---\n"} {
		if f, err := parseConfig("f.yaml", []byte(nothing)); err != nil || len(f.Entries) > 0 {
			t.Errorf("parseConfig(%q): got %v, %v, want no entries", nothing, f, err)
		}
	}
}

func TestConfigMistakesHaveFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [1":      "f.yaml: go-yaml load error in parser (while parsing a flow sequence) at L2.C4-L3.C1: did not find expected ',' or ']'",
		"a: \xff":          "f.yaml: go-yaml load error in reader at <unknown position>: invalid leading UTF-8 octet",
		"a: 1\nb: 2\na: 3": "f.yaml:3: duplicate key a (first on line 1)",
		"a: 1\nb: *x":      "f.yaml: go-yaml load error in composer at L2.C4: unknown anchor",
		"- a\n- b":         "f.yaml:1: want options as NAME: VALUE",
		"just a text":      "f.yaml:1: want options as NAME: VALUE",
		"a: 1\n---\nb: 2":  "f.yaml: want a single YAML document",
		"? [a]\n: b":       "f.yaml:1: want a name",
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
			if names[e.Key] || e.Line < 1 {
				t.Fatalf("got entry %+v, want a new key with line numbers", e)
			}
			names[e.Key] = true
		}
	})
}
