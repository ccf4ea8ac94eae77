package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// blockTimeout limits the commands of one block. Some build the program.
	blockTimeout = 10 * time.Minute
	// waitDelay limits how long a process that a block leaves behind can keep the output open.
	waitDelay = 30 * time.Second
)

// A docsRunner runs the blocks of a page in a directory that contains the files used by
// the page.
type docsRunner struct {
	dir string
	bin string // first directory in PATH
	env []string
	llm string // server address, or "" if not started
	hub string

	providers *providers // nil if not started
}

func newDocsRunner(t *testing.T) *docsRunner {
	t.Helper()
	root := must(filepath.Abs(docsRoot))
	r := &docsRunner{dir: t.TempDir(), bin: t.TempDir()}
	home := filepath.Join(r.bin, "home")
	r.env = []string{
		"PATH=" + r.bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "TMPDIR=" + t.TempDir(),
		"LANG=C.UTF-8", "COLUMNS=100",
		// No command may access the network.
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(r.dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	writeDocsRows(t, r.dir)
	// Replace make with a dry run (-n), which only checks that the target exists.
	r.writeTool(t, "make", `exec `+lookPath("make")+` -n -C '`+root+`' "$@"`)
	// A fake gh checks that the comment of a workflow is not empty.
	r.writeTool(t, "gh", `while [ $# -gt 0 ]; do if [ "$1" = --body-file ]; then exec test -s "$2"; fi; shift; done; exit 1`)
	return r
}

// lookPath returns the path of a program, or the program false if it is not installed.
func lookPath(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return "false"
}

// writeTool writes a script to PATH.
func (r *docsRunner) writeTool(t *testing.T, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// runBlock runs a block.
func (r *docsRunner) runBlock(t *testing.T, b *docsBlock) {
	t.Helper()
	if b.has("skip") {
		return
	}
	if b.before != "" {
		if out, code := r.runBash(t, b, "set -eo pipefail\n"+b.before); code != 0 {
			t.Fatalf("%s: commands before the block: got exit code %d, want 0\n%s", b, code, out)
		}
	}
	switch b.lang {
	case "sh":
		r.runScript(t, b, b.text)
	case "console":
		r.runSession(t, b)
	case "yaml":
		r.runPipeline(t, b)
	case "groovy":
		for _, command := range regexp.MustCompile(`\bsh '([^']*)'`).FindAllStringSubmatch(b.text, -1) {
			r.runScript(t, b, command[1])
		}
	case "python", "sql":
		r.runPython(t, b)
	}
}

// runScript runs commands that must all succeed. With exit=N the last exits with N.
func (r *docsRunner) runScript(t *testing.T, b *docsBlock, text string, env ...string) {
	t.Helper()
	for _, program := range []string{"jq", "parallel"} { // not installed everywhere
		if _, err := exec.LookPath(program); err != nil && strings.Contains(text, program+" ") {
			t.Logf("%s: not run, %s not found", b, program)
			return
		}
	}
	want := 0
	if b.has("exit") {
		var err error
		if want, err = strconv.Atoi(b.attrs["exit"]); err != nil {
			t.Fatalf("%s: exit: %v", b, err)
		}
	}
	if out, code := r.runBash(t, b, "set -eo pipefail\n"+text, env...); code != want {
		t.Errorf("%s: got exit code %d, want %d\n%s\n%s", b, code, want, text, out)
	}
}

// runSession runs the commands of a console block in one shell and compares their output.
func (r *docsRunner) runSession(t *testing.T, b *docsBlock) {
	t.Helper()
	const separator = "\x00"
	steps := readSession(b.text)
	if len(steps) == 0 {
		t.Fatalf("%s: no line starts with $", b)
	}
	var script strings.Builder
	script.WriteString("report() { printf '\\0%d\\0' $?; }\n") // keeps $? for the next command
	for i, s := range steps {
		if i > 0 {
			script.WriteString("(exit $code)\n")
		}
		script.WriteString(s.command + "\ncode=$?; (exit $code); report\n")
	}
	out, _ := r.runBash(t, b, script.String())
	parts := strings.Split(out, separator)
	if len(parts) != 2*len(steps)+1 {
		t.Fatalf("%s: the shell exited early:\n%s", b, out)
	}
	b.text = ""
	exitStep := len(steps) - 1
	for exitStep > 0 && steps[exitStep].command == "echo $?" {
		exitStep--
	}
	for i, s := range steps {
		got, code := parts[2*i], parts[2*i+1]
		want := "0"
		if b.has("exit") && i == exitStep {
			want = b.attrs["exit"]
		}
		if code != want {
			t.Errorf("%s: $ %s: got exit code %s, want %s\n%s", b, s.command, code, want, got)
		}
		if !sameOutput(s.output, got) {
			if !*update {
				t.Errorf("%s: $ %s\ngot\n%s\nwant\n%s", b, s.command, got, s.output)
			}
			s.output = got
		}
		b.text += s.withPrompt() + s.output
	}
}

// runBash runs a script and returns its output and exit code.
func (r *docsRunner) runBash(t *testing.T, b *docsBlock, script string, env ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), blockTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", r.useTestServer(t, b, script))
	cmd.WaitDelay = waitDelay
	cmd.Dir, cmd.Env = r.dir, append(append(append([]string(nil), r.env...), r.servers(t, b)...), env...)
	if b.has("repository") {
		cmd.Dir = docsRoot
		cmd.Env = append(cmd.Env, buildEnv(t, r.bin)...)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("%s: %v", b, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// runPython runs a Python or SQL block if RAGFAITH_PYTHON is set.
func (r *docsRunner) runPython(t *testing.T, b *docsBlock) {
	t.Helper()
	python := os.Getenv("RAGFAITH_PYTHON")
	if python == "" {
		t.Logf("%s: not run, RAGFAITH_PYTHON is not set (see scripts/fetch-readers.sh)", b)
		return
	}
	program := b.text
	if b.lang == "sql" {
		program = "import duckdb, sys\nprint(duckdb.sql(" + strconv.QuoteToASCII(b.text) + "))"
	}
	cmd := exec.Command(python, "-c", program)
	module := must(filepath.Abs(filepath.Join(docsRoot, "packaging", "python")))
	cmd.WaitDelay = waitDelay
	cmd.Dir, cmd.Env = r.dir, append(slices.Clip(r.env), "PYTHONPATH="+module, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", b, err, out)
	}
}
