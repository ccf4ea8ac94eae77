package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestActionPassesInputsAsEnvironment checks that the steps of action.yml pass every
// input to the scripts as an environment variable, never as part of a command.
func TestActionPassesInputsAsEnvironment(t *testing.T) {
	t.Parallel()
	action := readAction(t)
	if action.Runs.Using != "composite" || len(action.Runs.Steps) != 2 {
		t.Fatalf("got %+v, want a composite action of 2 steps", action.Runs)
	}
	var passed, read []string
	for i, step := range action.Runs.Steps {
		if strings.Contains(step.Run, "${{") || step.Shell != "bash" || step.Uses != "" {
			t.Errorf("got step %+v, want a bash script without expressions", step)
		}
		script := []string{"action-install.sh", "action-score.sh"}[i]
		if step.Run != "\"$ACTION_PATH/scripts/"+script+"\"\n" {
			t.Errorf("got command %q, want %s", step.Run, script)
		}
		text := readFile(t, filepath.Join(docsRoot, "scripts", script))
		code := regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(text, "")
		read = append(read, regexp.MustCompile(`\bINPUT_[A-Z_]+\b`).FindAllString(code, -1)...)
		for name, value := range step.Env {
			input, ok := strings.CutPrefix(name, "INPUT_")
			if !ok {
				continue
			}
			passed = append(passed, name)
			input = strings.ToLower(strings.ReplaceAll(input, "_", "-"))
			if _, known := action.Inputs[input]; !known || value != "${{ inputs."+input+" }}" {
				t.Errorf("%s: got value %s of input %q, want the input's expression", name, value, input)
			}
		}
	}
	slices.Sort(read)
	slices.Sort(passed)
	if read = slices.Compact(read); !slices.Equal(read, passed) {
		t.Errorf("the scripts read %v, want %v", read, passed)
	}
	for input := range action.Inputs {
		if input != "working-directory" && !slices.Contains(passed, inputVariable(input)) {
			t.Errorf("input %s is not passed to a script", input)
		}
	}
}

// TestWorkflowsPinActions checks that workflows pin actions by commit and put no
// expressions into commands.
func TestWorkflowsPinActions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(docsRoot, ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	used := 0
	for _, file := range files {
		var workflow struct {
			Jobs map[string]struct {
				Uses  string
				Steps []struct{ Uses, Run string }
			}
		}
		if err := yaml.Unmarshal([]byte(readFile(t, file)), &workflow); err != nil {
			t.Fatal(err)
		}
		for _, job := range workflow.Jobs {
			actions := []string{job.Uses}
			for _, step := range job.Steps {
				actions = append(actions, step.Uses)
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: command contains an expression: %s", file, step.Run)
				}
			}
			for _, action := range actions {
				if action == "" || strings.HasPrefix(action, "./") { // pinned by the checkout
					continue
				}
				used++
				if _, version, _ := strings.Cut(action, "@"); !isCommitHash(version) {
					t.Errorf("%s: %s is not pinned by a commit hash", file, action)
				}
			}
		}
	}
	if used == 0 {
		t.Error("got no actions, want at least one")
	}
}

// An actionRun is the result of running a script of the action in dir.
type actionRun struct {
	code                    int
	out, outputs, path, dir string
}

func runAction(t *testing.T, script, ragfaith string, env ...string) *actionRun {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash not found")
	}
	root := must(filepath.Abs(docsRoot))
	r := &actionRun{dir: t.TempDir()}
	bin := t.TempDir()
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	if ragfaith != "" {
		if err := os.WriteFile(filepath.Join(bin, "ragfaith"), []byte(ragfaith), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeDocsRows(t, r.dir)
	// Disable telemetry: it starts a background process that writes to HOME.
	telemetry := filepath.Join(bin, ".config", "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(telemetry, "mode"), "off")
	cmd := exec.Command("bash", filepath.Join(root, "scripts", script))
	cmd.Dir = r.dir
	cmd.Env = append(githubEnv(t, r.dir), append([]string{"PATH=" + path, "HOME=" + bin, "LC_ALL=C.UTF-8", "NO_PROXY=127.0.0.1", "ACTION_PATH=" + root}, env...)...)
	got := runCommand(t, cmd)
	r.code, r.out = got.code, got.stderr
	for _, v := range cmd.Env {
		name, file, _ := strings.Cut(v, "=")
		switch content, _ := os.ReadFile(file); name {
		case "GITHUB_OUTPUT":
			r.outputs = string(content)
		case "GITHUB_PATH":
			r.path = string(content)
		}
	}
	return r
}

func TestActionScores(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env     []string
		code    int
		outputs string
	}{
		"passed":          {[]string{"INPUT_DATASET=dataset.jsonl", "INPUT_MIN_MEAN=0.9", "INPUT_OUTPUT=a.jsonl\nb b.md", "INPUT_SUMMARY=run.json"}, 0, "mean=0.975\nlower=0.867…\npassed=true\nexit-code=0\n"},
		"below the gate":  {[]string{"INPUT_DATASET=dataset.jsonl", "INPUT_MIN_MEAN=0.98"}, exitGate, "mean=0.975\nlower=0.867…\npassed=false\nexit-code=4\n"},
		"patterns":        {[]string{"INPUT_DATASET=\r\n  *.jsonl  \n", "INPUT_MIN_MEAN=0.9"}, 0, "mean=0.975\nlower=0.912…\npassed=true\nexit-code=0\n"},
		"arguments":       {[]string{"INPUT_DATASET=dataset.jsonl", "INPUT_ARGS=--limit\n20\n--keep=label"}, 0, "mean=1\nlower=0.831…\npassed=true\nexit-code=0\n"},
		"missing file":    {[]string{"INPUT_DATASET=none-*.jsonl"}, exitFailure, "exit-code=1\n"},
		"missing dataset": {nil, exitUsage, "exit-code=2\n"},
		"invalid number":  {[]string{"INPUT_DATASET=dataset.jsonl", "INPUT_MIN_MEAN=high"}, exitUsage, "exit-code=2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := runAction(t, "action-score.sh", "", tt.env...)
			if r.code != tt.code || !regexp.MustCompile(`^`+strings.ReplaceAll(tt.outputs, "…", `\d+`)+`$`).MatchString(r.outputs) {
				t.Errorf("got exit code %d and outputs %q, want %d and %q\n%s", r.code, r.outputs, tt.code, tt.outputs, r.out)
			}
			for _, v := range tt.env {
				if _, list, ok := strings.Cut(v, "INPUT_OUTPUT="); ok {
					for file := range strings.Lines(list) {
						if _, err := os.Stat(filepath.Join(r.dir, strings.TrimSpace(file))); err != nil {
							t.Error(err)
						}
					}
				}
			}
		})
	}
}

// TestActionDoesNotExecuteInputs checks that each input becomes exactly one argument,
// whatever it contains.
func TestActionDoesNotExecuteInputs(t *testing.T) {
	t.Parallel()
	const echo = "#!/bin/sh\nfor a in \"$@\"; do printf '<%s>\\n' \"$a\"; done\n"
	const evil = "$(touch hacked) `touch hacked`; touch hacked & \"' || touch hacked #"
	values := []string{evil, "--output=/etc/passwd", "a b", "*"}
	for i, input := range []string{"JUDGE", "MODEL", "BASE_URL", "MIN_MEAN", "MIN_LOWER", "MAX_FAILED", "OUTPUT", "SUMMARY"} {
		flag, value := "--"+strings.ToLower(strings.ReplaceAll(input, "_", "-")), values[i%len(values)]
		r := runAction(t, "action-score.sh", echo, "INPUT_"+input+"="+value, "INPUT_DATASET=d.jsonl")
		if want := "<score>\n<" + flag + "=" + value + ">\n<-->\n<d.jsonl>\n"; r.code != 0 || r.out != want {
			t.Errorf("%s=%s: got exit code %d and output %q, want 0 and %q", input, value, r.code, r.out, want)
		}
		checkNotExecuted(t, r)
	}
	r := runAction(t, "action-score.sh", echo, "INPUT_ARGS="+evil+"\n-q\n*\n", "INPUT_DATASET=--output=x\n"+evil+"\nno such-*\n")
	if want := "<score>\n<" + evil + ">\n<-q>\n<*>\n<-->\n<--output=x>\n<" + evil + ">\n<no such-*>\n"; r.code != 0 || r.out != want {
		t.Errorf("got exit code %d and output %q, want 0 and %q", r.code, r.out, want)
	}
	checkNotExecuted(t, r)
	for _, version := range []string{evil, "v1.2.3\n::error::x", "v1.2.3/../../x"} {
		r := runAction(t, "action-install.sh", "", "INPUT_VERSION="+version, "INPUT_RELEASES=http://127.0.0.1:9")
		if r.code != 1 || r.out != "::error title=ragfaith::version: want v1.2.3, source or installed\n" || r.path != "" {
			t.Errorf("%s: got exit code %d and output %q, want 1 and an error about the version", version, r.code, r.out)
		}
		checkNotExecuted(t, r)
	}
}

func checkNotExecuted(t *testing.T, r *actionRun) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(r.dir, "hacked")); err == nil {
		t.Errorf("an input was executed: %s", r.out)
	}
}

// serveRelease serves version 1.2.3 for one platform and returns its URL. modify replaces
// the file with an extension, or removes it by returning nil.
func serveRelease(t *testing.T, extension string, modify func(content []byte) []byte) string {
	t.Helper()
	const program = "#!/bin/sh\necho ragfaith v1.2.3\n"
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: "ragfaith", Mode: 0o755, Size: int64(len(program))})
	_, werr := w.Write([]byte(program))
	if err := errors.Join(err, werr, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	const name = "ragfaith_1.2.3_linux_amd64.tar.gz"
	files := map[string][]byte{
		name:                           archive.Bytes(),
		"ragfaith_1.2.3_checksums.txt": fmt.Appendf(nil, "%x  %s.sbom.json\n%x  %s\n", sha256.Sum256(nil), name, sha256.Sum256(archive.Bytes()), name),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/v1.2.3/")
		content := files[name]
		if filepath.Ext(name) == extension {
			content = modify(content)
		}
		if !ok || content == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestActionVerifiesReleaseChecksum(t *testing.T) {
	t.Parallel()
	whole := serveRelease(t, "none", nil)
	other := serveRelease(t, ".gz", func(content []byte) []byte { return append(content, 0) })
	unlisted := serveRelease(t, ".txt", func(content []byte) []byte {
		return bytes.ReplaceAll(content, []byte("amd64.tar.gz\n"), []byte("arm64.tar.gz\n"))
	})
	alone := serveRelease(t, ".txt", func([]byte) []byte { return nil })
	for name, tt := range map[string]struct {
		env  []string
		code int
		out  string
	}{
		"version without v":    {[]string{"INPUT_VERSION=1.2.3", "INPUT_RELEASES=" + whole + "/"}, 0, "ragfaith v1.2.3\n"},
		"tag of the action":    {[]string{"ACTION_REF=v1.2.3", "INPUT_RELEASES=" + whole}, 0, "ragfaith v1.2.3\n"},
		"modified archive":     {[]string{"INPUT_VERSION=v1.2.3", "INPUT_RELEASES=" + other}, 1, "checksum mismatch"},
		"unlisted archive":     {[]string{"INPUT_VERSION=v1.2.3", "INPUT_RELEASES=" + unlisted}, 1, "checksum mismatch"},
		"missing checksums":    {[]string{"INPUT_VERSION=v1.2.3", "INPUT_RELEASES=" + alone}, 1, "ragfaith_1.2.3_checksums.txt: download failed"},
		"unsupported platform": {[]string{"INPUT_VERSION=v1.2.3", "INPUT_RELEASES=" + whole, "RUNNER_OS=Plan9", "GOPROXY=off", "GOFLAGS=-modcacherw"}, 1, "ragfaith 1.2.3 has no binary for Plan9 X64; building from source"},
		"no server":            {[]string{"INPUT_VERSION=v1.2.3", "INPUT_RELEASES=http://127.0.0.1:9"}, 1, "status 000"},
		"installed":            {[]string{"INPUT_VERSION=installed"}, 0, ""},
		"missing source":       {[]string{"ACTION_REF=main", "ACTION_PATH=/dev/null/none"}, 1, "/dev/null/none"},
	} {
		t.Run(name, func(t *testing.T) {
			r := runAction(t, "action-install.sh", "", tt.env...)
			if r.code != tt.code || !strings.Contains(r.out, tt.out) {
				t.Errorf("exit code %d\n%s", r.code, r.out)
			}
			if (r.path != "") != (strings.HasSuffix(tt.out, "v1.2.3\n") && tt.code == 0) {
				t.Errorf("got PATH: %q", r.path)
			}
		})
	}
}
