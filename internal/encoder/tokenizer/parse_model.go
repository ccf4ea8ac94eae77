package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func (p *parser) model(raw jsontext.Value, path string) (model, error) {
	kind, err := typeName(raw, path)
	if err != nil {
		return nil, err
	}
	if kind == "" {
		if kind, err = inferType(raw, path); err != nil {
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
	return nil, fmt.Errorf("%s/type: %q is not supported", path, kind)
}

// inferType infers the type of a model in an older file without the member
// "type".
func inferType(raw jsontext.Value, path string) (string, error) {
	var j struct {
		Vocab  jsontext.Value `json:"vocab"`
		Merges jsontext.Value `json:"merges"`
		Prefix jsontext.Value `json:"continuing_subword_prefix"`
	}
	if err := pointerError(json.Unmarshal(raw, &j, allowDuplicates(path)), path); err != nil {
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

// Limits on tokens: the length of each in bytes, and with it the time of longest-match
// searches, and the length of all, and with it the size of the trie.
const (
	maxPiece      = 500
	maxPieceBytes = 16 << 20
)

func checkPieces(tokens []string, path string) error {
	total := 0
	for _, t := range tokens {
		if total += len(t); total > maxPieceBytes {
			return fmt.Errorf("%s: tokens have more than %d bytes", path, maxPieceBytes)
		}
		if len(t) > maxPiece {
			return fmt.Errorf("%s: token %.20q... has %d bytes, the limit is %d", path, t, len(t), maxPiece)
		}
	}
	return nil
}

func parseWordPiece(raw jsontext.Value, path string) (model, error) {
	var j struct {
		typed
		Unknown  *string   `json:"unk_token" required:"true"`
		Prefix   *string   `json:"continuing_subword_prefix" required:"true"`
		MaxChars *uint64   `json:"max_input_chars_per_word" required:"true"`
		Vocab    *vocabMap `json:"vocab" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if err := checkPieces(j.Vocab.tokens, path+"/vocab"); err != nil {
		return nil, err
	}
	w := &wordPiece{vocabulary: j.Vocab.vocabulary, trie: newTrie(j.Vocab.tokens), maxChars: int(min(*j.MaxChars, math.MaxInt))}
	w.rest, w.hasRest = w.trie.walk(0, *j.Prefix)
	w.unknown, w.hasUnk = w.id(*j.Unknown)
	return w, nil
}

func parseUnigram(raw jsontext.Value, path string) (model, error) {
	var j struct {
		typed
		Unknown      *uint64    `json:"unk_id"`
		Vocab        *scoreList `json:"vocab" required:"true"`
		ByteFallback bool       `json:"byte_fallback"`
		Alpha        *float64   `json:"alpha"`
		NBest        *uint64    `json:"nbest_size"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.Alpha != nil && *j.Alpha != 0 {
		return nil, fmt.Errorf("%s/alpha: sampling is not supported", path)
	}
	if j.ByteFallback {
		return nil, fmt.Errorf("%s/byte_fallback: is not supported", path)
	}
	unknown := int32(noValue)
	if j.Unknown != nil {
		if *j.Unknown >= uint64(len(j.Vocab.tokens)) {
			return nil, fmt.Errorf("%s/unk_id: %d is out of range for %d tokens", path, *j.Unknown, len(j.Vocab.tokens))
		}
		unknown = int32(*j.Unknown)
	}
	if err := checkPieces(j.Vocab.tokens, path+"/vocab"); err != nil {
		return nil, err
	}
	lowest := math.Inf(1)
	for _, s := range j.Vocab.scores {
		lowest = min(lowest, s)
	}
	return &unigram{
		vocabulary: j.Vocab.vocabulary, trie: newTrie(j.Vocab.tokens), scores: j.Vocab.scores, unknown: unknown,
		penalty: lowest - unknownPenalty,
	}, nil
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
		Vocab        *vocabMap  `json:"vocab" required:"true"`
		Merges       *mergeList `json:"merges" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.Dropout != nil && *j.Dropout != 0 {
		return nil, fmt.Errorf("%s/dropout: is not supported", path)
	}
	for name, used := range map[string]bool{
		"continuing_subword_prefix": j.Prefix != "", "end_of_word_suffix": j.Suffix != "", "ignore_merges": j.IgnoreMerges,
	} {
		if used {
			return nil, fmt.Errorf("%s/%s: is not supported", path, name)
		}
	}
	b := &bpe{
		vocabulary: j.Vocab.vocabulary, declaresUnk: j.Unknown != nil, fuseUnk: j.Fuse, chars: make(map[rune]int32),
	}
	for i, t := range b.tokens {
		if r, w := utf8.DecodeRuneInString(t); w > 0 && w == len(t) {
			b.chars[r] = b.ids[i]
		}
	}
	if b.declaresUnk {
		b.unknown, b.hasUnk = b.id(*j.Unknown)
	}
	if j.ByteFallback {
		b.byteTokenIDs = b.byteTokens()
	}
	var err error
	b.merges, err = b.rank(*j.Merges, path+"/merges")
	return b, err
}

// rank returns the merges, ranked by list position.
func (b *bpe) rank(list mergeList, path string) (map[[2]int32]merged, error) {
	merges := make(map[[2]int32]merged, len(list))
	for i, m := range list {
		var ids [3]int32
		for k, t := range []string{m[0], m[1], m[0] + m[1]} {
			var ok bool
			if ids[k], ok = b.id(t); !ok {
				return nil, fmt.Errorf("%s/%d: %q is not in the vocabulary", path, i, t)
			}
		}
		merges[[2]int32{ids[0], ids[1]}] = merged{int32(i), ids[2]}
	}
	return merges, nil
}
