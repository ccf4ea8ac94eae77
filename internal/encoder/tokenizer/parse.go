package tokenizer

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A file is the content of a tokenizer.json.
type file struct {
	Version       *string          `json:"version"`
	Truncation    jsontext.Value   `json:"truncation"` // ignored
	Padding       jsontext.Value   `json:"padding"`    // ignored
	AddedTokens   []jsonAddedToken `json:"added_tokens"`
	Normalizer    jsontext.Value   `json:"normalizer"`
	PreTokenizer  jsontext.Value   `json:"pre_tokenizer"`
	PostProcessor jsontext.Value   `json:"post_processor"`
	Decoder       jsontext.Value   `json:"decoder"` // ignored
	Model         jsontext.Value   `json:"model"`
}

type jsonAddedToken struct {
	ID         *int64  `json:"id"`
	Content    *string `json:"content"`
	SingleWord bool    `json:"single_word"`
	LStrip     bool    `json:"lstrip"`
	RStrip     bool    `json:"rstrip"`
	Normalized *bool   `json:"normalized"`
	Special    bool    `json:"special"`
}

// A parser builds a tokenizer from a file.
type parser struct {
	chars      *characters
	alphabet   *alphabet
	composites map[uint64]rune // nil until they are needed
}

// Limits on a file. The largest vocabulary in use has 900,000 pieces with scores, and the
// longest part other than the model, a charsmap, has 0.4 MB.
const (
	maxValues = 2 << 20
	maxPart   = 4 << 20
)

// Parse parses a tokenizer.json. Errors start with the JSON pointer of the
// invalid or unsupported member. Allocations are proportional to the size of
// the file.
func Parse(data []byte) (*Tokenizer, error) {
	if n := bytes.Count(data, []byte{','}); n > maxValues {
		return nil, fmt.Errorf("/: %d values, the limit is %d", n, maxValues)
	}
	var f file
	if err := decode(data, "", &f); err != nil {
		return nil, err
	}
	if f.Version != nil && *f.Version != "1.0" {
		return nil, fmt.Errorf("/version: %q is not supported", *f.Version)
	}
	for path, part := range map[string]jsontext.Value{"/normalizer": f.Normalizer, "/pre_tokenizer": f.PreTokenizer, "/post_processor": f.PostProcessor} {
		if len(part) > maxPart {
			return nil, fmt.Errorf("%s: has %d bytes, the limit is %d", path, len(part), maxPart)
		}
	}
	chars, err := readCharacters()
	if err != nil {
		return nil, err
	}
	p := &parser{chars: chars, alphabet: newAlphabet()}
	t := &Tokenizer{chars: chars, states: new(sync.Pool)}
	if isNull(f.Model) {
		return nil, missing("", "model")
	}
	if t.model, err = p.model(f.Model, "/model"); err != nil {
		return nil, err
	}
	if t.normalizer, err = p.normalizers(nil, f.Normalizer, "/normalizer", 0); err != nil {
		return nil, err
	}
	if t.words, err = p.preTokenizers(nil, f.PreTokenizer, "/pre_tokenizer", 0); err != nil {
		return nil, err
	}
	if t.post, err = parsePost(f.PostProcessor, "/post_processor"); err != nil {
		return nil, err
	}
	if err := t.addTokens(f.AddedTokens, "/added_tokens"); err != nil {
		return nil, err
	}
	t.enableRaw(p.alphabet)
	return t, nil
}

// enableRaw makes the model read bytes, if it can and the last pre-tokenizer
// would only encode them.
func (t *Tokenizer) enableRaw(a *alphabet) {
	if len(t.words) == 0 {
		return
	}
	last, ok := t.words[len(t.words)-1].(*byteWords)
	if b, isBPE := t.model.(*bpe); ok && isBPE && b.enableRaw(a) {
		last.raw = true
	}
}

// addTokens assigns ids to the added tokens by the rule of the reference: the
// id of the content in the model's vocabulary, or else the next free id. The
// ids in the file are ignored.
func (t *Tokenizer) addTokens(all []jsonAddedToken, path string) error {
	next := t.model.size()
	place, total := make(map[string]int, len(all)), 0
	var tokens []addedToken
	for i, j := range all {
		at := fmt.Sprintf("%s/%d", path, i)
		switch {
		case j.ID == nil:
			return missing(at, "id")
		case *j.ID < 0 || *j.ID > maxID:
			return fmt.Errorf("%s/id: %d is not a valid id", at, *j.ID)
		case j.Content == nil:
			return missing(at, "content")
		case j.Normalized == nil:
			return missing(at, "normalized")
		case *j.Content == "":
			continue
		case len(*j.Content) > maxAddedToken:
			return fmt.Errorf("%s/content: %.20q... has %d bytes, the limit is %d", at, *j.Content, len(*j.Content), maxAddedToken)
		}
		if total += len(*j.Content); total > maxAddedBytes {
			return fmt.Errorf("%s: more than %d bytes", path, maxAddedBytes)
		}
		token := addedToken{
			content: *j.Content, singleWord: j.SingleWord, lstrip: j.LStrip, rstrip: j.RStrip,
			normalized: *j.Normalized, special: j.Special,
		}
		if k, ok := place[token.content]; ok {
			token.id = tokens[k].id
			if token != tokens[k] {
				return fmt.Errorf("%s: %q is defined twice with different options", at, token.content)
			}
			continue
		}
		place[token.content] = len(tokens)
		var ok bool
		if token.id, ok = t.model.id(token.content); !ok {
			token.id = int32(next)
			next++
		}
		tokens = append(tokens, token)
	}
	t.markSpecials(tokens)
	var verbatim, normalized []addedToken
	var patterns, normalizedPatterns []string
	for i, token := range tokens {
		if !token.normalized {
			verbatim, patterns = append(verbatim, token), append(patterns, token.content)
			continue
		}
		pattern, err := t.normalizedText(token.content)
		if err != nil {
			return fmt.Errorf("%s/%d: %w", path, i, err)
		}
		normalized, normalizedPatterns = append(normalized, token), append(normalizedPatterns, pattern)
	}
	var err error
	if t.verbatim, err = newMatcher(verbatim, patterns); err == nil {
		t.normalized, err = newMatcher(normalized, normalizedPatterns)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// markSpecials collects the ids of special tokens and marks added tokens that
// the post-processor inserts as special.
func (t *Tokenizer) markSpecials(tokens []addedToken) {
	t.specials = make(map[int32]bool)
	for _, slots := range [][]slot{t.post.single, t.post.pair} {
		for _, s := range slots {
			for _, id := range s.ids {
				t.specials[id] = true
			}
		}
	}
	for i := range tokens {
		token := &tokens[i]
		token.special = token.special || t.specials[token.id]
		if token.special {
			t.specials[token.id] = true
		}
	}
	if u, ok := t.model.(*unigram); ok {
		u.setSpecials(t.specials)
	}
	if id, ok := t.model.unknownID(); ok {
		delete(t.specials, id)
	}
}

func (t *Tokenizer) normalizedText(text string) (string, error) {
	s := new(state)
	s.load(text)
	s.editor.limit = maxGrowth*len(text) + maxInserted
	s.normalize(t.normalizer)
	if s.editor.full {
		return "", errTextGrowth
	}
	return string(s.cur.bytes), nil
}
