package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// userIn returns the environment of a user with the config directory dir/user.
func userIn(dir string, variables map[string]string) system {
	sys := emptySystem()
	sys.Clock, sys.WorkDir = &skipClock{}, os.Getwd
	sys.LookupEnv = func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
	sys.ConfigDir = func() (string, error) { return filepath.Join(dir, "user"), nil }
	return sys
}

// writeFiles writes files relative to the working directory.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, name, content)
	}
}

// TestUntrustedConfigCannotSetSensitiveFlags checks that a discovered config file can
// set only flags that are known to be harmless, so that new flags are rejected by
// default, and that none of the harmless flags names a file, a server or a variable.
func TestUntrustedConfigCannotSetSensitiveFlags(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	sys := userIn(dir, nil)
	rejected := 0
	for _, cmd := range configurableCommands(newRoot(sys)) {
		for _, flag := range flagsOf(cmd) {
			if flag.Name == "config" {
				continue
			}
			value := exampleOf(flag)
			switch value {
			case "[]":
				value = "[x=y]"
			case `""`, "auto":
				value = "x"
			}
			writeFiles(t, map[string]string{"ragfaith.yaml": flag.Name + ": " + value + "\n"})
			if len(configErrors(t, flag.Name+": "+value+"\n")) > 0 {
				value = map[string]string{"profile": "ragas", "cache": "true"}[flag.Name]
				writeFiles(t, map[string]string{"ragfaith.yaml": flag.Name + ": " + value + "\n"})
			}
			subcommand, _, err := newRoot(sys).Find(strings.Fields(cmd.CommandPath())[1:])
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			subcommand.SetErr(&errs)
			err = resolveFlags(subcommand, sys, true)
			set := subcommand.Flag(flag.Name)
			if !set.Changed {
				continue // a value that this command can't take
			}
			if harmless(set) {
				if isPath(flag) || strings.HasSuffix(flag.Name, "-env") || strings.HasSuffix(flag.Name, "-url") {
					t.Errorf("%s: --%s is treated as harmless", cmd.CommandPath(), flag.Name)
				}
				continue
			}
			rejected++
			if err == nil || !strings.Contains(err.Error(), "ragfaith.yaml:1: "+flag.Name+": an untrusted config file can't set this") {
				t.Errorf("%s: --%s: got error %v, want one about an untrusted file", cmd.CommandPath(), flag.Name, err)
			}
		}
	}
	if rejected < 40 {
		t.Errorf("got %d rejected options, want at least 40", rejected)
	}
}

// TestUntrustedConfigAttacksAreRejected checks that a malicious ragfaith.yaml in a
// repository can neither write files nor send requests, even to a server that the user
// named.
func TestUntrustedConfigAttacksAreRejected(t *testing.T) {
	server := newTestServer(t)
	var sent []string
	server.fault = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		sent = append(sent, r.Header.Get("Authorization"))
		return false
	}
	dir := t.TempDir()
	t.Chdir(dir)
	sys := userIn(dir, map[string]string{"OPENAI_API_KEY": "sk-own", "AWS_SECRET": "aws", "HF_TOKEN": "hf_secret"})
	llmArgs := []string{"--judge", "llm", "--model", "m", "--no-cache", "--base-url", server.URL + "/v1"}
	originals := map[string]string{"home/.bashrc": "alias ls=ls\n", ".git/hooks/pre-commit": "#!/bin/sh\n", "model": "weights"}
	for _, tt := range []struct {
		name, file string
		args       []string
		want       string // in the error
	}{
		{"a dotfile", "summary: home/.bashrc\n", nil, "ragfaith.yaml:1: summary:"},
		{"a hook", "keep: all\nsummary: .git/hooks/pre-commit\n", nil, "ragfaith.yaml:2: summary:"},
		{"outside", "output: [../out.jsonl]\n", nil, "ragfaith.yaml:1: output:"},
		{"in the section of the command", "score:\n  output: [out.jsonl]\n", nil, "ragfaith.yaml:2: output:"},
		{"a library", "onnxruntime: model\n", nil, "ragfaith.yaml:1: onnxruntime:"},
		{"a directory of models", "judge: ./models\n", nil, "ragfaith.yaml:1: judge:"},
		{"a server on this machine", "judge: ollama/m\n", nil, "ragfaith.yaml:1: judge:"},
		{"a server", "judge: llm\nmodel: m\nbase-url: " + server.URL + "/v1\n", nil, "ragfaith.yaml:3: base-url:"},
		{"a profile", "profile: ragas\n", nil, "ragfaith.yaml:1: profile:"},
		{"a secret", "api-key-env: AWS_SECRET\n", llmArgs, "ragfaith.yaml:1: api-key-env:"},
		{"a secret for embeddings", "embed-api-key-env: AWS_SECRET\n", llmArgs, "ragfaith.yaml:1: embed-api-key-env:"},
		{"a secret in a header", "header: ['X-Token: $AWS_SECRET']\n", llmArgs, "ragfaith.yaml:1: header:"},
		{"a client certificate", "client-cert: model\n", llmArgs, "ragfaith.yaml:1: client-cert:"},
		{"a paid option", "extra-body: '{\"service_tier\":\"priority\"}'\n", llmArgs, "ragfaith.yaml:1: extra-body:"},
		{"another limit", "max-cost: 0\n", llmArgs, "ragfaith.yaml:1: max-cost:"},
		{"a dry run, which skips gates", "dry-run: true\n", nil, "ragfaith.yaml:1: dry-run:"},
		{"data on standard output", "to: csv\n", nil, "ragfaith.yaml:1: to:"},
		{"quiet", "quiet: true\nsummary: s.json\n", nil, "ragfaith.yaml:2: summary:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeFiles(t, originals)
			writeFiles(t, map[string]string{"rows.jsonl": skyRows, "ragfaith.yaml": tt.file})
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"score", "rows.jsonl"}, tt.args...), nil, &out, &errs, sys)
			if code != exitUsage || !strings.Contains(errs.String(), tt.want) || !strings.Contains(errs.String(), `"ragfaith config trust"`) {
				t.Errorf("exit code: got %d, want %d, %s", code, exitUsage, &errs)
			}
			for name, want := range originals {
				if got, err := os.ReadFile(name); err != nil || string(got) != want {
					t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
				}
			}
			for _, name := range []string{"../out.jsonl", "out.jsonl", "s.json"} {
				if _, err := os.Lstat(name); err == nil {
					t.Errorf("%s was written", name)
				}
			}
			if sent != nil {
				t.Errorf("got requests %q, want none", sent)
			}
		})
	}
	writeFiles(t, map[string]string{"ragfaith.yaml": "endpoint: " + server.URL + "\n"})
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"models", "pull", "minilm-l6", "--models", "m"}, nil, &out, &errs, sys); code != exitUsage || sent != nil {
		t.Errorf("hub: exit code: got %d, want %d, sent %q; stderr: %s", code, exitUsage, sent, &errs)
	}
}

// TestTrustIsRevokedWhenConfigChanges checks that trust is bound to the path and content
// of a file.
func TestTrustIsRevokedWhenConfigChanges(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	sys := userIn(dir, nil)
	const file = "output: [out.jsonl]\n"
	writeFiles(t, map[string]string{"rows.jsonl": skyRows, "ragfaith.yaml": file, "other/rows.jsonl": skyRows, "other/ragfaith.yaml": file})
	score := func(want int) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"score", "rows.jsonl", "--to", "none"}, nil, &out, &errs, sys); code != want {
			t.Errorf("exit code: got %d, want %d; stderr: %s", code, want, &errs)
		}
	}
	score(exitUsage)
	for range 2 { // the second time changes nothing
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"config", "trust"}, nil, &out, &errs, sys); code != exitOK || out.String() != "trusted ragfaith.yaml, which sets output\n" {
			t.Fatalf("exit code: got %d, want %d: %s%s", code, exitOK, &out, &errs)
		}
	}
	score(exitOK)
	if lines, err := os.ReadFile("user/ragfaith/trusted"); err != nil || bytes.Count(lines, []byte("\n")) != 1 {
		t.Errorf("got trusted files %q and error %v, want one line", lines, err)
	}
	t.Chdir("other") // the same content elsewhere
	score(exitUsage)
	t.Chdir("..")
	writeFiles(t, map[string]string{"ragfaith.yaml": file + "summary: s.json\n"})
	score(exitUsage)
	writeFiles(t, map[string]string{"ragfaith.yaml": file})
	score(exitOK)
	writeFile(t, "user/ragfaith/trusted", "")
	score(exitUsage)
}

// TestSettingsFromDiscoveredConfigArePrinted checks that a discovered config file cannot
// hide the options it sets.
func TestSettingsFromDiscoveredConfigArePrinted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct {
		file string
		args []string
		want string
	}{
		{"threshold: 0.5\nkeep: [a, b]\n", nil, "ragfaith: ragfaith.yaml sets threshold 0.5, keep a, b\n"},
		{"threshold: 0.5\n", []string{"--threshold", "0.4"}, ""},
		{"threshold: 0.5\n", []string{"-q"}, ""},
		{"threshold: 0.5\n", []string{"--config", "ragfaith.yaml"}, ""},
		{"quiet: true\nmin-mean: 0.1\n", nil, "ragfaith: ragfaith.yaml sets quiet true, min-mean 0.1\n"},
		{"cluster: " + strings.Repeat("x", 300) + "\n", nil, "ragfaith: ragfaith.yaml sets cluster " + strings.Repeat("x", 200) + "…\n"},
		{"segment: {lang: de}\n", nil, ""},
	} {
		writeFiles(t, map[string]string{"rows.jsonl": skyRows, "ragfaith.yaml": tt.file})
		var out, errs bytes.Buffer
		run(t.Context(), append([]string{"score", "rows.jsonl", "--to", "none", "--no-progress"}, tt.args...), nil, &out, &errs, userIn(dir, nil))
		lines := slices.DeleteFunc(strings.SplitAfter(errs.String(), "\n"), func(l string) bool { return !strings.Contains(l, " sets ") })
		if got := strings.Join(lines, ""); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.file, got, tt.want)
		}
	}
}

// TestDiscoveredConfigMustBeOwnRegularFile checks that a discovered config file belongs
// to the user and is not a link. A link to a trusted file is not trusted either, because
// paths in it would be relative to another directory.
func TestDiscoveredConfigMustBeOwnRegularFile(t *testing.T) {
	dir := t.TempDir()
	sys := userIn(dir, nil)
	t.Chdir(dir)
	const file = "output: [out.jsonl]\n"
	writeFiles(t, map[string]string{"a/ragfaith.yaml": file, "a/rows.jsonl": skyRows, "b/rows.jsonl": skyRows, "b/.git/config": "", "c/sub/rows.jsonl": skyRows, "c/ragfaith.yaml": "seed: 77\n", "d/ragfaith.yaml": file, "d/rows.jsonl": skyRows})
	if err := errors.Join(os.Symlink("../a/ragfaith.yaml", "b/ragfaith.yaml"), os.Symlink("../c/sub", "b/vendor")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	score := func(subdir string, args ...string) (int, string) {
		t.Chdir(filepath.Join(dir, subdir))
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"score", "rows.jsonl", "--to", "none"}, args...), nil, &out, &errs, sys)
		return code, errs.String()
	}
	t.Chdir(filepath.Join(dir, "a"))
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"config", "trust"}, nil, &out, &errs, sys); code != exitOK {
		t.Fatalf("config trust: got exit code %d, want %d; stderr: %s", code, exitOK, &errs)
	}
	if code, text := score("a"); code != exitOK {
		t.Errorf("trusted: exit code: got %d, want %d: %s", code, exitOK, text)
	}
	if code, text := score("b"); code != exitUsage || !strings.Contains(text, "ragfaith.yaml is a symbolic link, not a regular file: use --config FILE") {
		t.Errorf("a link: exit code: got %d, want %d: %s", code, exitUsage, text)
	}
	if code, text := score("b", "--config", "ragfaith.yaml"); code != exitOK {
		t.Errorf("a link that is named: exit code: got %d, want %d: %s", code, exitOK, text)
	}
	// A linked directory has the parent of its target, which is outside the repository.
	if code, text := score("b/vendor"); code != exitOK || strings.Contains(text, "seed") {
		t.Errorf("through a link: exit code: got %d, want %d: %s", code, exitOK, text)
	}
	if os.Geteuid() != 0 {
		return
	}
	const otherUser = 12345
	if err := errors.Join(os.Chmod(filepath.Join(dir, "d"), 0o777|os.ModeSticky), os.Chown(filepath.Join(dir, "d", "ragfaith.yaml"), otherUser, 0)); err != nil {
		t.Fatal(err)
	}
	if code, text := score("d"); code != exitUsage || !strings.Contains(text, "ragfaith.yaml belongs to another user") {
		t.Errorf("of another user: exit code: got %d, want %d: %s", code, exitUsage, text)
	}
}

// TestMessagesAreNotGitHubCommands checks that neither config files nor arguments can
// print a GitHub Actions command.
func TestMessagesAreNotGitHubCommands(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"map: {id: \"##[add-mask]x\"}\n", []string{"score", "rows.jsonl"}},
		{"\"##[stop-commands]x\": 1\n", []string{"score", "rows.jsonl"}},
		{"github: \"off\"\n", []string{"score", "##[error]x.jsonl"}},
		{"cluster: \"##[add-mask]a\"\n", []string{"compare", "a.jsonl", "b.jsonl"}},
		{"", []string{"segment", "##[error]x"}},
	} {
		writeFiles(t, map[string]string{"rows.jsonl": skyRows, "ragfaith.yaml": tt.file})
		var out, errs bytes.Buffer
		run(t.Context(), tt.args, nil, &out, &errs, userIn(dir, map[string]string{"GITHUB_ACTIONS": "true"}))
		if text := out.String() + errs.String(); strings.Contains(text, "##[") || !strings.Contains(text, "## [") && strings.Contains(tt.file+strings.Join(tt.args, ""), "##[") {
			t.Errorf("%q %q: got unexpected workflow commands in %s", tt.file, tt.args, text)
		}
	}
}
