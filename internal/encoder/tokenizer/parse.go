package tokenizer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A file is the content of a tokenizer.json.
type file struct {
	Version       string       `json:"version"`
	Truncation    ignored      `json:"truncation"`
	Padding       ignored      `json:"padding"`
	AddedTokens   []addedToken `json:"added_tokens"`
	Normalizer    *component   `json:"normalizer"`
	PreTokenizer  *component   `json:"pre_tokenizer"`
	PostProcessor *component   `json:"post_processor"`
	Decoder       ignored      `json:"decoder"`
	Model         *jsonModel   `json:"model"`
}

// UnmarshalJSONFrom skips a value.
func (*ignored) UnmarshalJSONFrom(dec *jsontext.Decoder) error { return dec.SkipValue() }

// A component is a normalizer, a pre-tokenizer or a post-processor. Its type determines
// which members it has.
type component struct {
	Type string `json:"type"`

	// Sequence
	Normalizers   []*component `json:"normalizers"`
	PreTokenizers []*component `json:"pretokenizers"`
	Processors    []*component `json:"processors"`

	// Normalizers
	Clean        *bool  `json:"clean_text"`
	Ideographs   *bool  `json:"handle_chinese_chars"`
	StripAccents *bool  `json:"strip_accents"`
	Lowercase    *bool  `json:"lowercase"`
	Left         bool   `json:"strip_left"`
	Right        bool   `json:"strip_right"`
	Content      string `json:"content"`
	Charsmap     []byte `json:"precompiled_charsmap"`

	// Pre-tokenizers
	Pattern struct {
		String string `json:"String"`
		Regex  string `json:"Regex"`
	} `json:"pattern"` // also of Replace
	Behavior    string  `json:"behavior"`
	Invert      bool    `json:"invert"`
	AddSpace    *bool   `json:"add_prefix_space"`
	Trim        ignored `json:"trim_offsets"`
	UseRegex    *bool   `json:"use_regex"`
	Replacement string  `json:"replacement"`
	Scheme      string  `json:"prepend_scheme"`
	Split       *bool   `json:"split"`
	Text        ignored `json:"str_rep"` // copy of replacement in older files

	// Post-processors
	Sep      *namedID               `json:"sep"`
	Cls      *namedID               `json:"cls"`
	Single   []jsonSlot             `json:"single"`
	Pair     []jsonSlot             `json:"pair"`
	Specials map[string]jsonSpecial `json:"special_tokens"`
}

// maxComponents limits the components of a sequence. Sequences in use have up to ten.
const maxComponents = 32

// appendItems appends c or, if it is a sequence, the components in it. It stops after one
// more than maxComponents.
func (c *component) appendItems(all []*component) []*component {
	if c == nil || c.Type != "Sequence" {
		return append(all, c)
	}
	for _, items := range [][]*component{c.Normalizers, c.PreTokenizers, c.Processors} {
		for _, item := range items {
			if len(all) <= maxComponents {
				all = item.appendItems(all)
			}
		}
	}
	return all
}

// build calls add for each component of a part of the file, which may be missing.
func build(part *component, path string, add func(*component) error) error {
	if part == nil {
		return nil
	}
	all := part.appendItems(nil)
	if len(all) > maxComponents {
		return fmt.Errorf("%s: more than %d components", path, maxComponents)
	}
	for _, c := range all {
		if c == nil {
			return fmt.Errorf("%s: null is not supported", path)
		}
		if err := add(c); err != nil {
			return fmt.Errorf("%s: type %.100q: %w", path, c.Type, err)
		}
	}
	return nil
}

var errUnsupported = errors.New("is not supported")

// Limits on a file. The largest vocabulary in use has 900,000 pieces with scores, the most
// objects are 10,000 added tokens, and the longest charsmap has 0.4 MB.
const (
	maxValues   = 2 << 20
	maxObjects  = 1 << 17 // braces in tokens count too
	maxCharsmap = 4 << 20
)

// Parse parses a tokenizer.json. Errors name the invalid or unsupported part.
// Allocations are proportional to the size of the file.
func Parse(data []byte) (*Tokenizer, error) {
	if n := bytes.Count(data, []byte{','}); n > maxValues {
		return nil, fmt.Errorf("%d values, the limit is %d", n, maxValues)
	}
	if n := bytes.Count(data, []byte{'{'}); n > maxObjects {
		return nil, fmt.Errorf("%d objects, the limit is %d", n, maxObjects)
	}
	var f file
	// Like the reference, use the last of members with the same name.
	if err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, err
	}
	if f.Version != "" && f.Version != "1.0" {
		return nil, fmt.Errorf("/version: %q is not supported", f.Version)
	}
	if f.Model == nil {
		return nil, errors.New("/model: missing")
	}
	t := &Tokenizer{chars: readCharacters()}
	if err := build(f.Normalizer, "/normalizer", t.addNormalizer); err != nil {
		return nil, err
	}
	if err := build(f.PreTokenizer, "/pre_tokenizer", t.addPreTokenizer); err != nil {
		return nil, err
	}
	t.post = post{single: []slot{{sequence: 0}}, pair: []slot{{sequence: 0}, {sequence: 1, typeID: 1}}}
	processors := 0
	err := build(f.PostProcessor, "/post_processor", func(c *component) error {
		if c.Type == "ByteLevel" { // sets only trim_offsets
			return nil
		}
		if processors++; processors > 1 {
			return errors.New("is not supported after another post-processor that adds tokens")
		}
		return t.post.set(c)
	})
	if err != nil {
		return nil, err
	}
	if err := t.setModel(f.Model); err != nil {
		return nil, fmt.Errorf("/model: %w", err)
	}
	if err := t.addTokens(f.AddedTokens); err != nil {
		return nil, fmt.Errorf("/added_tokens: %w", err)
	}
	return t, nil
}

func (p *post) set(c *component) error {
	switch c.Type {
	case "BertProcessing", "RobertaProcessing":
		if c.Cls == nil || c.Sep == nil {
			return errors.New("missing cls or sep")
		}
		*p = clsPost(c.Cls.id, c.Sep.id, c.Type == "RobertaProcessing")
		return nil
	case "TemplateProcessing":
		if c.Single == nil || c.Pair == nil {
			return errors.New("missing single or pair")
		}
		var err error
		if p.single, err = slots(c.Single, c.Specials, 1); err == nil {
			p.pair, err = slots(c.Pair, c.Specials, 2)
		}
		return err
	}
	return errUnsupported
}

func (t *Tokenizer) addNormalizer(c *component) error {
	if n := len(t.normalizer); n > 0 {
		if _, ok := t.normalizer[n-1].(replacer); ok {
			// The reference duplicates the inserted text in some cases.
			return errors.New("is not supported after Replace")
		}
	}
	var n normalizer
	switch c.Type {
	case "BertNormalizer":
		if c.Clean == nil || c.Ideographs == nil || c.Lowercase == nil {
			return errors.New("missing clean_text, handle_chinese_chars or lowercase")
		}
		strip := cmp.Or(c.StripAccents, c.Lowercase)
		n = bertNormalizer{t.chars, *c.Clean, *c.Ideographs, *strip, *c.Lowercase}
	case "Lowercase":
		n = bertNormalizer{chars: t.chars, lowercase: true}
	case "NFC":
		n = nfc{t.chars}
	case "Strip":
		n = strip{t.chars, c.Left, c.Right}
	case "Replace":
		p := c.Pattern
		pattern := regexp.QuoteMeta(p.String)
		switch {
		case len(c.Content) > maxInserted:
			return fmt.Errorf("content has %d bytes, the limit is %d", len(c.Content), maxInserted)
		case p.Regex == " {2,}" && p.String == "": // the only one of SentencePiece models
			pattern = p.Regex
		case p.Regex != "" || p.String == "":
			return fmt.Errorf("pattern %.100q is not supported", p.Regex)
		}
		r, err := regexp.Compile(pattern)
		if err != nil {
			return err
		}
		n = replacer{r, []byte(c.Content)}
	case "Precompiled":
		if len(c.Charsmap) > maxCharsmap {
			return fmt.Errorf("charsmap has %d bytes, the limit is %d", len(c.Charsmap), maxCharsmap)
		}
		m, err := newCharsmap(c.Charsmap)
		if err != nil {
			return err
		}
		n = m
	default:
		return errUnsupported
	}
	t.normalizer = append(t.normalizer, n)
	return nil
}

func (t *Tokenizer) addPreTokenizer(c *component) error {
	isTrue := func(b *bool) bool { return b == nil || *b }
	var w preTokenizer
	switch c.Type {
	case "BertPreTokenizer":
		w = wordSplitter{t.chars, punctuation}
	case "WhitespaceSplit":
		w = wordSplitter{t.chars, 0}
	case "ByteLevel":
		if !isTrue(c.UseRegex) {
			return errors.New("is not supported with use_regex false")
		}
		w = gpt2Splitter{t.chars, isTrue(c.AddSpace)}
	case "Split":
		if c.Pattern.String == "" || c.Pattern.Regex != "" || c.Behavior != "MergedWithPrevious" || c.Invert {
			return errors.New("is supported only with a string pattern and the behavior MergedWithPrevious")
		}
		w = splitter{[]byte(c.Pattern.String)}
	case "Metaspace":
		if c.Scheme == "" && isTrue(c.AddSpace) { // an older file
			c.Scheme = "always"
		}
		m := []rune(c.Replacement)
		if len(m) != 1 || c.Scheme != "always" && c.Scheme != "first" {
			return fmt.Errorf("replacement %.20q with prepend_scheme %.20q is not supported", c.Replacement, c.Scheme)
		}
		w = metaspace{mark: []byte(c.Replacement), first: c.Scheme == "first", split: isTrue(c.Split)}
	default:
		return errUnsupported
	}
	t.words = append(t.words, w)
	return nil
}

// addTokens assigns ids to the added tokens by the rule of the reference: the id of the content
// in the model's vocabulary, or else the next free id.
func (t *Tokenizer) addTokens(all []addedToken) error {
	next := t.vocab.size
	seen, total := make(map[string]addedToken, len(all)), 0
	var tokens []addedToken
	for _, token := range all {
		if token.Content == "" {
			continue
		}
		if len(token.Content) > maxAddedToken {
			return fmt.Errorf("%.20q... has %d bytes, the limit is %d", token.Content, len(token.Content), maxAddedToken)
		}
		if total += len(token.Content); total > maxAddedBytes {
			return fmt.Errorf("more than %d bytes", maxAddedBytes)
		}
		if earlier, ok := seen[token.Content]; ok {
			if token != earlier {
				return fmt.Errorf("%q is defined twice with different options", token.Content)
			}
			continue
		}
		seen[token.Content] = token
		var ok bool
		if token.id, ok = t.vocab.ids[token.Content]; !ok {
			token.id = int32(next)
			next++
		}
		tokens = append(tokens, token)
	}
	t.markSpecials(tokens)
	var verbatim, normalized []addedToken
	var err error
	for _, token := range tokens {
		if token.pattern = token.Content; !token.Normalized {
			verbatim = append(verbatim, token)
			continue
		}
		if token.pattern, err = t.normalizedText(token.Content); err != nil {
			return fmt.Errorf("%q: %w", token.Content, err)
		}
		normalized = append(normalized, token)
	}
	if t.verbatim, err = newMatcher(verbatim); err == nil {
		t.normalized, err = newMatcher(normalized)
	}
	return err
}

// markSpecials collects the ids of special tokens and marks added tokens that
// the post-processor inserts as special.
func (t *Tokenizer) markSpecials(tokens []addedToken) {
	t.specials = make(map[int32]bool)
	for _, s := range slices.Concat(t.post.single, t.post.pair) {
		for _, id := range s.ids {
			t.specials[id] = true
		}
	}
	for i := range tokens {
		token := &tokens[i]
		if token.Special = token.Special || t.specials[token.id]; token.Special {
			t.specials[token.id] = true
		}
	}
	if u, ok := t.model.(*unigram); ok {
		u.special = make([]bool, len(u.scores))
		for id := range u.special {
			u.special[id] = t.specials[int32(id)]
		}
	}
	delete(t.specials, t.vocab.unknown)
}

func (t *Tokenizer) normalizedText(text string) (string, error) {
	s := newState(text)
	s.editor.limit = maxGrowth*len(text) + maxInserted
	s.normalize(t.normalizer)
	if s.editor.full {
		return "", errTextGrowth
	}
	return string(s.cur.bytes), nil
}
