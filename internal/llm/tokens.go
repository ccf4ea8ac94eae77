package llm

import (
	"cmp"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/klauspost/compress/zstd"
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

// minTokens returns a lower bound on the tokens of s for any common tokenizer: no tokenizer merges
// two words, or more than three characters of a script without spaces, into one token.
func minTokens(s string) int {
	words, dense, inWord := 0, 0, false
	for _, r := range s {
		isDense := r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
		if isDense {
			dense++
		}
		before := inWord
		if inWord = !isDense && !unicode.IsSpace(r); inWord && !before {
			words++
		}
	}
	return words + dense/3
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

// Names of vocabularies of OpenAI's models.
const (
	o200k  = "o200k_base"  // GPT-4o and later
	cl100k = "cl100k_base" // GPT-4, GPT-3.5 and embeddings
)

// piecePatterns split a text into pieces, which are encoded independently. They are
// defined by the vocabularies.
//
//nolint:gochecknoglobals // constant
var piecePatterns = map[string]string{
	o200k: `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	cl100k: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
}

// vocabularies has the tokens of each vocabulary in the order of their ranks, each as its
// length (uvarint) and bytes, compressed with zstd. A length of 0 is an unused rank.
//
//go:embed data/*.zst
var vocabularies embed.FS

// A vocabulary encodes texts by byte pair encoding. It may be used concurrently.
type vocabulary struct {
	ranks  map[string]uint32
	pieces *regexp2.Regexp
}

// openVocabulary loads a vocabulary, which takes about 20 ms and 12 MB.
func openVocabulary(name string) (*vocabulary, error) {
	compressed, err := vocabularies.ReadFile("data/" + name + ".zst")
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	raw, err := d.DecodeAll(compressed, nil)
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", name, err)
	}
	ranks, err := parseVocabulary(string(raw))
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", name, err)
	}
	pieces, err := regexp2.Compile(piecePatterns[name], regexp2.None)
	return &vocabulary{ranks: ranks, pieces: pieces}, err
}

// parseVocabulary reads the uncompressed format of vocabularies.
func parseVocabulary(raw string) (map[string]uint32, error) {
	ranks := make(map[string]uint32, 200_000)
	for rank := uint32(0); raw != ""; rank++ {
		n, size := binary.Uvarint([]byte(raw[:min(len(raw), binary.MaxVarintLen16)]))
		if size <= 0 || n > uint64(len(raw)-size) {
			return nil, errors.New("damaged vocabulary")
		}
		end := size + int(n)
		if n > 0 {
			ranks[raw[size:end]] = rank
		}
		raw = raw[end:]
	}
	return ranks, nil
}

// count returns the number of tokens of text. Special tokens are counted as text.
func (v *vocabulary) count(text string) (int, error) {
	n := 0
	m, err := v.pieces.FindStringMatch(text)
	for ; m != nil && err == nil; m, err = v.pieces.FindNextMatch(m) {
		piece := m.String()
		if _, ok := v.ranks[piece]; ok {
			n++
		} else {
			n += v.merge(piece)
		}
	}
	return n, err
}

// maxPiece is the number of bytes that are merged at once, in a time that is quadratic. A
// longer piece, such as a text without spaces, is counted in parts.
const maxPiece = 2048

// merge returns the number of tokens of a piece: of all adjacent parts, at first bytes, the
// pair that forms the token of the lowest rank is merged until no pair forms a token.
func (v *vocabulary) merge(piece string) int {
	count := 0
	for ; len(piece) > maxPiece; piece = piece[maxPiece:] {
		count += v.merge(piece[:maxPiece])
	}
	type part struct {
		start int
		rank  uint32 // of the token formed with the next part
	}
	parts := make([]part, len(piece)+1) // the last is the end
	setRank := func(i int) {
		parts[i].rank = math.MaxUint32
		if i+2 < len(parts) {
			if rank, ok := v.ranks[piece[parts[i].start:parts[i+2].start]]; ok {
				parts[i].rank = rank
			}
		}
	}
	for i := range parts {
		parts[i].start = i
	}
	for i := range parts {
		setRank(i)
	}
	for {
		lowest := 0
		for i := range parts {
			if parts[i].rank < parts[lowest].rank {
				lowest = i
			}
		}
		if parts[lowest].rank == math.MaxUint32 {
			return count + len(parts) - 1
		}
		parts = slices.Delete(parts, lowest+1, lowest+2)
		setRank(lowest)
		if lowest > 0 {
			setRank(lowest - 1)
		}
	}
}
