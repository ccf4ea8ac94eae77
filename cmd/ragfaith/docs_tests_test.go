package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedThreatsAndFaultsHaveTests checks that the tests named by the threats and
// faults in the docs (`TestX`, `FuzzX` or `x.txtar`) exist.
func TestDocumentedThreatsAndFaultsHaveTests(t *testing.T) {
	t.Parallel()
	known := testNames(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Z0-9][A-Za-z0-9_]*|\\w+\\.txtar)`")
	for _, page := range []string{"SECURITY.md", "docs/reliability.md"} {
		found := name.FindAllStringSubmatch(readFile(t, filepath.Join(docsRoot, page)), -1)
		for _, m := range found {
			if !known[m[1]] {
				t.Errorf("%s: no such test: %s", page, m[1])
			}
		}
		if len(found) == 0 {
			t.Errorf("%s names no test", page)
		}
	}
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
