package lexicon

// A Class is a bit set of word properties.
type Class uint32

// The word properties.
const (
	Stop     Class = 1 << iota // a function word without content
	Negation                   // not, never, without, words in -n't
	Number                     // written in digits
	Numeral                    // a number word
	Ordinal                    // 14th, fourteenth
	Month
	Capital  // starts with a capital letter
	Initial  // first word of its sentence
	Polarity // reverses or qualifies the meaning without negation: avoid, unless, if
	Label    // passage, step: the number after it is a label
	Fraction // half, thirds
)

// A Token is a word of a text.
type Token struct {
	Key        uint64 // key of the stem, equal for all forms of a word
	Start, End int32  // byte offsets in the text
	Class      Class
	Word       uint16 // number of the form, see Intern, or 0 if it is unknown
}

// Is reports whether the token has all properties in c.
func (t *Token) Is(c Class) bool { return t.Class&c == c }

// Text returns the token as written in text.
func (t *Token) Text(text string) string { return text[t.Start:t.End] }

// Gap returns the text between two tokens. For overlapping tokens in scripts without
// spaces, it returns a string that matches no separator.
func Gap(text string, a, b *Token) string {
	if a.End > b.Start {
		return "overlap"
	}
	return text[a.End:b.Start]
}

// maxWord is the maximum length of a word in bytes. Longer runs of letters are not looked up.
const maxWord = 64

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool       { return c-'0' <= 9 }
