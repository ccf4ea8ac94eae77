package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// literal finds a string.
type literal string

func (l literal) find(all []match, src []byte) ([]match, error) {
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(l))
		if i < 0 {
			return all, nil
		}
		all = found(all, at+i, at+i+len(l))
		at += i + len(l)
	}
}

// newPattern makes a finder of a regular expression in the syntax of Oniguruma,
// which the reference uses. What the finder can't do exactly is an error. But for
// the patterns that are known, \p{L} and the like are those of Go's version of
// Unicode, so that a character which is newer than that may be taken otherwise.
func newPattern(chars *characters, pattern string) (finder, error) {
	if f, ok := knownPattern(chars, pattern); ok {
		return f, nil
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes; at most %d are supported", len(pattern), maxPattern)
	}
	t, err := translate(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if !t.backtracks {
		re, err := regexp.Compile(t.text())
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		return linear{re}, nil
	}
	re, err := regexp2.Compile(t.text(), regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	re.MatchTimeout = matchTimeout
	return backtracking{re}, nil
}

const (
	// maxPattern is far above what files have.
	maxPattern = 8 << 10
	// matchTimeout ends a match that has run into exponential backtracking. One
	// that doesn't takes microseconds.
	matchTimeout = 2 * time.Second
)

// linear is a pattern without looking around, whose time is bounded by its length
// times that of the text.
type linear struct{ re *regexp.Regexp }

func (l linear) find(all []match, src []byte) ([]match, error) {
	for _, m := range l.re.FindAllIndex(src, -1) {
		all = found(all, m[0], m[1])
	}
	return all, nil
}

// backtracking is a pattern that looks around or gives nothing back.
type backtracking struct{ re *regexp2.Regexp }

var errMatchTimeout = errors.New("a pattern of the tokenizer takes too long on this text")

func (b backtracking) find(all []match, src []byte) ([]match, error) {
	runes := bytes.Runes(src)
	at, bytesAt := 0, 0 // a place in runes, and in src
	place := func(r int) int {
		for ; at < r; at++ {
			bytesAt += utf8.RuneLen(runes[at])
		}
		return bytesAt
	}
	last := -1
	for from := 0; from <= len(runes); {
		m, err := b.re.FindRunesMatchStartingAt(runes, from)
		if err != nil {
			return all, fmt.Errorf("%w: %w", errMatchTimeout, err)
		}
		if m == nil {
			break
		}
		lo, hi := m.RuneIndex, m.RuneIndex+m.RuneLength
		if lo == hi && lo == last {
			from++ // an empty match right behind one isn't one
			continue
		}
		begin := place(lo)
		all = found(all, begin, place(hi))
		from, last = hi, hi
	}
	return all, nil
}

// A replace is the Replace normalizer.
type replace struct {
	finder finder
	to     string
}

func (r replace) keeps(src []byte) bool {
	l, ok := r.finder.(literal)
	return ok && !bytes.Contains(src, []byte(l))
}

// apply writes the replacement as if it were inserted behind what it replaces.
func (r replace) apply(s *state, e *editor) error {
	all, err := cover(r.finder, s.match[:0], e.left())
	s.match = all
	if err != nil {
		return err
	}
	for _, m := range all {
		n := int(m.hi - m.lo)
		if !m.is {
			e.keep(n)
			continue
		}
		e.pos += n
		for _, c := range r.to {
			e.write(c, e.before())
		}
	}
	return nil
}
