package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A hook is a pre-commit hook, as defined in .pre-commit-hooks.yaml or used by a
// repository.
type hook struct {
	ID, Entry, Language, Files string
	Args                       []string
}

// runPipeline runs the commands in a CI configuration: workflow steps, GitLab scripts and
// pre-commit hooks. A ragfaith.yaml is only validated.
func (r *docsRunner) runPipeline(t *testing.T, b *docsBlock) {
	t.Helper()
	if strings.HasPrefix(b.text, "# ragfaith.yaml\n") {
		writeFile(t, filepath.Join(r.dir, "page.yaml"), b.text)
		r.runScript(t, b, "ragfaith config show --config page.yaml")
		return
	}
	var node any
	if err := yaml.Unmarshal([]byte(b.text), &node); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	ran := 0
	r.jobs(t, b, node, &ran)
	if ran == 0 {
		t.Errorf("%s: found nothing to run; use the language text if this is not a CI configuration", b)
	}
}

// jobs runs the commands anywhere below node and counts them in ran.
func (r *docsRunner) jobs(t *testing.T, b *docsBlock, node any, ran *int) {
	t.Helper()
	list, isList := node.([]any)
	if isList {
		for _, n := range list {
			r.jobs(t, b, n, ran)
		}
		return
	}
	keys, _ := node.(map[string]any)
	for key, value := range keys {
		switch text, isText := value.(string); {
		case key == "run" && isText:
			if strings.Contains(text, "${{") {
				t.Errorf("%s: command contains an expression; pass it as an environment variable", b)
			}
			*ran++
			r.runScript(t, b, text, append(githubEnv(t, r.dir), r.variables(keys)...)...)
		case key == "script" && !isText:
			*ran++
			r.runScript(t, b, strings.Join(texts(t, b, value), "\n"), "GITLAB_CI=true", "CI=true")
		case key == "before_script":
			// It needs the network to install tools, so only its syntax is checked.
			script := strings.Join(texts(t, b, value), "\n")
			if out, code := r.runBash(t, b, "bash -n <<'END-OF-IT'\n"+script+"\nEND-OF-IT\n"); code != 0 {
				t.Errorf("%s: invalid shell syntax: %s\n%s", b, script, out)
			}
		case key == "uses" && isText:
			name, ref, _ := strings.Cut(text, "@")
			if name == "ragfaith/ragfaith" {
				*ran++
				r.action(t, b, keys)
			} else if !isCommitHash(ref) {
				t.Errorf("%s: %s is not pinned by a commit hash", b, text)
			}
		case key == "hooks":
			*ran++
			r.hooks(t, b, value)
		default:
			r.jobs(t, b, value, ran)
		}
	}
}

// isCommitHash reports whether ref is a full commit hash.
func isCommitHash(ref string) bool {
	return len(ref) == 40 && strings.Trim(ref, "0123456789abcdef") == ""
}

// texts returns a node that must be a list of strings.
func texts(t *testing.T, b *docsBlock, node any) []string {
	t.Helper()
	list, _ := node.([]any)
	var out []string
	for _, n := range list {
		s, ok := n.(string)
		if !ok {
			t.Fatalf("%s: %v is not a string", b, n)
		}
		out = append(out, s)
	}
	return out
}

// githubEnv returns the environment of a workflow step.
func githubEnv(t *testing.T, dir string) []string {
	t.Helper()
	temp := t.TempDir()
	return []string{
		"CI=true", "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary.md"), "GITHUB_OUTPUT=" + filepath.Join(temp, "output"),
		"GITHUB_PATH=" + filepath.Join(temp, "path"), "GITHUB_WORKSPACE=" + dir, "RUNNER_TEMP=" + temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
	}
}

// variables returns the environment that a step sets, with placeholders for expressions.
func (r *docsRunner) variables(step map[string]any) []string {
	env, _ := step["env"].(map[string]any)
	var out []string
	for name, value := range env {
		if text, ok := value.(string); ok && !strings.Contains(text, "${{") {
			out = append(out, name+"="+text)
		} else {
			out = append(out, name+"=7") // such as a pull request number
		}
	}
	return out
}

// action runs the scripts of action.yml with the inputs of a step.
func (r *docsRunner) action(t *testing.T, b *docsBlock, step map[string]any) {
	t.Helper()
	inputs, _ := step["with"].(map[string]any)
	action := readAction(t)
	env := append(githubEnv(t, r.dir), r.variables(step)...)
	for name, value := range inputs {
		if _, ok := action.Inputs[name]; !ok {
			t.Errorf("%s: the action has no input %s", b, name)
		}
		text, ok := value.(string)
		if !ok {
			t.Errorf("%s: %s: %v is not a string; quote it", b, name, value)
		}
		env = append(env, inputVariable(name)+"="+text)
	}
	if inputs["dataset"] == nil { // install only
		return
	}
	score := must(filepath.Abs(filepath.Join(docsRoot, "scripts", "action-score.sh")))
	r.runScript(t, b, "'"+score+"'", env...)
}

// hooks runs pre-commit hooks on a dataset.
func (r *docsRunner) hooks(t *testing.T, b *docsBlock, value any) {
	t.Helper()
	var defined, used []hook
	text := must(yaml.Marshal(value))
	if err := yaml.Unmarshal(text, &used); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(docsRoot, ".pre-commit-hooks.yaml"))), &defined); err != nil {
		t.Fatal(err)
	}
	for _, h := range used {
		index := slices.IndexFunc(defined, func(o hook) bool { return o.ID == h.ID })
		if index < 0 {
			t.Errorf("%s: no such hook: %s", b, h.ID)
			continue
		}
		if h.Args == nil {
			h.Args = defined[index].Args
		}
		r.runScript(t, b, defined[index].Entry+" "+strings.Join(h.Args, " ")+" dataset.jsonl")
	}
}

// An actionFile is the parsed action.yml.
type actionFile struct {
	Inputs, Outputs map[string]struct {
		Description, Default, Value string
		Required                    bool
	}
	Runs struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run, Uses string
			Env                        map[string]string
		}
	}
}

func readAction(t *testing.T) *actionFile {
	t.Helper()
	text := readFile(t, filepath.Join(docsRoot, "action.yml"))
	var a actionFile
	if err := yaml.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

// inputVariable returns the environment variable that passes an action input to the
// scripts.
func inputVariable(input string) string {
	return "INPUT_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
}
