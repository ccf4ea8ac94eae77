// Package tokenizer implements the tokenizers described by tokenizer.json files. It returns the
// same ids, types and offsets as the reference implementation, Hugging Face tokenizers, including
// its quirks, since models are trained with them. Only offsets differ: trim_offsets is ignored, so
// that a token that begins with a space includes it, and a character composed by normalization maps
// to all of its source characters.
//
// It supports the models WordPiece, BPE and Unigram and the normalizers,
// pre-tokenizers and post-processors that encoders use with them. Parse returns
// an error for everything else. Truncation and padding in a file are ignored.
//
// Tokenization has five stages: split off added tokens in the original text, normalize the
// remaining text, split off the other added tokens, split the remaining text into words, and apply
// the model to each word. Every stage tracks the origin of each byte in the original text.
package tokenizer

import (
	"errors"
	"fmt"
	"strings"
)

// A Tokenizer is immutable and safe for concurrent use.
type Tokenizer struct {
	chars         *characters
	verbatim      *matcher // added tokens matched in the original text, or nil
	normalized    *matcher // added tokens matched in the normalized text, or nil
	normalizer    []normalizer
	words         []preTokenizer
	vocab         *vocabulary
	model         model
	post          post
	specials      map[int32]bool // special tokens except the unknown token
	splitSpecials bool           // see SplitSpecials
}

// A model splits a piece into tokens.
type model interface {
	// tokenize emits the tokens of a non-empty piece. If a character has no token
	// and there is no unknown token, it sets s.unknown and emits noValue.
	tokenize(s *state, p piece)
}

// SplitSpecials returns a tokenizer for untrusted texts. Special tokens in a text are tokenized
// like any other text, as with split_special_tokens in Hugging Face, and no text produces the id of
// a special added token or of a token that the post-processor inserts, except the unknown token.
func (t *Tokenizer) SplitSpecials() *Tokenizer {
	other := *t
	other.splitSpecials = true
	return &other
}

// MaxID returns the largest id in the vocabulary, without added tokens, or -1 if the
// vocabulary is empty.
func (t *Tokenizer) MaxID() int32 {
	last := int32(-1)
	for _, id := range t.vocab.ids {
		last = max(last, id)
	}
	return last
}

// ErrNoUnknownToken is returned for a text that contains a character without a
// token if the model has no unknown token.
var ErrNoUnknownToken = errors.New("text contains a piece without a token, and the model has no unknown token")

// Encode tokenizes a text and inserts the special tokens of the post-processor. It keeps the first
// tokens if there are more than limit, including special tokens; 0, or fewer than the special tokens,
// means no limit. An invalid byte
// of UTF-8 is read as U+FFFD; offsets refer to the original text.
func (t *Tokenizer) Encode(text string, limit int) (Encoding, error) {
	return t.encode(t.post.single, limit, nil, text)
}

// EncodePrompt is Encode for the concatenation of a prompt template and texts
// inserted into it: the parts with odd indexes are the texts. A tokenizer
// returned by SplitSpecials recognizes special tokens in the other parts.
func (t *Tokenizer) EncodePrompt(parts []string) (Encoding, error) {
	untrusted := make([]span, 0, len(parts)/2)
	at := 0
	for i, part := range parts {
		if i%2 == 1 {
			untrusted = append(untrusted, span{int32(at), int32(at + len(part))})
		}
		at += len(part)
	}
	return t.encode(t.post.single, 0, untrusted, strings.Join(parts, ""))
}

// EncodePair tokenizes two texts into one sequence, including the special
// tokens around an empty text.
func (t *Tokenizer) EncodePair(a, b string) (Encoding, error) {
	return t.encode(t.post.pair, 0, nil, a, b)
}

// encode tokenizes one or two texts. See Encode for limit and run for untrusted.
func (t *Tokenizer) encode(slots []slot, limit int, untrusted []span, texts ...string) (Encoding, error) {
	var tokens [2][]token
	for i, text := range texts {
		s, err := t.run(text, untrusted)
		if err != nil {
			return Encoding{}, err
		}
		if s.unknown {
			return Encoding{}, ErrNoUnknownToken
		}
		tokens[i] = s.tokens
	}
	if n := limit - countSpecials(slots); limit > 0 && n >= 0 && n < len(tokens[0]) {
		tokens[0] = tokens[0][:n]
	}
	return encoding(slots, tokens), nil
}

// Count returns the number of tokens of a text without special tokens. A character without a token
// counts as one if the model has no unknown token. If Encode fails for another reason, Count
// returns the length of the text in bytes.
func (t *Tokenizer) Count(text string) int {
	s, err := t.run(text, nil)
	if err != nil {
		return len(text)
	}
	return len(s.tokens)
}

// run returns the state with the tokens of a text. If special tokens are split, untrusted
// are the parts of the text where this applies; nil means all of it.
func (t *Tokenizer) run(text string, untrusted []span) (*state, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("text of %d bytes exceeds the limit of %d", len(text), maxText)
	}
	s := newState(text)
	switch {
	case !t.splitSpecials:
	case untrusted == nil:
		s.untrustedSpans = []span{{0, int32(len(text))}}
	default:
		s.untrustedSpans = untrusted
	}
	t.verbatim.extract(s, t.chars)
	s.normalize(t.normalizer)
	t.normalized.extract(s, t.chars)
	for _, w := range t.words {
		if w.divide(s); s.editor.full {
			break
		}
	}
	if s.editor.full {
		return nil, errTextGrowth
	}
	for _, p := range s.pieces {
		if p.token != notAdded {
			s.emit(p.token, int(p.lo), int(p.hi))
			continue
		}
		n := len(s.tokens)
		t.model.tokenize(s, p)
		for i := n; i < len(s.tokens) && len(s.untrustedSpans) > 0; i++ {
			if t.specials[s.tokens[i].id] { // produced for text, such as text that normalization changed
				s.tokens[i].id = t.vocab.unknown
				s.unknown = s.unknown || t.vocab.unknown == noValue
			}
		}
	}
	return s, nil
}
