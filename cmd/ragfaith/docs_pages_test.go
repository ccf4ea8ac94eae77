package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
)

// TestDocsLinksResolve checks that links between the pages lead to existing files and headings.
func TestDocsLinksResolve(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->|`[^`\n]*`")
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading, punctuation := regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for page, text := range docsPages(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join(docsRoot, page)
			if file != "" {
				target = filepath.Join(docsRoot, path.Dir(page), file)
			}
			content, err := os.ReadFile(target)
			found := anchor == "" || !strings.HasSuffix(target, ".md")
			for _, h := range heading.FindAllStringSubmatch(string(content), -1) {
				name := punctuation.ReplaceAllString(strings.ToLower(h[1]), "")
				found = found || strings.ReplaceAll(name, " ", "-") == anchor
			}
			if _, statErr := os.Stat(target); statErr != nil || err == nil && !found {
				t.Errorf("%s: link to a missing file or heading: %s", page, m[1])
			}
		}
	}
}

// TestDocsIndexListsEveryPage checks that docs/README.md links every page of docs.
func TestDocsIndexListsEveryPage(t *testing.T) {
	t.Parallel()
	pages := docsPages(t)
	for page := range pages {
		if name, ok := strings.CutPrefix(page, "docs/"); ok && name != "README.md" && !strings.Contains(pages["docs/README.md"], "]("+name+")") {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// foreignFlags are flags of other programs that the docs mention in text.
const foreignFlags = "--user --tmpfs --read-only --sshlogin --files --build-arg"

// TestDocsNameExistingFlags checks the flags in inline code, and those of ragfaith commands in
// code blocks, of which some are not run.
func TestDocsNameExistingFlags(t *testing.T) {
	t.Parallel()
	known := strings.Fields(foreignFlags + " --help --version")
	add := func(f *pflag.Flag) { known = append(known, "--"+f.Name) }
	var addAll func(cmd *cobra.Command)
	addAll = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
		for _, c := range cmd.Commands() {
			addAll(c)
		}
	}
	addAll(newRoot(emptySystem()))
	command := regexp.MustCompile("`-[^`\n]*`|\\bragfaith (?:score|report|compare|calibrate|segment|models|config|cache|prompts)[^`|;>\n]*")
	flag := regexp.MustCompile(`(?:^|[\s\x60[])(--[a-z][a-z-]*)`)
	for page, text := range docsPages(t) {
		for _, c := range command.FindAllString(text, -1) {
			for _, m := range flag.FindAllStringSubmatch(c, -1) {
				if !slices.Contains(known, m[1]) {
					t.Errorf("%s: %s: no such flag: %s", page, c, m[1])
				}
			}
		}
	}
}

func TestModelsPageListsEveryModel(t *testing.T) {
	t.Parallel()
	page := docsPages(t)["docs/models.md"]
	for _, n := range hub.Names() {
		c := n.Card
		row := fmt.Sprintf("\n| %s | %s | %d | %s | %s | %s |", n.Short, n.Repo, c.Millions, c.License, c.Languages, c.Accuracy)
		if !strings.Contains(page, row) {
			t.Errorf("docs/models.md: missing%s", row)
		}
	}
}

// TestDocumentedThreatsAndFaultsHaveTests checks that the tests named by the threats and
// faults in the docs (`TestX`, `FuzzX` or `x.txtar`) exist.
func TestDocumentedThreatsAndFaultsHaveTests(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(docsRoot, func(path string, d fs.DirEntry, err error) error {
		if known[d.Name()] = true; err == nil && strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(readFile(t, path), -1) {
				known[m[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Z0-9]\\w*|\\w+\\.txtar)`")
	for _, page := range []string{"SECURITY.md", "docs/reliability.md"} {
		for _, m := range name.FindAllStringSubmatch(docsPages(t)[page], -1) {
			if !known[m[1]] {
				t.Errorf("%s: no such test: %s", page, m[1])
			}
		}
	}
}
