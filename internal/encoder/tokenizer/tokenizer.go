// Package tokenizer turns text into the tokens of a model, as the model's
// tokenizer.json says. It gives the ids, types and offsets that Hugging Face
// tokenizers gives, its oddities included: a model was trained on them.
//
// Supported are the models WordPiece, BPE and Unigram, with what encoders use
// before and after them. What isn't supported is an error of Parse that names its
// place in the file.
//
// A text goes through five stages: the added tokens that are taken as they are
// are cut out; what is left is normalised; the other added tokens are cut out; what
// is left is divided into words; the model turns each into tokens. All the way a
// byte knows which characters of the text it comes from.
package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A Tokenizer is read only and may be used by several goroutines.
type Tokenizer struct {
	chars      *characters
	verbatim   *matcher // added tokens looked for in the text as it is; nil for none
	normalized *matcher // and in what became of it
	normalizer []normalizer
	words      []preTokenizer
	model      model
	post       post
	margins    map[int32]margin // of the model's tokens, if offsets are trimmed and the model doesn't know better
	truncation *Truncation
	specials   map[int32]bool // that only a prompt and the post-processor may make where splits is set
	splits     bool           // see SplitSpecials
	states     *sync.Pool
}

// SplitSpecials returns the tokenizer for texts that may come from anybody. To it
// a special token that a text spells is text like any other, as with Hugging
// Face's split_special_tokens, and no such text makes the id of one: neither that
// of an added token that is marked special, nor one that the post-processor adds.
// Only the token for what is unknown is made still.
func (t *Tokenizer) SplitSpecials() *Tokenizer {
	other := *t
	other.splits = true
	return &other
}

// An Encoding is a text or a pair of texts as tokens. Its slices have equal length.
type Encoding struct {
	IDs, TypeIDs []int32
	Offsets      [][2]int // bytes [from, to) of the text that a token came from; {0, 0} for an added special
	Sequence     []int8   // 0 for the first text, 1 for the second, -1 for a special added between
}

// ErrNoUnknownToken says that there is no token for something in the text, and the
// model names none for what it doesn't know.
var ErrNoUnknownToken = errors.New("a part of the text has no token, and the model has none for the unknown")

// Encode turns a text into tokens, with the specials that the post-processor adds.
// Truncation nil is none. Text that isn't UTF-8 is read as U+FFFD, one for each
// maximal part of a character; offsets are of the text as given.
func (t *Tokenizer) Encode(a string, tr *Truncation) (Encoding, error) {
	return t.encode([2]string{a}, nil, false, tr)
}

// EncodePrompt is Encode for a prompt that texts are put into: its parts are
// joined, of which the second, the fourth and so on are such texts. To a tokenizer
// of SplitSpecials the others spell special tokens.
func (t *Tokenizer) EncodePrompt(parts []string, tr *Truncation) (Encoding, error) {
	data := make([]span, 0, len(parts)/2)
	at := 0
	for i, part := range parts {
		if i%2 == 1 {
			data = append(data, span{int32(at), int32(at + len(part))})
		}
		at += len(part)
	}
	return t.encode([2]string{strings.Join(parts, "")}, data, false, tr)
}

// EncodePair turns two texts into one sequence of tokens. An empty text is still
// one: the specials around it are there.
func (t *Tokenizer) EncodePair(a, b string, tr *Truncation) (Encoding, error) {
	return t.encode([2]string{a, b}, nil, true, tr)
}

// encode takes two texts or, where pair is false, one. For data see run.
func (t *Tokenizer) encode(texts [2]string, data []span, pair bool, tr *Truncation) (Encoding, error) {
	slots, n := t.post.single, 1
	if pair {
		slots, n = t.post.pair, 2
	}
	var tokens [2][]token
	for i := range n {
		s := t.state()
		defer t.release(s)
		if err := t.run(s, texts[i], data); err != nil {
			return Encoding{}, err
		}
		if s.unknown {
			return Encoding{}, ErrNoUnknownToken
		}
		tokens[i] = s.tokens
	}
	if tr != nil {
		n1, n2, err := tr.lengths(len(tokens[0]), len(tokens[1]), specials(slots), pair)
		if err != nil {
			return Encoding{}, err
		}
		tokens[0], tokens[1] = tokens[0][:n1], tokens[1][:n2]
	}
	return t.post.apply(slots, texts, tokens), nil
}

// Count returns how many tokens a text has, without specials. What has no token
// where the model names none for the unknown counts as one. A text that Encode
// fails on for another reason has as many as it has bytes.
func (t *Tokenizer) Count(text string) int {
	s := t.state()
	defer t.release(s)
	if err := t.run(s, text, nil); err != nil {
		return len(text)
	}
	return len(s.tokens)
}

// Texts returns the texts of the tokens by their ids, which must be below n; where
// an id has no token the text is empty.
func (t *Tokenizer) Texts(n int) ([]string, error) {
	texts := make([]string, n)
	var err error
	put := func(text string, id int32) {
		if int(id) >= n {
			err = fmt.Errorf("the token %q has the id %d; want one below %d", text, id, n)
			return
		}
		texts[id] = text
	}
	t.model.each(put)
	for _, m := range []*matcher{t.verbatim, t.normalized} {
		if m == nil {
			continue
		}
		for _, added := range m.tokens {
			put(added.content, added.id)
		}
	}
	return texts, err
}

// Specials returns how many specials the post-processor adds to a text or a pair.
func (t *Tokenizer) Specials(pair bool) int {
	if pair {
		return specials(t.post.pair)
	}
	return specials(t.post.single)
}

// FileTruncation returns the limit that the file has, if it has one. Encode pays no
// heed to it.
func (t *Tokenizer) FileTruncation() (Truncation, bool) {
	if t.truncation == nil {
		return Truncation{}, false
	}
	return *t.truncation, true
}

func (t *Tokenizer) state() *state {
	if s, ok := t.states.Get().(*state); ok {
		return s
	}
	return new(state)
}

func (t *Tokenizer) release(s *state) {
	if !s.oversized() {
		t.states.Put(s)
	}
}

// run leaves the tokens of a text in s. Where specials are split, that is done in
// the parts of the text that data has, and in all of it for nil.
func (t *Tokenizer) run(s *state, text string, data []span) error {
	if len(text) > maxText {
		return fmt.Errorf("a text of %d bytes; at most %d are supported", len(text), maxText)
	}
	s.load(text)
	switch {
	case !t.splits:
	case data == nil:
		s.data = append(s.data, span{0, int32(len(text))})
	default:
		s.data = append(s.data, data...)
	}
	if err := t.verbatim.extract(s, t.chars); err != nil {
		return err
	}
	if err := s.normalize(t.normalizer); err != nil {
		return err
	}
	if err := t.normalized.extract(s, t.chars); err != nil {
		return err
	}
	for _, w := range t.words {
		if err := w.divide(s); err != nil {
			return err
		}
	}
	for _, p := range s.pieces {
		n := len(s.tokens)
		if p.token == notAdded {
			t.model.tokenize(s, p)
			if len(s.data) > 0 {
				t.withoutSpecials(s, s.tokens[n:])
			}
		} else {
			s.emit(p.token, int(p.lo), int(p.hi))
		}
		switch {
		case len(t.post.trims) == 0:
		case p.token != notAdded:
			s.tokens[n].margin = marginOf(t.chars, s.of(p))
		case t.margins != nil:
			for i := n; i < len(s.tokens); i++ {
				s.tokens[i].margin = t.margins[s.tokens[i].id]
			}
		}
	}
	return nil
}

// withoutSpecials makes unknown what the model took for a special token: one that
// no division into words kept from it, or that normalising made.
func (t *Tokenizer) withoutSpecials(s *state, tokens []token) {
	for i := range tokens {
		if !t.specials[tokens[i].id] {
			continue
		}
		id, ok := t.model.unknownID()
		tokens[i].id = id
		s.unknown = s.unknown || !ok
	}
}
