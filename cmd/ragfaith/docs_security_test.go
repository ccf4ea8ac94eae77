package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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

// TestNoPackageUnpacksArchives guards against path traversal in archives: no package
// imports an archive library, except to read weights and logs of Inspect, whose entries
// are never written to files.
func TestNoPackageUnpacksArchives(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	for _, root := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(docsRoot, root), func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && path == filepath.Join(docsRoot, "internal", "encoder", "checkpoint") {
				return fs.SkipDir
			}
			if path == filepath.Join(docsRoot, "internal", "dataset", "archive.go") {
				return nil
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range file.Imports {
				if name := strings.Trim(i.Path.Value, `"`); strings.Contains(name, "archive") || strings.Contains(name, "/zip") || strings.Contains(name, "/tar") {
					t.Errorf("%s imports %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
