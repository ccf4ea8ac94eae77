package tokenizer

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func (p *parser) model(raw jsontext.Value, path string) (model, error) {
	kind, err := typeOf(raw, path)
	if err != nil {
		return nil, err
	}
	if kind == "" {
		if kind, err = untyped(raw, path); err != nil {
			return nil, err
		}
	}
	switch kind {
	case "WordPiece":
		return parseWordPiece(raw, path)
	case "BPE":
		return parseBPE(raw, path)
	case "Unigram":
		return parseUnigram(raw, path)
	}
	return nil, fmt.Errorf("%s/type: %q isn't supported", path, kind)
}

// untyped tells the kind of a model of an older file, which doesn't say.
func untyped(raw jsontext.Value, path string) (string, error) {
	var j struct {
		Vocab  jsontext.Value `json:"vocab"`
		Merges jsontext.Value `json:"merges"`
		Prefix jsontext.Value `json:"continuing_subword_prefix"`
	}
	if err := describe(json.Unmarshal(raw, &j), path); err != nil {
		return "", err
	}
	switch {
	case j.Merges != nil:
		return "BPE", nil
	case len(j.Vocab) > 0 && j.Vocab.Kind() == '[':
		return "Unigram", nil
	case j.Prefix != nil:
		return "WordPiece", nil
	}
	return "", missing(path, "type")
}

// maxPiece bounds the length of a token in bytes where the longest one that a text
// begins with is looked for, and with it the time that this takes.
const maxPiece = 2000

func checkPieces(tokens []string, path string) error {
	for _, t := range tokens {
		if len(t) > maxPiece {
			return fmt.Errorf("%s: the token %.20q... has %d bytes; at most %d are supported", path, t, len(t), maxPiece)
		}
	}
	return nil
}

func parseWordPiece(raw jsontext.Value, path string) (model, error) {
	var j struct {
		typed
		Unknown  *string   `json:"unk_token"`
		Prefix   *string   `json:"continuing_subword_prefix"`
		MaxChars *uint64   `json:"max_input_chars_per_word"`
		Vocab    *vocabMap `json:"vocab"`
	}
	err := decode(raw, path, &j)
	switch {
	case err != nil:
		return nil, err
	case j.Unknown == nil:
		return nil, missing(path, "unk_token")
	case j.Prefix == nil:
		return nil, missing(path, "continuing_subword_prefix")
	case j.MaxChars == nil:
		return nil, missing(path, "max_input_chars_per_word")
	case j.Vocab == nil:
		return nil, missing(path, "vocab")
	}
	if err := checkPieces(j.Vocab.tokens, path+"/vocab"); err != nil {
		return nil, err
	}
	return newWordPiece(j.Vocab.vocabulary, *j.Unknown, *j.Prefix, clampInt(*j.MaxChars)), nil
}

func parseUnigram(raw jsontext.Value, path string) (model, error) {
	var j struct {
		typed
		Unknown      *uint64    `json:"unk_id"`
		Vocab        *scoreList `json:"vocab"`
		ByteFallback bool       `json:"byte_fallback"`
		Alpha        *float64   `json:"alpha"`
		NBest        *uint64    `json:"nbest_size"`
	}
	err := decode(raw, path, &j)
	switch {
	case err != nil:
		return nil, err
	case j.Vocab == nil:
		return nil, missing(path, "vocab")
	case j.Alpha != nil && *j.Alpha != 0:
		return nil, fmt.Errorf("%s/alpha: sampling isn't supported", path)
	}
	unknown := int32(noValue)
	if j.Unknown != nil {
		if *j.Unknown >= uint64(len(j.Vocab.tokens)) {
			return nil, fmt.Errorf("%s/unk_id: %d, and the vocabulary has %d tokens", path, *j.Unknown, len(j.Vocab.tokens))
		}
		unknown = int32(*j.Unknown)
	}
	if err := checkPieces(j.Vocab.tokens, path+"/vocab"); err != nil {
		return nil, err
	}
	return newUnigram(j.Vocab.vocabulary, j.Vocab.scores, unknown, j.ByteFallback), nil
}

func parseBPE(raw jsontext.Value, path string) (model, error) {
	var j struct {
		typed
		Dropout      *float64   `json:"dropout"`
		Unknown      *string    `json:"unk_token"`
		Prefix       string     `json:"continuing_subword_prefix"`
		Suffix       string     `json:"end_of_word_suffix"`
		Fuse         bool       `json:"fuse_unk"`
		ByteFallback bool       `json:"byte_fallback"`
		IgnoreMerges bool       `json:"ignore_merges"`
		Vocab        *vocabMap  `json:"vocab"`
		Merges       *mergeList `json:"merges"`
	}
	err := decode(raw, path, &j)
	switch {
	case err != nil:
		return nil, err
	case j.Vocab == nil:
		return nil, missing(path, "vocab")
	case j.Merges == nil:
		return nil, missing(path, "merges")
	case j.Dropout != nil && *j.Dropout != 0:
		return nil, fmt.Errorf("%s/dropout: isn't supported, as it is random", path)
	}
	b := &bpe{
		vocabulary: j.Vocab.vocabulary, prefix: j.Prefix, suffix: j.Suffix, namesUnk: j.Unknown != nil,
		fuse: j.Fuse, ignoreMerges: j.IgnoreMerges, chars: make(map[rune]int32),
	}
	for i, t := range b.tokens {
		if r, w := utf8.DecodeRuneInString(t); w > 0 && w == len(t) {
			b.chars[r] = b.ids[i]
		}
	}
	if b.namesUnk {
		b.unknown, b.hasUnk = b.id(*j.Unknown)
	}
	if j.ByteFallback {
		b.bytes = b.byteTokens()
	}
	b.merges, err = b.rank(*j.Merges, path+"/merges")
	return b, err
}

// rank gives each pair of merges its place in the list.
func (b *bpe) rank(list mergeList, path string) (*pairs, error) {
	merges := newPairs(len(list))
	for i, m := range list {
		var ids [2]int32
		for k, t := range m {
			id, ok := b.id(t)
			if !ok {
				return nil, fmt.Errorf("%s/%d: the vocabulary has no %q", path, i, t)
			}
			ids[k] = id
		}
		if len(m[1]) < len(b.prefix) {
			return nil, fmt.Errorf("%s/%d: %q is shorter than the prefix", path, i, m[1])
		}
		joined, ok := b.id(m[0] + m[1][len(b.prefix):])
		if !ok {
			return nil, fmt.Errorf("%s/%d: the vocabulary has no %q", path, i, m[0]+m[1][len(b.prefix):])
		}
		merges.set(ids[0], ids[1], uint32(i), joined)
	}
	return merges, nil
}
