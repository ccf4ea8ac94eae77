package report

import (
	"strconv"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Palette colours words for a terminal, with the sixteen colours that the
// terminal's own theme decides. The zero Palette leaves everything as it is.
// What is coloured has a word or a sign as well, since not everyone sees it.
type Palette struct{ On bool }

// The codes of ECMA-48 for the attributes of a text.
const (
	bold   = 1
	faint  = 2
	red    = 31
	green  = 32
	yellow = 33
)

// Good marks what is as it should be.
func (p Palette) Good(s string) string { return p.paint(green, s) }

// Bad marks what is not.
func (p Palette) Bad(s string) string { return p.paint(red, s) }

// Doubtful marks what someone should look at.
func (p Palette) Doubtful(s string) string { return p.paint(yellow, s) }

// strong marks the beginning of a part.
func (p Palette) strong(s string) string { return p.paint(bold, s) }

// quiet marks what a reader can pass over.
func (p Palette) quiet(s string) string { return p.paint(faint, s) }

// verdict colours s as a claim with that verdict.
func (p Palette) verdict(l result.Verdict, s string) string {
	switch l {
	case result.Supported:
		return p.Good(s)
	case result.Contradicted:
		return p.Bad(s)
	case result.NotMentioned:
	}
	return p.Doubtful(s)
}

func (p Palette) paint(code int, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + strconv.Itoa(code) + "m" + s + "\x1b[0m"
}
