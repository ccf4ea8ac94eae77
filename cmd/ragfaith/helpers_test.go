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
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
)

const skyRow = `{"answer":"The sky is blue today.","contexts":["The sky is blue today."]}` + "\n"

const testKey = "sk-test-0123456789abcdefghijkl"

// Exit codes.
const (
	exitOK          = exit.OK
	exitFailure     = exit.Failure
	exitUsage       = exit.Usage
	exitFailedRows  = exit.FailedRows
	exitGate        = exit.Gate
	exitInterrupted = exit.Interrupted
)

// skyRows holds a supported row, an unsupported row and a row without claims.
const skyRows = `{"id":"blue","question":"Which colour is it?","answer":"The sky is blue today.","contexts":["The sky is blue today."]}
{"id":"green","question":"Who wanders?","answer":"Elephants migrate through Kenya.","contexts":["The sky is blue today."]}
{"id":"dunno","question":"Why?","answer":"I don't know.","contexts":["The sky is blue today."]}
`

// A skipClock advances instead of sleeping, so that tests do not wait for retries, rate
// limits or polls.
type skipClock struct {
	skipped atomic.Int64
	ready   chan struct{} // if not nil, Sleep blocks until it is closed
}

// Now implements llm.Clock.
func (c *skipClock) Now() time.Time { return time.Now().Add(time.Duration(c.skipped.Load())) }

// Sleep implements llm.Clock.
func (c *skipClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.ready != nil {
		select {
		case <-c.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if d > 0 {
		c.skipped.Add(int64(d))
	}
	return ctx.Err()
}

// A commandResult is the outcome of a command.
type commandResult struct {
	args           []string
	code           int
	stdout, stderr string
}

// runSystem runs a command line.
func runSystem(t *testing.T, sys system, stdin io.Reader, args ...string) commandResult {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, stdin, &out, &errs, sys)
	return commandResult{args, code, out.String(), errs.String()}
}

// checkExit checks the exit code of a command, and that its standard error contains each
// text.
func checkExit(t *testing.T, got commandResult, code int, stderr ...string) {
	t.Helper()
	missing := func(text string) bool { return !strings.Contains(got.stderr, text) }
	if got.code != code || slices.ContainsFunc(stderr, missing) {
		t.Errorf("%q: got exit code %d, want %d; stderr: got %s, want %q", got.args, got.code, code, got.stderr, stderr)
	}
}

// runInProcess runs ragfaith with an API key, skyRows on stdin and its cache in dir.
func runInProcess(t *testing.T, dir string, env map[string]string, args ...string) commandResult {
	t.Helper()
	var clock llm.Clock = &skipClock{}
	if args[0] == "models" { // downloads detect stalls with a timer
		clock = llm.NewClock(time.Now)
	}
	withKey := map[string]string{"OPENAI_API_KEY": testKey}
	maps.Copy(withKey, env)
	sys := systemWith(withKey)
	sys.Clock, sys.CacheDir = clock, func() (string, error) { return dir, nil }
	return runSystem(t, sys, strings.NewReader(skyRows), args...)
}

// mustRun is like runInProcess, but stops the test unless the command succeeds.
func mustRun(t *testing.T, dir string, env map[string]string, args ...string) commandResult {
	t.Helper()
	return mustExit(t, runInProcess(t, dir, env, args...), exitOK)
}

// mustExit stops the test unless a command exited with one of the given codes.
func mustExit(t *testing.T, got commandResult, codes ...int) commandResult {
	t.Helper()
	if !slices.Contains(codes, got.code) {
		t.Fatalf("%q: got exit code %d, want one of %v; stdout: %s; stderr: %s", got.args, got.code, codes, got.stdout, got.stderr)
	}
	return got
}

// runGated is like runInProcess, but stops the test unless the command succeeds or only
// fails a gate.
func runGated(t *testing.T, dir string, args ...string) commandResult {
	t.Helper()
	return mustExit(t, runInProcess(t, dir, nil, args...), exitOK, exitGate)
}

// scoreInProcess runs ragfaith score with an empty environment.
func scoreInProcess(t *testing.T, stdin io.Reader, args ...string) commandResult {
	t.Helper()
	return runSystem(t, emptySystem(), stdin, append([]string{"score", "--no-progress"}, args...)...)
}

// emptySystem returns a system with an empty environment.
func emptySystem() system { return systemWith(nil) }

// systemWith returns a system with some environment variables and a clock that does not
// wait.
func systemWith(env map[string]string) system {
	return system{
		System: app.System{
			LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Clock:     &skipClock{},
		},
		Terminal: func(io.Writer) int { return 0 },
	}
}

// decodeLines decodes lines of JSON.
func decodeLines[T any](t *testing.T, lines string) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(lines) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, v)
	}
	return all
}

// A resultRow is a row of JSONL results, as far as tests read it.
type resultRow struct {
	ID, Status      string
	Contexts, Marks []string
	Faithfulness    *float64
	Claims          []resultClaim
}

type resultClaim struct {
	Text, Verdict, Reason string
	Score                 float64
	ChunkIDs              []int `json:"chunk_ids"`
	Prescreened           bool
	OfflineVerdict        string                     `json:"offline_verdict"`
	Unsupported           []struct{ Start, End int } // spans of the text
	Evidence              []struct {
		Chunk, Start, End int
		Quote, Role       string
	}
}

// scoresIn returns the scores in JSONL results by row ID. A score is nil if it is null.
func scoresIn(t *testing.T, lines string) map[string]*float64 {
	t.Helper()
	scores := make(map[string]*float64)
	for _, r := range decodeLines[resultRow](t, lines) {
		scores[r.ID] = r.Faithfulness
	}
	return scores
}

// A process is ragfaith in a separate process.
type process struct {
	*exec.Cmd

	stdin          io.WriteCloser
	stdout, stderr *bufio.Reader
}

// start starts a process, which is killed when the test ends.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startIn(t, "", args...)
}

// startIn is like start, but with the working directory dir.
func startIn(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	// A command that hangs is killed, so that the test fails with its output.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "ragfaith", args...)
	cmd.Dir = dir
	stdin, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err := errors.Join(err, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{cmd, stdin, bufio.NewReader(out), bufio.NewReader(errs)}
}

// score writes skyRow n times to standard input and reads the results.
func (p *process) score(t *testing.T, n int) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, strings.Repeat(skyRow, n)); err != nil {
		t.Fatal(err)
	}
	for range n {
		p.readLine(t)
	}
}

func (p *process) readLine(t *testing.T) {
	t.Helper()
	if line, err := p.stdout.ReadString('\n'); err != nil {
		t.Fatalf("read line %q: %v", line, err)
	}
}

// signal sends a signal to the process.
func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wait waits for the process to exit. It returns the output that was not read before.
func (p *process) wait(t *testing.T) commandResult {
	t.Helper()
	stdout, _ := io.ReadAll(p.stdout)
	stderr, _ := io.ReadAll(p.stderr)
	if exit := (*exec.ExitError)(nil); !errors.As(p.Wait(), &exit) && !p.ProcessState.Success() {
		t.Fatalf("got %v, want an exit", p.ProcessState)
	}
	return commandResult{p.Args, p.ProcessState.ExitCode(), string(stdout), string(stderr)}
}

// runCommand runs a command in a separate process. All its output is in stderr.
func runCommand(t *testing.T, cmd *exec.Cmd) commandResult {
	t.Helper()
	output, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return commandResult{args: cmd.Args, code: cmd.ProcessState.ExitCode(), stderr: string(output)}
}

// tempFile writes a file to a directory of its own and returns its path.
func tempFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writeFile(t, path, text)
	return path
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

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(readFile(t, path)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// readTree returns the contents of all files under dir, keyed by relative path.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, relErr := filepath.Rel(dir, path)
			files[name], err = readFile(t, path), relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// filesContaining returns the paths of the files under dir that contain text.
func filesContaining(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	for path, content := range readTree(t, dir) {
		if strings.Contains(content, text) {
			found = append(found, path)
		}
	}
	return found
}

// tempFiles returns the files that a run has left next to its output file.
func tempFiles(t *testing.T, out string) []string {
	t.Helper()
	files, err := filepath.Glob(out + ".*")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// writeLabelledRows writes a labelled dataset and its results, and returns their paths.
func writeLabelledRows(t *testing.T) (rows, results string) {
	t.Helper()
	dir := t.TempDir()
	rows, results = filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "results.jsonl")
	var b bytes.Buffer
	for i := range 60 {
		fmt.Fprintf(&b, `{"id":%d,"label":%d,"answer":"The bridge was opened in %d.","contexts":["The bridge was opened in 1901."]}`+"\n", i, i/2%2, 1901+i%2)
	}
	writeFile(t, rows, b.String())
	mustRun(t, dir, nil, "score", rows, "-q", "--to", "none", "--keep", "label", "-o", results, "--summary", filepath.Join(dir, "results.summary.json"))
	return rows, results
}

// checkSchema validates JSON texts against a published schema.
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

// must returns v. It is for errors that cannot happen.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
