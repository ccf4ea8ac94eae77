package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A docsStep is a command of a console block and its output.
type docsStep struct{ command, output string }

// withPrompt returns the command with its shell prompt.
func (s *docsStep) withPrompt() string {
	return "$ " + strings.ReplaceAll(s.command, "\n", "\n> ") + "\n"
}

// readSession parses a console block: commands follow "$ ", continuation lines "> ", and
// the lines below a command are its output.
func readSession(text string) []*docsStep {
	var steps []*docsStep
	for line := range strings.Lines(text) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		continuation, isContinuation := strings.CutPrefix(line, "> ")
		switch last := len(steps) - 1; {
		case isCommand:
			steps = append(steps, &docsStep{command: strings.TrimSuffix(command, "\n")})
		case last < 0:
			return nil
		case isContinuation && steps[last].output == "":
			steps[last].command += "\n" + strings.TrimSuffix(continuation, "\n")
		default:
			steps[last].output += line
		}
	}
	return steps
}

// sameOutput reports whether printed matches the output shown on a page. A line "…"
// matches any lines, and durations may differ.
func sameOutput(shown, printed string) bool {
	seconds := regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b`)
	normalize := func(s string) string { return seconds.ReplaceAllString(strings.TrimRight(s, "\n"), "0s") }
	parts := strings.Split("\n"+normalize(shown)+"\n", "\n…\n")
	rest := "\n" + normalize(printed) + "\n"
	if len(parts) == 1 {
		return parts[0] == rest
	}
	for i, part := range parts {
		// Splitting at the dots removed the adjacent line breaks.
		part = "\n" + strings.Trim(part, "\n") + "\n"
		switch index := strings.Index(rest, part); {
		case part == "\n\n":
		case index < 0, i == 0 && index > 0, i == len(parts)-1 && !strings.HasSuffix(rest, part):
			return false
		default:
			rest = rest[index+len(part)-1:]
		}
	}
	return true
}

// rewritePage updates the console blocks of a page with the actual output.
func rewritePage(t *testing.T, page string, blocks []*docsBlock) {
	t.Helper()
	path := filepath.Join(docsRoot, page)
	lines := strings.SplitAfter(readFile(t, path), "\n")
	var out strings.Builder
	at := 0
	for _, b := range blocks {
		if b.lang != "console" || b.has("skip") {
			continue
		}
		for ; at < b.line; at++ {
			out.WriteString(lines[at])
		}
		out.WriteString(b.text)
		for !strings.HasPrefix(lines[at], "```") {
			at++
		}
	}
	out.WriteString(strings.Join(lines[at:], ""))
	writeFile(t, path, out.String())
}
