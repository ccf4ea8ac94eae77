package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testsOfTheRepository are the names of all its tests.
func testsOfTheRepository(t *testing.T) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, top := range []string{"cmd", "internal"} {
		for name, source := range filesOfFolder(t, filepath.Join(docsRoot, top)) {
			if !strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range declared.FindAllStringSubmatch(source, -1) {
				tests[m[1]] = true
			}
		}
	}
	return tests
}

// What the page on reliability says was tried was: each row of a table names a
// test, and each test that it names is there.
func TestThePageOnReliabilityNamesTestsThatThereAre(t *testing.T) {
	tests := testsOfTheRepository(t)
	row, code := regexp.MustCompile(`^\|.*\|$`), regexp.MustCompile("`((?:Test|Fuzz)\\w+|\\w+\\.txtar)`")
	rows := 0
	lines := strings.Split(read(t, filepath.Join(docsRoot, "docs", "reliability.md")), "\n")
	for i, line := range lines {
		named := code.FindAllStringSubmatch(line, -1)
		head := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---")
		if row.MatchString(line) && !head && !strings.HasPrefix(line, "|---") {
			if rows++; len(named) == 0 {
				t.Errorf("line %d names no test: %s", i+1, line)
			}
		}
		for _, m := range named {
			if strings.HasSuffix(m[1], ".txtar") {
				if _, err := os.Stat(filepath.Join("testdata", "script", m[1])); err != nil {
					t.Error(err)
				}
			} else if !tests[m[1]] {
				t.Errorf("line %d: there is no test %s", i+1, m[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
}
