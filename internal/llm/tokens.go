package llm

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

const (
	perMessage = 4    // tokens that a chat format puts around a message, by OpenAI's count
	perRequest = 3    // and around the reply's start
	usualReply = 1024 // tokens, where a request names no room
)

// Tokens counts the tokens of texts for a model: exactly for OpenAI's, whose
// vocabulary is loaded at the first count, and as an estimate for others.
type Tokens struct {
	encoding tokenizer.Encoding
	once     sync.Once
	codec    tokenizer.Codec
}

// NewTokens counts for model; nothing is loaded yet.
func NewTokens(model string) *Tokens {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	t := &Tokens{}
	for _, p := range []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "chatgpt", "gpt-oss", "o1", "o3", "o4"} {
		if strings.HasPrefix(name, p) {
			t.encoding = tokenizer.O200kBase
			return t
		}
	}
	for _, p := range []string{"gpt-4", "gpt-3.5", "gpt-35", "text-embedding"} {
		if strings.HasPrefix(name, p) {
			t.encoding = tokenizer.Cl100kBase
		}
	}
	return t
}

// Exact says whether texts are counted with the model's own vocabulary. What
// stands around them in a request is an estimate for every model.
func (t *Tokens) Exact() bool { return t.encoding != "" }

// Text is the number of tokens of s.
func (t *Tokens) Text(s string) int {
	if t.encoding == "" {
		return Rough(s)
	}
	t.once.Do(func() {
		if c, err := tokenizer.Get(t.encoding); err == nil {
			t.codec = c
		}
	})
	if t.codec == nil {
		return Rough(s)
	}
	n, err := t.codec.Count(s)
	if err != nil {
		return Rough(s)
	}
	return n
}

// Request is what r may come to: its prompt with the schema, and the room that it
// asks for.
func (t *Tokens) Request(r *Request) Size { return sizeOf(r, t.Text) }

func sizeOf(r *Request, count func(string) int) Size {
	s := Size{Prompt: perRequest, Room: r.MaxTokens}
	if s.Room == 0 {
		s.Room = usualReply
	}
	for _, m := range r.Messages {
		s.Prompt += perMessage + count(m.Text)
	}
	if r.Schema != nil {
		s.Prompt += count(string(r.Schema.JSON))
	}
	return s
}

// Rough estimates tokens without a vocabulary: a quarter of the ASCII bytes and
// two thirds of the other characters, rounded up. It errs upward for English and
// by up to a half for dense scripts.
func Rough(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii*3 + other*8 + 11) / 12
}

// minTokens is a number of tokens that s has by any tokenizer in use, or fewer.
// None makes one token of two words, of more than three digits, or of more than
// three characters of a script without spaces. Punctuation can be one token with
// the word behind it, so it counts only in front of something else.
func minTokens(s string) int {
	var words, dense, digits, run int
	in := spaceRune
	end := func(next runeKind) {
		switch {
		case in == letterRune, in == otherRune && next != letterRune:
			words++
		case in == digitRune:
			digits += (run + 2) / 3
		}
		run = 0
	}
	for _, r := range s {
		kind := kindOf(r)
		if kind == denseRune {
			dense++
		}
		if r == '\'' && in == letterRune {
			continue // "don't" is one word
		}
		if kind != in {
			end(kind)
			in = kind
		}
		run++
	}
	end(spaceRune)
	return words + digits + dense/3
}

type runeKind int

const (
	spaceRune runeKind = iota
	letterRune
	digitRune
	denseRune // of a script without spaces between words
	otherRune
)

func kindOf(r rune) runeKind {
	switch {
	case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
		return letterRune
	case r >= '0' && r <= '9':
		return digitRune
	case unicode.IsSpace(r):
		return spaceRune
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan):
		return denseRune
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letterRune
	}
	return otherRune
}
