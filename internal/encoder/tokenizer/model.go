package tokenizer

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A jsonModel is a model in a file. Its type determines which members it has.
type jsonModel struct {
	Type  string    `json:"type"` // missing in older files
	Vocab jsonVocab `json:"vocab"`

	// WordPiece and BPE
	Unknown  *string `json:"unk_token"`
	Prefix   *string `json:"continuing_subword_prefix"`
	MaxChars *int    `json:"max_input_chars_per_word"`

	// BPE
	Merges       []jsonMerge `json:"merges"`
	Dropout      float64     `json:"dropout"`
	Suffix       string      `json:"end_of_word_suffix"`
	Fuse         ignored     `json:"fuse_unk"`      // no character is unknown
	ByteFallback bool        `json:"byte_fallback"` // also of Unigram
	IgnoreMerges bool        `json:"ignore_merges"`

	// Unigram
	UnknownID *int    `json:"unk_id"`
	Alpha     float64 `json:"alpha"`
	NBest     int     `json:"nbest_size"` // ignored without alpha
}

// A jsonVocab maps tokens to ids or, for Unigram, lists them with their scores.
type jsonVocab struct {
	ids  map[string]int32
	list []scoredToken
}

// UnmarshalJSONFrom reads an object or a list.
func (v *jsonVocab) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '[' {
		return json.UnmarshalDecode(dec, &v.list)
	}
	return json.UnmarshalDecode(dec, &v.ids)
}

// A scoredToken is a list of a token and its score.
type scoredToken struct {
	token string
	score float64
}

// UnmarshalJSONFrom reads a list.
func (s *scoredToken) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var score jsontext.Value
	err := unmarshalPair(dec, &s.token, &score)
	if err == nil {
		s.score, err = parseScore(string(score))
	}
	return err
}

// parseScore parses a number as serde_json 1.0 does without the feature float_roundtrip: the digits
// form an integer, which is rounded and then multiplied or divided by a power of ten, which rounds
// again. The last bit differs from correct rounding for a quarter of T5's scores, and it decides
// between equally likely tokenizations.
func parseScore(s string) (float64, error) {
	significand, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	power := 0
	if exponent != "" {
		power, _ = strconv.Atoi(exponent) // out of range, it is the largest or smallest integer
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(significand, "-"), ".")
	power -= len(fraction)
	correct, err := strconv.ParseFloat(s, 64)
	digits, digitsErr := strconv.ParseUint(whole+fraction, 10, 64)
	if err != nil || digitsErr != nil || power < -308 || power > 308 {
		return correct, err // no writer of shortest decimals gives so many digits
	}
	// math.Pow10 is not correctly rounded for all exponents.
	scale, err := strconv.ParseFloat("1e"+strconv.Itoa(max(power, -power)), 64)
	score := float64(digits)
	if power < 0 {
		score /= scale
	} else {
		score *= scale
	}
	return math.Copysign(score, correct), err
}

// A jsonMerge is a pair of tokens or, in older files, a string with a space between them.
type jsonMerge [2]string

// UnmarshalJSONFrom reads a list or a string.
func (m *jsonMerge) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return unmarshalPair(dec, &m[0], &m[1])
	}
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	var ok bool
	if m[0], m[1], ok = strings.Cut(t.String(), " "); !ok || strings.Contains(m[1], " ") {
		return fmt.Errorf("%.100q is not two tokens separated by a space", t.String())
	}
	return nil
}

// Limits on tokens: their number; the bytes of each, which bound longest-match searches; and the
// bytes of all, which bound the trie.
// Vocabularies without scores have up to 260,000 tokens.
const (
	maxTokens     = 1 << 20
	maxPiece      = 500
	maxPieceBytes = 16 << 20
)

func (t *Tokenizer) setModel(j *jsonModel) error {
	t.vocab = &vocabulary{ids: j.Vocab.ids, size: max(len(j.Vocab.ids), len(j.Vocab.list)), unknown: noValue}
	if j.Vocab.list != nil {
		t.vocab.ids = make(map[string]int32, len(j.Vocab.list))
		for i, s := range j.Vocab.list {
			t.vocab.ids[s.token] = int32(i)
		}
	}
	if len(t.vocab.ids) > maxTokens {
		return fmt.Errorf("more than %d tokens", maxTokens)
	}
	total := 0
	for token, id := range t.vocab.ids {
		if total += len(token); total > maxPieceBytes {
			return fmt.Errorf("tokens have more than %d bytes", maxPieceBytes)
		}
		if len(token) > maxPiece {
			return fmt.Errorf("token %.20q... has %d bytes, the limit is %d", token, len(token), maxPiece)
		}
		if id < 0 {
			return fmt.Errorf("token %q: invalid id %d", token, id)
		}
	}
	if j.Unknown != nil {
		if id, ok := t.vocab.ids[*j.Unknown]; ok {
			t.vocab.unknown = id
		}
	}
	bytes := false // the model reads words as bytes
	if n := len(t.words); n > 0 {
		_, bytes = t.words[n-1].(gpt2Splitter)
	}
	kind := j.Type
	switch {
	case kind != "":
	case j.Merges != nil:
		kind = "BPE"
	case j.Vocab.list != nil:
		kind = "Unigram"
	default:
		kind = "WordPiece"
	}
	var err error
	switch {
	case kind == "BPE" && j.Vocab.list == nil:
		t.model, err = newBPE(j, t.vocab, bytes)
	case bytes:
		err = errors.New("pre-tokenizer ByteLevel is supported only with the type BPE")
	case kind == "WordPiece" && j.Vocab.list == nil:
		if j.Unknown == nil || j.Prefix == nil || j.MaxChars == nil {
			return errors.New("missing unk_token, continuing_subword_prefix or max_input_chars_per_word")
		}
		w := &wordPiece{trie: newTrie(t.vocab.ids), maxChars: *j.MaxChars, unknown: t.vocab.unknown}
		w.rest, w.hasRest = w.trie.walk(0, *j.Prefix)
		t.model = w
	case kind == "Unigram" && j.Vocab.ids == nil:
		t.model, err = newUnigram(j, t.vocab)
	default:
		err = fmt.Errorf("type %.100q is not supported with this vocabulary", kind)
	}
	return err
}

func newUnigram(j *jsonModel, v *vocabulary) (*unigram, error) {
	switch {
	case j.Alpha != 0:
		return nil, errors.New("alpha: sampling is not supported")
	case j.ByteFallback:
		return nil, errors.New("byte_fallback is not supported")
	case j.UnknownID != nil && (*j.UnknownID < 0 || *j.UnknownID >= v.size):
		return nil, fmt.Errorf("unk_id: %d is out of range for %d tokens", *j.UnknownID, v.size)
	case j.UnknownID != nil:
		v.unknown = int32(*j.UnknownID)
	}
	u := &unigram{vocab: v, trie: newTrie(v.ids), scores: make([]float64, v.size), penalty: math.Inf(1)}
	for i, s := range j.Vocab.list {
		u.scores[i] = s.score
		u.penalty = min(u.penalty, s.score-unknownPenalty)
	}
	return u, nil
}

// newBPE returns a model that reads the bytes of a word, for ByteLevel, or else its
// characters. In both cases, every byte must have a token.
func newBPE(j *jsonModel, v *vocabulary, byteLevel bool) (*bpe, error) {
	switch {
	case j.Dropout != 0:
		return nil, errors.New("dropout is not supported")
	case j.Prefix != nil && *j.Prefix != "" || j.Suffix != "":
		return nil, errors.New("continuing_subword_prefix and end_of_word_suffix are not supported")
	case j.IgnoreMerges:
		return nil, errors.New("ignore_merges is not supported")
	case !byteLevel && !j.ByteFallback:
		return nil, errors.New("BPE is supported only with ByteLevel or byte_fallback")
	}
	b := &bpe{merges: make(map[[2]int32]merged, len(j.Merges))}
	names := gpt2Alphabet()
	if !byteLevel {
		b.chars = make(map[rune]int32)
		for token, id := range v.ids {
			if r, w := utf8.DecodeRuneInString(token); w > 0 && w == len(token) {
				b.chars[r] = id
			}
		}
		for i := range names {
			names[i] = fmt.Sprintf("<0x%02X>", i)
		}
	}
	for i, name := range names {
		id, ok := v.ids[name]
		if !ok {
			return nil, fmt.Errorf("vocab has no token %q for byte %d", name, i)
		}
		b.bytes[i] = id
	}
	for i, m := range j.Merges {
		if m[0] == "#version:" { // the first line of older merges.txt files
			continue
		}
		var ids [3]int32
		for k, t := range []string{m[0], m[1], m[0] + m[1]} {
			var ok bool
			if ids[k], ok = v.ids[t]; !ok {
				return nil, fmt.Errorf("merges: item %d: %q is not in the vocabulary", i, t)
			}
		}
		b.merges[[2]int32{ids[0], ids[1]}] = merged{int32(i), ids[2]}
	}
	return b, nil
}

// gpt2Alphabet returns the printable characters that ByteLevel maps bytes to: those that
// are printable in Latin-1 to themselves, and all others to characters from U+0100.
func gpt2Alphabet() (names [256]string) {
	next := rune(256)
	for i := range names {
		r := rune(i)
		if r < '!' || r > '~' && r < 0xa1 || r == 0xad {
			r = next
			next++
		}
		names[i] = string(r)
	}
	return names
}

// ignored is a member of any type that has no effect.
type ignored struct{}
