package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// docsRoot is the path of the repository root.
const docsRoot = "../.."

// docsPages returns the pages of the docs, by path below the repository root.
func docsPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "training/README.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(docsRoot, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no page (error %v)", pattern, err)
		}
		for _, path := range paths {
			pages[filepath.ToSlash(must(filepath.Rel(docsRoot, path)))] = readFile(t, path)
		}
	}
	return pages
}

// docsServer is the address of a local server in the docs.
const docsServer = "http://localhost:8080/v1"

// docsBlock matches a code block, with a comment of commands to run before it. Its groups are
// these commands, the language, the word after it, and the text.
var docsBlock = regexp.MustCompile("(?ms)(?:^<!-- before: (.*?)-->\n+)?^```(\\w+) ?([^\n]*)\n(.*?)^```$")

// docsCommand matches a command of a console block with its continuation lines.
var docsCommand = regexp.MustCompile(`(?m)^\$ .*\n(?:> .*\n)*`)

// TestDocsCommandsRun runs the blocks of each page from top to bottom in a fresh directory, as
// a reader would. The flag -update rewrites the output in console blocks.
func TestDocsCommandsRun(t *testing.T) {
	skipShort(t)
	for page, text := range docsPages(t) {
		if page == docsServersPage {
			continue // TestDocsServersSendWhatProvidersExpect runs its blocks
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s := newDocsShell(t)
			updated := docsBlock.ReplaceAllStringFunc(text, func(block string) string {
				m := docsBlock.FindStringSubmatch(block)
				return strings.TrimSuffix(block, m[4]+"```") + s.runBlock(t, m[1], m[2], m[3], m[4]) + "```"
			})
			if *update {
				writeFile(t, filepath.Join(docsRoot, page), updated)
			}
		})
	}
}

// A docsShell runs commands in a directory that has the files which the pages use.
type docsShell struct {
	dir string
	env []string
}

func newDocsShell(t *testing.T) *docsShell {
	t.Helper()
	s := &docsShell{dir: t.TempDir()}
	home := t.TempDir()
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", "COLUMNS=100",
		// No command may access the network.
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
	root := must(filepath.Abs(docsRoot))
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(s.dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	// 40 rows with one claim each, of which one is unsupported.
	var rows, table strings.Builder
	table.WriteString("id,question,answer,contexts,label,topic\n")
	for i := range 40 {
		answer, label := fmt.Sprintf("The sky is blue today over field %d.", i), 1
		contexts := must(json.Marshal([]string{answer}))
		if i == 20 {
			answer, label = "Elephants migrate through Kenya.", 0
		}
		fmt.Fprintf(&rows, `{"id":"row-%d","question":"Which colour is it?","answer":%q,"contexts":%s,"label":%d,"topic":"field %d"}`+"\n", i, answer, contexts, label, i/8)
		fmt.Fprintf(&table, "row-%d,Which colour is it?,%s,\"%s\",%d,field %d\n", i, answer, strings.ReplaceAll(string(contexts), `"`, `""`), label, i/8)
	}
	for name, content := range map[string]string{"dataset.jsonl": rows.String(), "eval.jsonl": rows.String(), "dataset.csv": table.String()} {
		writeFile(t, filepath.Join(s.dir, name), content)
	}
	return s
}

// runBlock runs the commands of a block and returns its text with their actual output.
func (s *docsShell) runBlock(t *testing.T, before, lang, word, text string) string {
	t.Helper()
	name, value, _ := strings.Cut(word, "=")
	if name == "skip" {
		return text
	}
	code := 0
	if name == "exit" {
		code = must(strconv.Atoi(value))
	}
	var env []string
	url := ""
	if name == "llm" {
		url = newBatchServer(t, nil).url
		env = []string{"OPENAI_API_KEY=" + testKey, "RAGFAITH_BASE_URL=" + url, "RAGFAITH_BATCH_POLL=1ms"}
	}
	s.script(t, 0, nil, before)
	switch python := os.Getenv("TEST_PYTHON"); {
	case lang == "sh":
		s.script(t, code, env, strings.ReplaceAll(text, docsServer, url))
	case lang == "console":
		return s.session(t, code, env, text)
	case lang == "yaml" && strings.HasPrefix(text, "# ragfaith.yaml\n"):
		writeFile(t, filepath.Join(s.dir, "page.yaml"), text)
		s.script(t, 0, nil, "ragfaith config show --config page.yaml")
	case lang == "python" && python != "":
		s.run(t, 0, env, python, "-c", text)
	case lang == "sql" && python != "":
		s.run(t, 0, env, python, "-c", "import duckdb\nprint(duckdb.sql("+strconv.QuoteToASCII(text)+"))")
	}
	return text
}

// script runs commands that must succeed, except the last, which must exit with code. make
// only checks that a target exists.
func (s *docsShell) script(t *testing.T, code int, env []string, text string) {
	t.Helper()
	for _, program := range []string{"jq", "parallel"} { // not installed everywhere
		if _, err := exec.LookPath(program); err != nil && strings.Contains(text, program+" ") {
			t.Logf("%s not found, not run:\n%s", program, text)
			return
		}
	}
	make := "make() { command make -n -C '" + must(filepath.Abs(docsRoot)) + "' \"$@\"; }\n"
	s.run(t, code, env, "bash", "-eo", "pipefail", "-c", make+text)
}

// session runs the commands of a console block in one shell, which prints them, and compares
// the output. It returns the text with the actual output.
func (s *docsShell) session(t *testing.T, code int, env []string, text string) string {
	t.Helper()
	commands := docsCommand.FindAllString(text, -1)
	want, script := text, ""
	for _, c := range commands {
		plain := strings.ReplaceAll(c[2:], "\n> ", "\n")
		want, script = strings.Replace(want, c, plain, 1), script+plain
	}
	got := s.run(t, code, env, "bash", "-v", tempFile(t, "session", script))
	if sameOutput(want, got) {
		return text
	}
	if !*update {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text = ""
	for _, c := range commands {
		output, rest, _ := strings.Cut(got, strings.ReplaceAll(c[2:], "\n> ", "\n"))
		text, got = text+output+c, rest
	}
	return text + got
}

// sameOutput reports whether printed matches the output shown on a page. A line "…" matches
// any lines, and durations may differ.
func sameOutput(shown, printed string) bool {
	seconds := regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b`)
	shown, printed = seconds.ReplaceAllString(shown, "0s"), seconds.ReplaceAllString(printed, "0s")
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…\n", "(?:.*\n)*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(printed)
}

// run runs a program, which must exit with code, and returns its output.
func (s *docsShell) run(t *testing.T, code int, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	module := "PYTHONPATH=" + must(filepath.Abs(filepath.Join(docsRoot, "packaging", "python")))
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.dir, append(append([]string{module}, s.env...), env...), time.Second
	got := runCommand(t, cmd)
	if got.code != code {
		t.Errorf("%s: got exit code %d, want %d\n%s", args[len(args)-1], got.code, code, got.stderr)
	}
	return got.stderr
}
