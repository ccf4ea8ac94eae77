package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docsRoot is the path of the repository root.
const docsRoot = "../.."

// A docsBlock is a fenced code block of a page.
type docsBlock struct {
	page   string // relative to the repository root
	line   int    // line number of the opening fence
	lang   string
	attrs  map[string]string // options after the language, such as llm or exit=4
	before string            // shell commands of a preceding comment <!-- before: … -->
	text   string
}

func (b *docsBlock) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// has reports whether the block has an option.
func (b *docsBlock) has(word string) bool { _, ok := b.attrs[word]; return ok }

// docsLangs are the allowed languages.
const docsLangs = "sh console yaml groovy python sql json text"

// docsWords are the allowed options, documented in CONTRIBUTING.md.
const docsWords = "llm providers hub repository exit skip"

// docsPages returns the pages whose commands are run.
func docsPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "training/README.md"}
	docs, err := filepath.Glob(filepath.Join(docsRoot, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, d := range docs {
		pages = append(pages, "docs/"+filepath.Base(d))
	}
	return pages
}

// readBlocks parses the fenced code blocks of a page.
func readBlocks(page, text string) ([]*docsBlock, error) {
	fence := regexp.MustCompile("^( *)(```+)([^`]*)$")
	var blocks []*docsBlock
	var open *docsBlock
	var marks, indent, before string
	comment := false
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil && len(m[2]) >= len(marks) && strings.TrimSpace(m[3]) == "":
			blocks, open = append(blocks, open), nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case comment || strings.HasPrefix(line, "<!-- before:"):
			part, end := strings.CutSuffix(line, "-->")
			before += strings.TrimPrefix(part, "<!-- before:") + "\n"
			comment = !end
		case m != nil:
			indent, marks = m[1], m[2]
			open = &docsBlock{page: page, line: i + 1, attrs: map[string]string{}, before: before}
			before = ""
			for j, word := range strings.Fields(m[3]) {
				name, value, _ := strings.Cut(word, "=")
				switch {
				case j == 0:
					open.lang = name
				case !slices.Contains(strings.Fields(docsWords), name):
					return nil, fmt.Errorf("%s: unknown option %q (known: %s)", open, name, docsWords)
				default:
					open.attrs[name] = value
				}
			}
			if !slices.Contains(strings.Fields(docsLangs), open.lang) {
				return nil, fmt.Errorf("%s: unknown language %q (known: %s)", open, open.lang, docsLangs)
			}
		case before != "" && strings.TrimSpace(line) != "":
			return nil, fmt.Errorf("%s:%d: comment <!-- before: … --> is not followed by a block", page, i+1)
		}
	}
	if open != nil || comment {
		return nil, fmt.Errorf("%s: unclosed block or comment", page)
	}
	return blocks, nil
}

// docsBlocks returns the blocks of a page.
func docsBlocks(t *testing.T, page string) []*docsBlock {
	t.Helper()
	text := readFile(t, filepath.Join(docsRoot, page))
	blocks, err := readBlocks(page, text)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// TestDocsCommandsRun runs the blocks of each page from top to bottom in a fresh
// directory, as a reader would.
func TestDocsCommandsRun(t *testing.T) {
	skipShort(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash not found")
	}
	for _, page := range docsPages(t) {
		if page == docsServersPage {
			continue // TestDocsServersSendWhatProvidersExpect runs its blocks
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			blocks := docsBlocks(t, page)
			if len(blocks) == 0 {
				return
			}
			r := newDocsRunner(t)
			for _, b := range blocks {
				r.runBlock(t, b)
			}
			if *update {
				rewritePage(t, page, blocks)
			}
		})
	}
}
