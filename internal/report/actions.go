package report

import (
	"io"
	"strings"
	"unicode/utf8"
)

// ActionsCommand returns the workflow command of GitHub Actions, on one line, that annotates
// a run with a failed gate. Its text is escaped as in GitHub's toolkit,
// packages/core/src/command.ts, so that it cannot start another command. "##[" starts one
// in the older syntax.
func (g *Gate) ActionsCommand() string {
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", "##[", "## [").Replace(g.Text)
	return "::error title=ragfaith --" + g.Name + "::" + text
}

// NewActionsGuard returns a writer to w that breaks up workflow commands of GitHub
// Actions with a space: "::error" at the start of a line, and "##[error]" anywhere. Its
// input must consist of whole lines.
func NewActionsGuard(w io.Writer) io.Writer { return &actionsGuard{w: w, atStart: true} }

type actionsGuard struct {
	w       io.Writer
	atStart bool // only white space of the line has been written
	last    [2]byte
}

// Write writes p with the spaces inserted.
func (g *actionsGuard) Write(p []byte) (int, error) {
	b := make([]byte, 0, len(p)+len(p)/64)
	for _, c := range p {
		if c == '[' && g.last == [2]byte{'#', '#'} || g.atStart && c == ':' && g.last[1] == ':' {
			b = append(b, ' ')
		}
		b = append(b, c)
		switch {
		case c == '\n' || c == '\r':
			g.atStart = true
		case c != ':' && c > ' ' && c < utf8.RuneSelf: // other runes may be white space
			g.atStart = false
		}
		g.last = [2]byte{g.last[1], c}
	}
	if _, err := g.w.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}
