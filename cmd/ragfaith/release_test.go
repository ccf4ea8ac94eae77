package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleaseFilesAreComplete checks the files packaged with the binary of a release.
func TestReleaseFilesAreComplete(t *testing.T) {
	t.Parallel()
	skipShort(t)
	dir := t.TempDir()
	runScript(t, "scripts/release-files.sh", dir, "ragfaith")
	notices := readFile(t, filepath.Join(dir, "THIRD_PARTY_NOTICES.md"))
	for _, module := range []string{"github.com/spf13/cobra", "modernc.org/sqlite", "github.com/parquet-go/parquet-go", "github.com/inconshreveable/mousetrap"} {
		_, section, found := strings.Cut(notices, "\n## "+module+" v")
		section, _, _ = strings.Cut(section, "\n## ")
		if !found || len(section) < 500 {
			t.Errorf("%s: got notice %q, want the text of a license", module, section)
		}
	}
	if strings.Contains(notices, "chromedp") {
		t.Error("notices include test dependency chromedp")
	}
	// WordNet, the standard library, the weights of the embedded judge and the token vocabularies.
	for _, want := range []string{"WordNet 3.0", "Copyright 2009 The Go Authors", "e5-small-v2", "Attribution-ShareAlike 4.0", "Copyright (c) 2022 OpenAI"} {
		if !strings.Contains(notices, want) {
			t.Errorf("notices do not mention %s", want)
		}
	}
	if page := readFile(t, filepath.Join(dir, "man", "ragfaith-score.1")); !strings.Contains(page, "min\\-mean") && !strings.Contains(page, "min-mean") {
		t.Error("man page of score does not mention --min-mean")
	}
	for shell, want := range map[string]string{"bash": "complete ", "zsh": "#compdef ragfaith", "fish": "complete -c ragfaith", "powershell": "Register-ArgumentCompleter"} {
		if text := readFile(t, filepath.Join(dir, "completions", "ragfaith."+shell)); !strings.Contains(text, want) {
			t.Errorf("%s: got completion %.200q, want it to contain %q", shell, text, want)
		}
	}
}

// TestReleaseScriptsRejectBadInput checks that the release scripts fail if a license is
// missing or a file is not a Go binary.
func TestReleaseScriptsRejectBadInput(t *testing.T) {
	t.Parallel()
	skipShort(t)
	// A fake go that lists one module in a directory without a license.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho example.com/module v1.0.0 '"+bin+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("scripts/release-files.sh", t.TempDir(), "ragfaith")
	cmd.Dir, cmd.Env = docsRoot, append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "example.com/module v1.0.0 has no licence") {
		t.Errorf("missing license: got error %v and output %q, want an error that names the module", err, out)
	}
	cmd = exec.Command("scripts/sbom.sh", "LICENSE")
	cmd.Dir = docsRoot
	if out, err := cmd.Output(); err == nil {
		t.Errorf("got SBOM %q for a file that is not a binary, want an error", out)
	}
}

func TestSBOMListsModules(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"jq", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s not found", program)
		}
	}
	binary := must(os.Executable())
	text := runScript(t, "scripts/sbom.sh", binary)
	if second := runScript(t, "scripts/sbom.sh", binary); second != text {
		t.Error("SBOM is not reproducible")
	}
	type component struct {
		Ref           string `json:"bom-ref"`
		Name, Version string
		Hashes        []struct{ Content string }
	}
	var bom struct {
		Format       string `json:"bomFormat"`
		Version      string `json:"specVersion"`
		Metadata     struct{ Component component }
		Components   []component
		Dependencies []struct {
			Ref       string
			DependsOn []string `json:"dependsOn"`
		}
	}
	if err := json.Unmarshal([]byte(text), &bom); err != nil {
		t.Fatal(err)
	}
	if bom.Format != "CycloneDX" || bom.Version != "1.6" || len(bom.Metadata.Component.Hashes) != 1 || len(bom.Metadata.Component.Hashes[0].Content) != 64 {
		t.Errorf("got format %s %s and metadata %+v, want CycloneDX 1.6 with one hash", bom.Format, bom.Version, bom.Metadata)
	}
	if len(bom.Dependencies) != 1 || len(bom.Dependencies[0].DependsOn) != len(bom.Components) || bom.Dependencies[0].Ref != bom.Metadata.Component.Ref {
		t.Errorf("got dependencies %+v, want every component as a dependency of the program", bom.Dependencies)
	}
	refs := map[string]bool{}
	for _, c := range bom.Components {
		if c.Name == "" || c.Version == "" || refs[c.Ref] {
			t.Errorf("got incomplete or duplicate component %+v", c)
		}
		refs[c.Ref] = true
	}
	mod := readFile(t, filepath.Join(docsRoot, "go.mod"))
	for _, module := range []string{"github.com/spf13/cobra", "modernc.org/sqlite"} {
		_, version, _ := strings.Cut(mod, module+" ")
		version, _, _ = strings.Cut(version, "\n")
		if !refs["pkg:golang/"+module+"@"+version] {
			t.Errorf("got an SBOM without %s %s, want it to list the module", module, version)
		}
	}
}

// runScript runs a script in the repository root and returns its output.
func runScript(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.FromSlash("./"+name), args...)
	cmd.Dir = docsRoot
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, errs.String())
	}
	return string(out)
}
