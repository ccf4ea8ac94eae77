package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packageRow matches a row of the package table in docs/design.md: path, contents
// and imports.
var packageRow = regexp.MustCompile("(?m)^\\| `((?:cmd|internal|tools|training)/[^`]*)` \\| (.*) \\| (.*) \\|\n")

// TestDesignListsEveryPackageWithItsImports compares the package table of
// docs/design.md with the packages of the module and what they import from it. The
// flag -update rewrites the table.
func TestDesignListsEveryPackageWithItsImports(t *testing.T) {
	const module = "github.com/ragfaith/ragfaith/"
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{.Doc}}|{{join .Imports " "}}`, "./...")
	cmd.Dir = docsRoot
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	list, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports, synopsis := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(list)) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 3)
		name := strings.TrimPrefix(fields[0], module)
		var internal []string
		for _, path := range strings.Fields(fields[2]) {
			if path, ok := strings.CutPrefix(path, module); ok {
				internal = append(internal, strings.TrimPrefix(path, "internal/"))
			}
		}
		imports[name], synopsis[name] = strings.Join(internal, ", "), fields[1]
		switch {
		case name == "cmd/ragfaith":
			imports[name] = "all of internal"
		case len(internal) == 0:
			imports[name] = "nothing"
		}
	}

	path := filepath.Join(docsRoot, "docs", "design.md")
	page := readFile(t, path)
	documented, contents := map[string]string{}, map[string]string{}
	for _, m := range packageRow.FindAllStringSubmatch(page, -1) {
		documented[m[1]], contents[m[1]] = m[3], m[2]
	}
	if d := cmp.Diff(imports, documented); d != "" && !*update {
		t.Errorf("imports differ from docs/design.md (-want +got), which go test ./cmd/ragfaith -run Design -update rewrites:\n%s", d)
	}
	if !*update {
		return
	}
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		text := contents[name]
		if text == "" {
			text = synopsis[name]
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", name, text, imports[name])
	}
	first := packageRow.FindStringIndex(page)
	if first == nil {
		t.Fatalf("%s has no table of packages", path)
	}
	page = page[:first[0]] + table.String() + packageRow.ReplaceAllString(page[first[0]:], "")
	writeFile(t, path, page)
}
