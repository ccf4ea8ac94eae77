package values

import (
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// New returns a Finder of values in texts split by lex, to which it adds the words that it knows.
func New(lex *lexicon.Lexicon) *Finder {
	f := &Finder{lex: lex}
	f.readers.New = func() any { return &reader{finder: f} }
	l := load()
	add := func(w string, x listed) {
		n := int(lex.Intern(w))
		f.words = append(f.words, make([]listed, max(0, n+1-len(f.words)))...)
		f.words[n].class |= x.class
		f.words[n].num += x.num
	}
	for w, x := range l.words {
		add(w, x)
	}
	f.signs['$'] = currency
	start := func(name string, c class) {
		if s := name[0]; s < utf8.RuneSelf && !isASCIILetter(s) {
			f.signs[s] |= c
		} else {
			add(string(lexicon.Fold(nil, name)), listed{class: c})
		}
	}
	for name := range l.units {
		name, _, _ = strings.Cut(name, " ")
		start(name, unitStart)
	}
	for _, name := range [...]string{"c", "f", "kbps", "mbps", "gbps", "tbps"} { // 20°C; see dataUnit
		start(name, unitStart)
	}
	for last := range l.hedges {
		start(last, hedgeEnd)
	}
	return f
}

// Find returns the values in text in ascending order of their offsets. They do not overlap.
func (f *Finder) Find(text string) []Value { return f.Append(nil, text, f.lex.Tokens(nil, text)) }

// Append appends the values in text to dst. words are the tokens of text.
func (f *Finder) Append(dst []Value, text string, words []lexicon.Token) []Value {
	r, _ := f.readers.Get().(*reader)
	defer f.readers.Put(r)
	r.read(text, words)
	first := len(dst)
	for i := 0; i < len(r.toks); {
		if r.toks[i].class&trigger == 0 {
			i++
			continue
		}
		v, from, next := r.simple(i)
		if next == 0 {
			i++
			continue
		}
		v, next = r.bounded(v, from, next)
		if n := len(dst); n == first || v.Start >= dst[n-1].End {
			dst = append(dst, v)
		}
		i = next
	}
	return dst
}

// simple parses the value at token i without its bounds. It returns its first token and
// the token after it, or 0.
func (r *reader) simple(i int) (v Value, from, next int) {
	if v, from, next = r.dateAt(i); next > 0 {
		return v, from, next
	}
	if v, from, next = r.clockAt(i); next > 0 {
		return v, from, next
	}
	return r.amountAt(i)
}
