package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// configErrors returns the errors in a config file with the given content.
func configErrors(t *testing.T, content string) []error {
	t.Helper()
	f, err := parseConfig("ragfaith.yaml", []byte(content))
	if err != nil {
		return []error{err}
	}
	cmd := scoreCommand(t)
	return append(f.check(cmd.Root()), f.apply(cmd, emptySystem())...)
}

func TestConfigTemplateIsValid(t *testing.T) {
	t.Parallel()
	template := configTemplate(newRoot(emptySystem()))
	if errs := configErrors(t, template); len(errs) > 0 {
		t.Fatalf("got errors %v, want none", errs)
	}
	// Uncommented, each option has its default or a valid example.
	var set strings.Builder
	names := 0
	for line := range strings.Lines(template) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") && strings.Contains(rest, ":") {
			if name, value, _ := strings.Cut(strings.TrimSpace(rest), ": "); name != "profile" || value != `""` { // the empty profile is invalid
				set.WriteString(rest)
			}
			names++
		}
	}
	if errs := configErrors(t, set.String()); len(errs) > 0 {
		t.Errorf("got errors %v, want none, for\n%s", errs, set.String())
	}
	if want := len(flagsOf(scoreCommand(t))) - 1; names != want { // all but --config
		t.Errorf("got %d options, want %d", names, want)
	}
}

func TestConfigValuesAreChecked(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"{}": true, "judge: lexical": true, "judge: ''": false, "no-claims: null": true, "no-claims: 0": true, "no-claims: half": false,
		"threshold: 0.5": true, "threshold: 1.5": false, "limit: 3": true, "limit: -1": false, "limit: 1.5": false, "strict: true": true, "strict: 'yes'": false,
		"keep: a": true, "keep: [a, b]": true, "keep: {a: b}": false, "map: {answer: a}": true, "map: [answer=a]": true, "shard: 1/4": true, "shard: x": false,
		"timeout: 90s": true, "timeout: soon": false, "max-cost: 1.5": true, "max-cost: much": false, "max-row-bytes: 4MiB": true, "max-row-bytes: 4096": true,
		"price: 0.1,0.2": true, "score: {judge: llm}": true, "score: {jugde: llm}": false, "scor: {judge: llm}": false, "score: 3": false, "score:": true,
		"api-key-env: KEY": true, "api-key-env: sk-1": false, "config: x": false, "color: always": true, "seed: 7": true, "seed: -7": false, "segment: {lang: de}": true,
		"version: true": false, "models: folder": true, "judge: [a]": false, "judge: &x llm": true, "keep: [a]\nmap: *x": false, "keep: &x [a]\nwhere: *x": false, "score: {limit: 1, limit: 2}": false, "limit:": false, "older-than: 720h": true,

		// Keys are not names of variables.
		"api-key-env: MY_VERY_LONG_VARIABLE_NAME_OF_2026": true, "api-key-env: ''": true, "api-key-env: sk-proj-Ab1": false, "api-key-env: hf_abcDEF123": false,
		"api-key-env: gsk_a1": false, "api-key-env: AIzaSy0123": false, "api-key-env: 0f3a": false, "api-key-env: a b": false, "api-key-env: K\u00c9Y": false,
		"api-key-env: d41d8cd98f00b204e9800998ecf8427e": false,
		"base-url: http://localhost:8080/v1":            true, "base-url: https://key@host/v1": false, "base-url: https://u:p@host": false, "base-url: http://%zz@": false,
	} {
		if errs := configErrors(t, text); (len(errs) == 0) != good {
			t.Errorf("%s: got errors %v, want valid %t", text, errs, good)
		}
	}
}

func TestColorDependsOnTerminalAndEnvironment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode     string
		terminal int
		env      string
		want     bool
	}{
		{"auto", 80, "", true},
		{"auto", 0, "", false},
		{"auto", 80, "NO_COLOR=1", false},
		{"auto", 80, "NO_COLOR=", true},
		{"auto", 80, "TERM=dumb", false},
		{"always", 0, "NO_COLOR=1", true},
		{"never", 80, "", false},
	} {
		sys := system{color: &tt.mode, Terminal: func(io.Writer) int { return tt.terminal }}
		sys.LookupEnv = func(name string) (string, bool) {
			for _, v := range strings.Fields(tt.env) {
				if n, value, _ := strings.Cut(v, "="); n == name {
					return value, true
				}
			}
			return "", false
		}
		if got := sys.palette(io.Discard).Enabled; got != tt.want {
			t.Errorf("%+v: got colors %v, want %v", tt, got, tt.want)
		}
	}
}

func TestManPagesAreWellFormed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pages := strings.Fields(mustRun(t, "", nil, "man", dir).stdout)
	if len(pages) < 15 {
		t.Fatalf("got %d pages, want at least 15", len(pages))
	}
	for _, page := range pages {
		for line := range strings.Lines(readFile(t, page)) { // a line that starts with a dot is a macro
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !slices.Contains([]string{"TH", "SH", "SS", "PP", "TP", "EX", "EE", "BR", "nh"}, strings.Fields(line)[0][1:]) {
				t.Errorf("%s: text is parsed as a macro: %s", page, line)
			}
		}
	}
}

// scoreCommand returns the score command of the command tree.
func scoreCommand(t *testing.T) *cobra.Command {
	t.Helper()
	cmd, _, err := newRoot(emptySystem()).Find([]string{"score"})
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestUnusedVariablesAreWarnings(t *testing.T) {
	for entry, want := range map[string]string{
		"RAGFAITH_MIN_MAEN=0.9": "ragfaith: warning: unknown environment variable RAGFAITH_MIN_MAEN\n",
		"RAGFAITH_MIN_MEAN=":    "ragfaith: warning: the variable RAGFAITH_MIN_MEAN is empty and sets nothing\n",
		"RAGFAITH_MIN_MEAN=0.1": "",
		"RAGFAITH_MODEL=":       "",
		"RAGFAITH_CONFIG=none":  "",
		"RAGFAITH_BINARY=x":     "",
	} {
		sys := emptySystem()
		sys.environ = func() []string { return []string{"HOME=/root", entry} }
		got := mustExit(t, runSystem(t, sys, strings.NewReader(`{"answer":"The sky is blue.","contexts":["The sky is blue."]}`), "score", "-", "--to", "none", "--no-progress"), exitOK)
		if warning, _, _ := strings.Cut(got.stderr, "scored 1"); warning != want {
			t.Errorf("%s: got %q, want %q", entry, warning, want)
		}
	}
}
