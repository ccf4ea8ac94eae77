package values

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// A Finder finds the values in texts. It is safe for concurrent use.
type Finder struct {
	lex     *lexicon.Lexicon
	words   []listed // by lexicon.Token.Word
	signs   [utf8.RuneSelf]class
	readers sync.Pool
}

// A token is a word, a number in digits, or any other character except spaces.
type token struct {
	start, end int
	class      class
	num        float64
}

// A reader reads the values of a text.
type reader struct {
	finder *Finder
	text   string
	toks   []token
	none   token // at the end of the text

	languageRead, decimalComma bool // results of hasDecimalComma
}

func (r *reader) add(t token) { r.toks = append(r.toks, t) }

// at returns token i, or an empty one if there is none.
func (r *reader) at(i int) *token {
	if i < 0 || i >= len(r.toks) {
		return &r.none
	}
	return &r.toks[i]
}

// str returns token i as written.
func (r *reader) str(i int) string {
	t := r.at(i)
	return r.text[t.start:t.end]
}

// lower returns token i in lower case.
func (r *reader) lower(i int) string { return strings.ToLower(r.str(i)) }

// is reports whether token i is one of the words, which are in lower case.
func (r *reader) is(i int, words ...string) bool {
	if i < 0 || i >= len(r.toks) {
		return false
	}
	s := r.str(i)
	for _, w := range words {
		if len(s) == len(w) && (s[0]^w[0])&^0x20 == 0 && strings.EqualFold(s, w) {
			return true
		}
	}
	return false
}

// has reports whether token i has one of the classes.
func (r *reader) has(i int, c class) bool { return i >= 0 && i < len(r.toks) && r.toks[i].class&c != 0 }

// joined reports whether no space separates tokens i and i+1.
func (r *reader) joined(i int) bool {
	return i >= 0 && i+1 < len(r.toks) && r.toks[i].end == r.toks[i+1].start
}

// isHyphen reports whether token i is a hyphen or dash.
func (r *reader) isHyphen(i int) bool {
	return r.is(i, "-", "–", "—", "‑", "−", "~", "〜")
}

// changes reports whether one of the four words up to token i is a verb of change, as in
// "rose from 5 to 7".
func (r *reader) changes(i int) bool {
	for k := i; k > i-5; k-- {
		if r.has(k, change) {
			return true
		}
	}
	return false
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool       { return c-'0' <= 9 }
