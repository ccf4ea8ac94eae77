package llm

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
)

const (
	statementsSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"statement":{"type":"string"}},"required":["sentence_id","statement"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
	wholeSchema      = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"string"}}},"required":["statements"],"additionalProperties":false}`
)

// Errors of a reply with statements. Their text is part of the result format.
var (
	ErrUnknownID    = errors.New("a statement with a sentence_id that was not asked for")
	ErrNoStatements = errors.New("it has no statement")
)

// Statements parses the list of statements in a reply.
func Statements[T any](raw json.RawMessage) ([]T, error) {
	var reply struct {
		Statements *[]T `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" does not match the schema")
	}
	if reply.Statements == nil {
		return nil, errors.New("missing \"statements\"")
	}
	return *reply.Statements, nil
}

// parseStatements parses a reply about sentences 0 to n-1 and returns the
// statements by sentence, without repetitions. An unknown id is an error: the model has
// numbered the sentences differently, so none of its ids can be trusted.
func parseStatements(raw json.RawMessage, n int) (map[int][]string, error) {
	statements, err := Statements[struct {
		SentenceID json.RawMessage `json:"sentence_id"`
		Statement  *string         `json:"statement"`
	}](raw)
	if err != nil {
		return nil, err
	}
	out := map[int][]string{}
	for _, s := range statements {
		id := llm.ParseIndex(s.SentenceID)
		switch {
		case s.SentenceID == nil || s.Statement == nil:
			return nil, errors.New("a statement without text or sentence_id")
		case id < 0 || id >= n:
			return nil, ErrUnknownID
		}
		if text := oneLine(*s.Statement); extract.HasWords(text) && !slices.Contains(out[id], text) {
			out[id] = append(out[id], text)
		}
	}
	if len(out) == 0 {
		return nil, ErrNoStatements
	}
	return out, nil
}

// parseWhole parses a list of statements, which may be empty.
func parseWhole(raw json.RawMessage) ([]string, error) {
	statements, err := Statements[string](raw)
	var out []string
	for _, s := range statements {
		if s = oneLine(s); extract.HasWords(s) {
			out = append(out, s)
		}
	}
	return out, err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A Vocabulary contains the words and numbers of texts.
type Vocabulary map[string]bool

// NewVocabulary returns the vocabulary of texts.
func NewVocabulary(texts ...string) Vocabulary {
	known := Vocabulary{}
	for _, s := range texts {
		for _, w := range tokenize(s) {
			known[w.text] = true
		}
	}
	return known
}

// Lacks reports whether text contains content that is not in the vocabulary. Any new number or name
// is such content. A name is a capitalized word, except for words that often start sentences. Up
// to a fifth of the other words may be new, since a fragment needs additional words to become a
// sentence. Words of up to three letters are ignored. Words match if they share a stem. In scripts
// without spaces, each character is a word.
func (known Vocabulary) Lacks(text string) bool {
	content, unknown := 0, 0
	for i, w := range tokenize(text) {
		long := utf8.RuneCountInString(w.text) > 3
		switch {
		case w.kind == numberToken:
			if !known[w.text] {
				return true
			}
		case known[w.text] || known.sharesStem(w.text):
			content++
		case w.capitalized && (i > 0 || long && !startsSentences(w.text)):
			return true
		case w.kind == unspacedToken || long && !isFunctionWord(w.text):
			content++
			unknown++
		}
	}
	return unknown > max(1, content/5)
}

// A tokenKind is the kind of characters of a token.
type tokenKind uint8

const (
	noToken tokenKind = iota
	wordToken
	numberToken
	unspacedToken // character of a script without spaces
)

// A token is a word or number in lower case.
type token struct {
	text        string
	kind        tokenKind
	capitalized bool
}

// tokenize splits text into words, numbers, and characters of scripts without spaces.
func tokenize(text string) []token {
	var out []token
	start, kind := -1, noToken
	flush := func(end int) {
		if start >= 0 {
			w := text[start:end]
			first, _ := utf8.DecodeRuneInString(w)
			out = append(out, token{text: strings.ToLower(w), kind: kind, capitalized: unicode.IsUpper(first)})
		}
		start = -1
	}
	for i, r := range text {
		k := noToken
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			k = unspacedToken
		case unicode.IsLetter(r) || unicode.IsMark(r):
			k = wordToken
		case unicode.IsNumber(r):
			k = numberToken
		}
		if k != kind || k == unspacedToken {
			flush(i)
		}
		if k != noToken && start < 0 {
			start = i
		}
		kind = k
	}
	flush(len(text))
	return out
}

// sharesStem reports whether a word shares a stem with a known one. The common prefix must have
// at least four letters and half the length of the longer word, and at most four letters of
// either word may remain.
func (known Vocabulary) sharesStem(word string) bool {
	w := []rune(word)
	for text := range known {
		k, n := []rune(text), 0
		for n < len(w) && n < len(k) && w[n] == k[n] {
			n++
		}
		if n >= 4 && len(w)-n <= 4 && len(k)-n <= 4 && 2*n >= max(len(w), len(k)) {
			return true
		}
	}
	return false
}

// startsSentences reports whether w is a common first word of sentences.
func startsSentences(w string) bool {
	return isFunctionWord(w) || slices.Contains([]string{
		"according", "although", "while", "when", "where", "after", "before", "during", "some", "most", "many", "each", "every",
		"both", "they", "because", "since", "only", "under", "over", "about",
	}, w)
}

// isFunctionWord reports whether w is a function word of at least four letters.
func isFunctionWord(w string) bool {
	return slices.Contains([]string{
		"been", "were", "have", "that", "this", "these", "those", "with", "from", "into", "which", "does", "being", "there", "their",
		"wurde", "wurden", "eine", "einem", "einen", "einer", "sind", "waren", "dass",
		"était", "sont", "dans", "avec", "pour",
		"está", "están", "fueron", "para", "como", "desde",
	}, w)
}
