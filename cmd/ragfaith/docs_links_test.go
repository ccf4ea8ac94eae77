package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	docsFence = regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->|`[^`\n]*`")
	docsLink  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
)

// TestDocsLinksResolve checks that links between the pages lead to existing files and
// headings.
func TestDocsLinksResolve(t *testing.T) {
	t.Parallel()
	for _, page := range docsPages(t) {
		text := docsFence.ReplaceAllString(readFile(t, filepath.Join(docsRoot, page)), "")
		for _, m := range docsLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(page), file)
			if file == "" {
				target = page
			}
			if _, err := os.Stat(filepath.Join(docsRoot, target)); err != nil {
				t.Errorf("%s: link to a missing file: %s", page, m[1])
			} else if anchor != "" && strings.HasSuffix(target, ".md") && !docsAnchors(t, target)[anchor] {
				t.Errorf("%s: link to a missing heading: %s", page, m[1])
			}
		}
	}
}

// docsAnchors returns the anchors that GitHub gives the headings of a page.
func docsAnchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	text := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(readFile(t, filepath.Join(docsRoot, page)), "")
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors[strings.ReplaceAll(name, " ", "-")] = true
	}
	return anchors
}

// TestDocsIndexListsEveryPage checks that docs/README.md links every page of docs once.
func TestDocsIndexListsEveryPage(t *testing.T) {
	t.Parallel()
	listed := map[string]int{}
	for _, m := range docsLink.FindAllStringSubmatch(readFile(t, filepath.Join(docsRoot, "docs", "README.md")), -1) {
		listed[m[1]]++
	}
	for _, page := range docsPages(t) {
		name, ok := strings.CutPrefix(page, "docs/")
		if n := listed[name]; ok && name != "README.md" && n != 1 {
			t.Errorf("docs/README.md links %s %d times, want 1", name, n)
		}
	}
}
