package llm

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	tokensPerMessage   = 4    // tokens that a chat template adds to each message, according to OpenAI
	tokensPerRequest   = 3    // tokens that it adds at the start of the reply
	defaultReplyTokens = 1024 // assumed length of a reply without a limit
)

// Tokens counts tokens for a model. Counts are exact for OpenAI's models, whose
// vocabulary is loaded on first use, and estimates for others.
type Tokens struct {
	vocabulary func() *vocabulary // nil if it is unknown
}

// NewTokens returns a token counter for model.
func NewTokens(model string) *Tokens {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	isOneOf := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	file := ""
	switch {
	case isOneOf("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "chatgpt", "gpt-oss", "o1", "o3", "o4"):
		file = o200k
	case isOneOf("gpt-4", "gpt-3.5", "gpt-35", "text-embedding"):
		file = cl100k
	default:
		return &Tokens{}
	}
	return &Tokens{sync.OnceValue(func() *vocabulary {
		v, _ := openVocabulary(file) // tests ensure that it is valid
		return v
	})}
}

// Exact reports whether the model's own vocabulary is used. The overhead of
// chat templates is always an estimate.
func (t *Tokens) Exact() bool { return t.vocabulary != nil }

// Text returns the number of tokens of s.
func (t *Tokens) Text(s string) int {
	if t.vocabulary != nil {
		if n, err := t.vocabulary().count(s); err == nil {
			return n
		}
	}
	return EstimateTokens(s)
}

// Request returns an upper bound for r: its prompt including the schema, and
// its output token limit.
func (t *Tokens) Request(r *Request) Size { return sizeOf(r, t.Text) }

func sizeOf(r *Request, count func(string) int) Size {
	prompt := tokensPerRequest + tokensPerMessage*len(r.Messages) + countPrompt(r, count)
	return Size{Prompt: prompt, Reply: cmp.Or(r.MaxTokens, defaultReplyTokens)}
}

// countPrompt returns the sum of the counts of the texts in a prompt and its schema.
func countPrompt(r *Request, count func(string) int) (sum int) {
	for _, m := range r.Messages {
		sum += count(m.Text)
	}
	if r.Schema != nil {
		sum += count(string(r.Schema.JSON))
	}
	return sum
}

func promptBytes(r *Request) int { return countPrompt(r, func(s string) int { return len(s) }) }

// EstimateTokens estimates the number of tokens without a vocabulary: a quarter
// of the ASCII bytes plus two thirds of the other characters, rounded up. It
// overestimates slightly for English and by up to a half for dense scripts.
func EstimateTokens(s string) int {
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

// minTokens returns a lower bound on the tokens of s for any common tokenizer: no tokenizer
// merges two words, or more than three characters of a script without spaces, into one
// token.
func minTokens(s string) int {
	dense := 0
	words := strings.FieldsFunc(s, func(r rune) bool {
		if r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) {
			dense++
			return true
		}
		return unicode.IsSpace(r)
	})
	return len(words) + dense/3
}

// A token is at least one byte long, so a reported count that exceeds the bytes of its
// text is implausible. These margins allow for text that a server adds to the prompt and
// for reasoning that it does not return.
const (
	maxAddedTokens     = 1 << 16
	maxReasoningTokens = 1 << 20
)

// isPlausible reports whether n can be the token count of a text of that many
// bytes plus up to added tokens.
func isPlausible(n, bytes, added int) bool { return n > 0 && n <= bytes+added }
