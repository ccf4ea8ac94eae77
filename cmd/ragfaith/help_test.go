package main

import (
	"strings"
	"testing"
)

func TestScoreHelpFitsAScreen(t *testing.T) {
	t.Parallel()
	const maxLines, maxColumns = 115, 110
	lines := strings.Split(strings.TrimSuffix(mustRun(t, "", nil, "score", "--help").stdout, "\n"), "\n")
	if len(lines) > maxLines {
		t.Errorf("got %d lines, want at most %d", len(lines), maxLines)
	}
	for _, line := range lines {
		if len(line) > maxColumns {
			t.Errorf("got %d columns, want at most %d: %s", len(line), maxColumns, line)
		}
	}
	groups := []string{"Input:", "Judging:", "Output:", "Gates:", "Local model:", "Language model:", "Global:"}
	for i, line := range lines {
		if len(groups) > 0 && line == groups[0] {
			groups = groups[1:]
		} else if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") && line != "Examples:" {
			t.Errorf("line %d: got heading %q, want one of %v", i+1, line, groups)
		}
	}
	if len(groups) > 0 {
		t.Errorf("got no headings %v", groups)
	}
}
