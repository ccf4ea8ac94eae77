package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// readYAML returns the root of a YAML file in the repository.
func readYAML(t *testing.T, path string) map[string]any {
	t.Helper()
	var root map[string]any
	if err := yaml.Unmarshal([]byte(readFile(t, path)), &root); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return root
}

// commandsBelow returns the commands of all steps below a node.
func commandsBelow(node any) (commands []string) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			commands = append(commands, commandsBelow(item)...)
		}
	case map[string]any:
		for key, value := range node {
			if text, ok := value.(string); ok && key == "run" {
				commands = append(commands, text)
			}
			commands = append(commands, commandsBelow(value)...)
		}
	}
	return commands
}

// TestWorkflowsPinActions checks that workflows, also those in the docs, pin actions by commit,
// and that no command contains an expression, whose value could be any shell code.
func TestWorkflowsPinActions(t *testing.T) {
	t.Parallel()
	files := must(filepath.Glob(filepath.Join(docsRoot, ".github", "workflows", "*.yml")))
	if len(files) == 0 {
		t.Fatal("no workflows")
	}
	uses, pinned := regexp.MustCompile(`uses: +(\S+)`), regexp.MustCompile(`^\./|^ragfaith/ragfaith@|@[0-9a-f]{40}$`)
	for _, file := range append(files, filepath.Join(docsRoot, "action.yml"), filepath.Join(docsRoot, "docs", "ci.md")) {
		for _, m := range uses.FindAllStringSubmatch(readFile(t, file), -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned by a commit hash", file, m[1])
			}
		}
		if filepath.Ext(file) != ".yml" {
			continue
		}
		for _, command := range commandsBelow(readYAML(t, file)) {
			if strings.Contains(command, "${{") {
				t.Errorf("%s: command contains an expression: %s", file, command)
			}
		}
	}
}

// TestActionPassesInputsAsEnvironment checks that action.yml passes every input to a script
// that reads it.
func TestActionPassesInputsAsEnvironment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(docsRoot, "action.yml")
	scripts := readFile(t, filepath.Join(docsRoot, "scripts", "action-install.sh")) + readFile(t, filepath.Join(docsRoot, "scripts", "action-score.sh"))
	inputs, _ := readYAML(t, path)["inputs"].(map[string]any)
	for input := range inputs {
		variable := "INPUT_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
		passed := strings.Contains(readFile(t, path), variable+": ${{ inputs."+input+" }}\n") && strings.Contains(scripts, "${"+variable)
		if input != "working-directory" && !passed {
			t.Errorf("input %s does not reach a script", input)
		}
	}
	if len(inputs) < 10 {
		t.Errorf("got %d inputs, want at least 10", len(inputs))
	}
}

// TestReleaseFilesAreComplete checks the files packaged with the binary of a release.
func TestReleaseFilesAreComplete(t *testing.T) {
	t.Parallel()
	skipShort(t)
	dir := t.TempDir()
	mustExit(t, runCommand(t, repositoryScript("release-files.sh", dir, "ragfaith")), exitOK)
	notices := readFile(t, filepath.Join(dir, "THIRD_PARTY_NOTICES.md"))
	// A module of Windows only, WordNet, the standard library, the weights of the embedded judge
	// and the token vocabularies.
	for _, want := range []string{"\n## github.com/inconshreveable/mousetrap v", "WordNet 3.0", "Copyright 2009 The Go Authors", "all-mpnet-base-v2", "Attribution-ShareAlike 4.0", "Copyright (c) 2022 OpenAI"} {
		if !strings.Contains(notices, want) {
			t.Errorf("notices do not mention %s", want)
		}
	}
	if strings.Contains(notices, "chromedp") {
		t.Error("notices include test dependency chromedp")
	}
	if page := readFile(t, filepath.Join(dir, "man", "ragfaith-score.1")); !strings.Contains(page, "min-mean") {
		t.Error("man page of score does not mention --min-mean")
	}
	for shell, want := range map[string]string{"bash": "complete ", "zsh": "#compdef ragfaith", "fish": "complete -c ragfaith", "powershell": "Register-ArgumentCompleter"} {
		if text := readFile(t, filepath.Join(dir, "completions", "ragfaith."+shell)); !strings.Contains(text, want) {
			t.Errorf("%s: got completion %.200q, want it to contain %q", shell, text, want)
		}
	}
	// A fake go that lists one module in a directory without a license.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho example.com/module v1.0.0 '"+bin+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := repositoryScript("release-files.sh", t.TempDir(), "ragfaith")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	checkExit(t, runCommand(t, cmd), exitFailure, "example.com/module v1.0.0 has no licence")
}

func TestSBOMListsModules(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"jq", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s not found", program)
		}
	}
	sbom := mustExit(t, runCommand(t, repositoryScript("sbom.sh", must(os.Executable()))), exitOK).stderr
	_, cobra, _ := strings.Cut(readFile(t, filepath.Join(docsRoot, "go.mod")), "github.com/spf13/cobra ")
	version, _, _ := strings.Cut(cobra, "\n")
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"alg": "SHA-256"`, `"purl": "pkg:golang/github.com/spf13/cobra@` + version + `"`} {
		if !strings.Contains(sbom, want) {
			t.Errorf("got %.300s, want it to contain %s", sbom, want)
		}
	}
	if got := runCommand(t, repositoryScript("sbom.sh", "LICENSE")); got.code == exitOK {
		t.Errorf("got SBOM %q for a file that is not a binary, want an error", got.stderr)
	}
}

// repositoryScript returns the command of a script, in the repository root.
func repositoryScript(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("./scripts/"+name, args...)
	cmd.Dir = docsRoot
	return cmd
}
