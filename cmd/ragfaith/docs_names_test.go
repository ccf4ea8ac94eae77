package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
)

// foreignFlags are flags of other programs that the docs mention.
const foreignFlags = "--weight --max-ratio --lexical-weight --weights --rate --workers --user --tmpfs --read-only --sshlogin --files --build-arg"

// TestDocsNameExistingCommandsAndFlags checks that inline code in the docs names only
// existing commands, flags and make targets.
func TestDocsNameExistingCommandsAndFlags(t *testing.T) {
	t.Parallel()
	root := newRoot(emptySystem())
	flags := flagNames(root)
	makefile := readFile(t, filepath.Join(docsRoot, "Makefile"))
	blocks := regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->") // blocks are executed by another test
	code := regexp.MustCompile("`([^`]+)`")
	for _, page := range docsPages(t) {
		text := blocks.ReplaceAllString(readFile(t, filepath.Join(docsRoot, page)), "")
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(m[1]))
			if len(words) == 0 {
				continue
			}
			known := flags
			switch {
			case words[0] == "ragfaith":
				cmd, rest, err := root.Find(words[1:])
				if err != nil || cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
					t.Errorf("%s: no such command: %s", page, m[1])
					continue
				}
				known = flagNames(cmd)
			case words[0] == "make":
				if len(words) > 1 && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(words[1])+`:`).MatchString(makefile) {
					t.Errorf("%s: no such make target: %s", page, m[1])
				}
				continue
			case !strings.HasPrefix(words[0], "--"):
				continue
			}
			for _, w := range words {
				name, _, _ := strings.Cut(strings.TrimRight(w, ".,"), "=")
				if strings.HasPrefix(name, "--") && len(name) > 2 && !slices.Contains(known, name) && !slices.Contains(strings.Fields(foreignFlags), name) {
					t.Errorf("%s: %s: no such flag: %s", page, m[1], name)
				}
			}
		}
	}
}

// flagNames returns the flags of a command and its subcommands.
func flagNames(cmd *cobra.Command) []string {
	names := []string{"--help", "--version"}
	add := func(f *pflag.Flag) { names = append(names, "--"+f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	for _, c := range cmd.Commands() {
		names = append(names, flagNames(c)...)
	}
	return names
}

// TestTerminalPictureMatchesOutput checks the screenshot against the output of the
// command in its first line.
func TestTerminalPictureMatchesOutput(t *testing.T) {
	path := filepath.Join(docsRoot, "docs", "terminal.svg")
	shown := regexp.MustCompile(`<text [^>]*>([^<]*)</text>`).FindAllStringSubmatch(readFile(t, path), -1)
	command := ""
	if len(shown) > 0 {
		command = html.UnescapeString(shown[0][1])
	}
	words := strings.Fields(command)
	if len(words) < 3 || words[0] != "$" || words[1] != "ragfaith" {
		t.Fatalf("first line is not a command: %q", command)
	}
	cmd := exec.Command(words[1], words[2:]...)
	cmd.Dir, cmd.Env = docsRoot, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "COLUMNS=110"}
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	picture := terminalPicture(command, strings.Split(strings.TrimRight(string(printed), "\n"), "\n"))
	if *update {
		writeFile(t, path, picture)
	}
	if readFile(t, path) != picture {
		t.Errorf("picture differs from the output:\n%s", printed)
	}
}

// terminalPicture renders a terminal as SVG.
func terminalPicture(command string, lines []string) string {
	const line, column, margin, top = 17, 7.8, 20, 48
	width := len([]rune(command))
	for _, l := range lines {
		width = max(width, len([]rune(l)))
	}
	w, h := int(float64(width)*column)+2*margin+10, top+line*len(lines)+2*margin+line/2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Output of ragfaith score in a terminal">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre}.c{fill:#7fdbca}</style>
<rect width="%d" height="%d" rx="8" fill="#011627"/>
<circle cx="18" cy="16" r="5" fill="#ff5f57"/><circle cx="36" cy="16" r="5" fill="#febc2e"/><circle cx="54" cy="16" r="5" fill="#28c840"/>
<text x="%d" y="%d" xml:space="preserve" class="c">%s</text>
`, w, h, w, h, w, h, margin, top, html.EscapeString(command))
	for i, l := range lines {
		if l != "" {
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", margin, top+line*(i+1), html.EscapeString(l))
		}
	}
	return b.String() + "</svg>\n"
}

func TestModelsPageListsEveryModel(t *testing.T) {
	t.Parallel()
	page := readFile(t, filepath.Join(docsRoot, "docs", "models.md"))
	for _, n := range hub.Names() {
		c := n.Card
		row := fmt.Sprintf("\n| %s | %s | %d | %s | %s | %s |", n.Short, n.Repo, c.Millions, c.License, c.Languages, c.Accuracy)
		if !strings.Contains(page, row) {
			t.Errorf("docs/models.md: missing%s", row)
		}
	}
}
