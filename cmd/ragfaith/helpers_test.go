package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/llm"
)

const skyRow = `{"answer":"The sky is blue today.","contexts":["The sky is blue today."]}` + "\n"

const testKey = "sk-test-0123456789abcdefghijkl"

// skyRows make one request of each kind, but for the last one, which claims
// nothing.
const skyRows = `{"id":"blue","question":"Which colour is it?","answer":"The sky is blue today.","contexts":["The sky is blue today."]}
{"id":"green","question":"Who wanders?","answer":"Elephants migrate through Kenya.","contexts":["The sky is blue today."]}
{"id":"dunno","question":"Why?","answer":"I don't know.","contexts":["The sky is blue today."]}
`

// A skipClock is a clock whose sleeps return at once: they move its time forward
// instead, so that retries, rate limits and polls cost a test nothing.
type skipClock struct {
	skipped atomic.Int64
	ready   chan struct{} // sleeps first wait until it is closed; nil if they need not
}

// Now implements llm.Clock.
func (c *skipClock) Now() time.Time { return time.Now().Add(time.Duration(c.skipped.Load())) }

// Sleep implements llm.Clock.
func (c *skipClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.ready != nil {
		<-c.ready
	}
	if d > 0 {
		c.skipped.Add(int64(d))
	}
	return ctx.Err()
}

// A called is ragfaith called in this process.
type called struct {
	code           int
	stdout, stderr string
}

// call runs ragfaith with a key in the environment and a cache in folder.
func call(t *testing.T, folder string, env map[string]string, args ...string) called {
	t.Helper()
	var clock llm.Clock = &skipClock{}
	if args[0] == "models" { // a sleep watches each download for a stall
		clock = llm.NewClock(time.Now)
	}
	return callWithClock(t, clock, folder, env, args...)
}

func callWithClock(t *testing.T, clock llm.Clock, folder string, env map[string]string, args ...string) called {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(skyRows), &out, &errs, system{
		LookupEnv: func(name string) (string, bool) {
			if name == "OPENAI_API_KEY" {
				return testKey, true
			}
			v, ok := env[name]
			return v, ok
		},
		Clock:    clock,
		CacheDir: func() (string, error) { return folder, nil },
		Terminal: func(io.Writer) int { return 0 },
	})
	return called{code, out.String(), errs.String()}
}

// callWithGate runs ragfaith, whose gate may fail.
func callWithGate(t *testing.T, folder string, args ...string) called {
	t.Helper()
	c := call(t, folder, nil, args...)
	if c.code != exitOK && c.code != exitGate {
		t.Fatalf("%+v", c)
	}
	return c
}

// score runs ragfaith in this process.
func score(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"score", "--no-progress"}, args...), stdin, &out, &errs, system{
		LookupEnv: func(string) (string, bool) { return "", false },
		Clock:     llm.NewClock(func() time.Time { return time.Time{} }),
		Terminal:  func(io.Writer) int { return 0 },
	})
	return code, out.String(), errs.String()
}

// emptySystem is a process without an environment.
func emptySystem() system {
	return system{LookupEnv: func(string) (string, bool) { return "", false }, Terminal: func(io.Writer) int { return 0 }}
}

// start runs ragfaith as a process of its own.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *bufio.Reader) {
	t.Helper()
	return startIn(t, "", args...)
}

// startIn does so in a folder.
func startIn(t *testing.T, folder string, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *bufio.Reader) {
	t.Helper()
	// What ought to end and doesn't is killed, so that the test fails and says why.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, "ragfaith", args...)
	cmd.Dir = folder
	stdin, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err := errors.Join(err, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stdin, bufio.NewReader(out), bufio.NewReader(errs)
}

func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// runCommand runs a command, and returns its exit code and all that it said.
func runCommand(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readObject(t *testing.T, path string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(readFile(t, path)), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// readTree are the contents of all files of a folder by their names.
func readTree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, relErr := filepath.Rel(folder, path)
			files[name], err = readFile(t, path), relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// filesContaining lists the files below a folder that hold text.
func filesContaining(t *testing.T, folder, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(readFile(t, path), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func leftovers(t *testing.T, out string) []string {
	t.Helper()
	left, err := filepath.Glob(out + ".*")
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// writeLabelledRows writes rows with labels, and the results of some.
func writeLabelledRows(t *testing.T) (rows, results string) {
	t.Helper()
	folder := t.TempDir()
	rows, results = filepath.Join(folder, "rows.jsonl"), filepath.Join(folder, "results.jsonl")
	var b bytes.Buffer
	for i := range 60 {
		fmt.Fprintf(&b, `{"id":%d,"label":%d,"answer":"The bridge was opened in %d.","contexts":["The bridge was opened in 1901."]}`+"\n", i, i/2%2, 1901+i%2)
	}
	writeFile(t, rows, b.String())
	if code, said := runCommand(t, unlimited(t, folder, "score", rows, "-q", "--to", "none", "--keep", "label", "-o", results, "--summary", filepath.Join(folder, "results.summary.json"))); code != 0 {
		t.Fatal(said)
	}
	return rows, results
}

// valid holds every line, or all of it, against one of the published schemas.
func checkSchema(t *testing.T, schema string, texts ...string) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schema", schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
}
