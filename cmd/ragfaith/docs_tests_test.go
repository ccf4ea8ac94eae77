package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedThreatsAndFaultsHaveTests checks that every threat and fault in the docs
// names an existing test.
func TestDocumentedThreatsAndFaultsHaveTests(t *testing.T) {
	t.Parallel()
	checkNamedTests(t, "SECURITY.md")
	checkNamedTests(t, filepath.Join("docs", "reliability.md"))
}

// checkNamedTests checks that the tests named on a page (`TestX`, `FuzzX` or `x.txtar`)
// exist, and that each row of a table with a column "Test" names one. It returns the
// names in order.
func checkNamedTests(t *testing.T, page string) []string {
	t.Helper()
	known := testNames(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Z0-9][A-Za-z0-9_]*|\\w+\\.txtar)`")
	var names []string
	column := -1 // of tests in the current table
	for i, line := range strings.Split(readFile(t, filepath.Join(docsRoot, page)), "\n") {
		for _, m := range name.FindAllStringSubmatch(line, -1) {
			if names = append(names, m[1]); !known[m[1]] {
				t.Errorf("%s:%d: no such test: %s", page, i+1, m[1])
			}
		}
		if !strings.HasPrefix(line, "|") {
			column = -1
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if c := slices.IndexFunc(cells, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), "test") }); c >= 0 {
			column = c
			continue
		}
		if column < 0 || strings.Trim(line, "|-: ") == "" {
			continue
		}
		if column >= len(cells) || !name.MatchString(cells[column]) {
			t.Errorf("%s:%d: row names no test: %s", page, i+1, line)
		}
	}
	if len(names) == 0 {
		t.Errorf("%s names no test", page)
	}
	return names
}

// testNames returns the names of all tests, fuzz targets and scripts in the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
	err := filepath.WalkDir(docsRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != docsRoot:
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			known[d.Name()] = true
			return nil
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}
