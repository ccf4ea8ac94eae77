package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/syntax"
)

// A clause is a statement that is part of a sentence. Offsets are in bytes of
// the sentence.
type clause struct {
	text       string
	start, end int // -1 if the text is not contiguous in the sentence
	at         int // where the part begins that no earlier clause has, or 0
}

const (
	maxSplitBytes = 600 // longer sentences are not split
	maxSplitDepth = 4
)

// splitSentence returns the statements of an English sentence, or nil if there is only one
// or the sentence is not understood. Each is a sentence that follows from the original.
func splitSentence(text string) []clause {
	if len(text) > maxSplitBytes || strings.ContainsAny(text, "\"“”„«»?:|()[]\n") || !maySplit(text) {
		return nil
	}
	return splitParts(text, maxSplitDepth)
}

// maySplit is a fast pre-check for [splitSentence].
func maySplit(text string) bool {
	for _, s := range [...]string{" and ", " but ", "; ", ", which ", ", who "} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return strings.Count(text, " in ")+strings.Count(text, " on ")+strings.Count(text, " at ") > 1
}

// splitParts applies the first rule that splits text, and then splits its parts.
func splitParts(text string, depth int) []clause {
	s := parseSentence(text)
	if depth == 0 || s.hasUnsureWord() {
		return nil
	}
	for _, rule := range []func(*sentence) []clause{(*sentence).semicolon, (*sentence).relative, (*sentence).coordination, (*sentence).adjuncts} {
		parts := rule(s)
		if len(parts) < 2 {
			continue
		}
		var all []clause
		for _, p := range parts {
			if !parseSentence(p.text).isStatement() {
				return nil
			}
			inner := splitParts(p.text, depth-1)
			if inner == nil {
				inner = []clause{{p.text, 0, len(p.text), 0}}
			}
			for _, c := range inner {
				if p.start < 0 || c.start < 0 {
					c.start, c.end = -1, -1
					c.at = p.at
				} else {
					c.start, c.end, c.at = c.start+p.start, c.end+p.start, c.at+p.at
				}
				all = append(all, c)
			}
		}
		return all
	}
	return nil
}

// A sentence is an English text with its dependencies.
type sentence struct {
	text   string
	tokens []syntax.Token
	root   int
}

func parseSentence(text string) *sentence {
	s := &sentence{text: text, root: -1}
	full := text
	if !strings.HasSuffix(full, ".") && !strings.HasSuffix(full, "!") {
		full += "."
	}
	s.tokens = syntax.Parse(full)
	if n := len(s.tokens); len(full) > len(text) && n > 0 {
		if last := s.tokens[n-1]; last.Start >= len(text) && last.Head >= 0 {
			s.tokens = s.tokens[:n-1]
		}
	}
	s.root = slices.IndexFunc(s.tokens, func(t syntax.Token) bool { return t.Head < 0 })
	return s
}

// child returns the first child of token i whose relation is one of relations, or -1.
func (s *sentence) child(i int, relations ...string) int {
	return slices.IndexFunc(s.tokens, func(t syntax.Token) bool { return t.Head == i && slices.Contains(relations, t.Relation) })
}

func (s *sentence) subject(i int) int { return s.child(i, "nsubj", "nsubj:pass") }

// inTree reports whether token i is top or below it.
func (s *sentence) inTree(i, top int) bool {
	for ; i >= 0 && i < len(s.tokens); i = s.tokens[i].Head {
		if i == top {
			return true
		}
	}
	return false
}

// tree returns the range of the tokens below top and reports whether it has no others.
func (s *sentence) tree(top int) (first, end int, contiguous bool) {
	first, end = top, top+1
	n := 0
	for i := range s.tokens {
		if s.inTree(i, top) {
			first, end, n = min(first, i), max(end, i+1), n+1
		}
	}
	return first, end, n == end-first
}

// words returns the text of tokens from first up to end.
func (s *sentence) words(first, end int) string {
	if first >= end {
		return ""
	}
	return s.text[s.tokens[first].Start:min(len(s.text), s.tokens[end-1].End)]
}

// content returns the number of tokens without punctuation at the end.
func (s *sentence) content() int {
	n := len(s.tokens)
	for n > 0 && s.tokens[n-1].Tag == "PUNCT" {
		n--
	}
	return n
}

// isFinite reports whether token i is a verb with tense, or has an auxiliary or copula
// with tense.
func (s *sentence) isFinite(i int) bool {
	if t := s.tokens[i]; t.Tag == "VERB" && hasTense(t) {
		return true
	}
	aux := s.child(i, "aux", "aux:pass", "cop")
	return aux >= 0 && hasTense(s.tokens[aux])
}

func hasTense(t syntax.Token) bool {
	return t.Fine == "VBD" || t.Fine == "VBZ" || t.Fine == "VBP" || t.Fine == "MD"
}

// isStatement reports whether the sentence has a finite predicate after its subject.
func (s *sentence) isStatement() bool {
	if s.root < 0 || !s.isFinite(s.root) {
		return false
	}
	subject := s.subject(s.root)
	return subject >= 0 && subject < s.root
}

// isSimple reports whether no clause of the sentence depends on another, as conditions and
// reported speech do.
func (s *sentence) isSimple() bool {
	return s.isStatement() && !slices.ContainsFunc(s.tokens, func(t syntax.Token) bool {
		switch t.Relation {
		case "ccomp", "parataxis", "advcl", "advcl:relcl", "csubj", "csubj:pass", "cc:preconj", "dislocated", "vocative", "expl":
			return true
		}
		return false
	})
}

// hasUnsureWord reports whether the sentence has words whose scope the rules do not know:
// conditions, comparisons, contrasts and lists of alternatives.
func (s *sentence) hasUnsureWord() bool {
	for _, t := range s.tokens {
		switch strings.ToLower(t.Text) {
		case "if", "unless", "when", "whenever", "while", "because", "although", "though", "than", "whether", "either", "neither", "nor", "or", "both", "only",
			"whereas", "until", "till", "except", "without", "provided", "so", "therefore", "thus", "hence", "respectively", "according", "such", "rather", "instead", "otherwise",
			"reportedly", "allegedly", "supposedly", "perhaps", "maybe", "possibly", "probably", "likely", "once", "since", "before", "after", "as", "like",
			"together", "each", "between", "not only", "about", "per", "every", "never", "hardly", "rarely", "seldom":
			return true
		}
	}
	return false
}

// refersBack reports whether tokens from first up to end may refer to another clause.
// Possessives may do so if own is true.
func (s *sentence) refersBack(first, end int, own bool) bool {
	for _, t := range s.tokens[first:end] {
		switch low := strings.ToLower(t.Text); {
		case t.Fine == "PRP" && low != "i" && low != "we" && low != "you" && low != "us" && low != "me":
			return true
		case t.Fine == "PRP$" && !own:
			return true
		case t.Tag == "PRON" && (low == "this" || low == "that" || low == "these" || low == "those" || low == "which" && first == end-1),
			low == "former", low == "latter", low == "same", low == "other", low == "others", low == "another", low == "one", low == "ones", low == "else", low == "also" && !own, low == "too", low == "did", low == "does", low == "there", low == "then", low == "here":
			return true
		}
	}
	return false
}

// semicolon splits statements at semicolons.
func (s *sentence) semicolon() []clause {
	var parts []clause
	start := 0
	for start < len(s.text) {
		end := start + strings.IndexByte(s.text[start:], ';')
		if end < start {
			end = len(s.text)
		}
		text := strings.TrimSpace(s.text[start:end])
		if text == "" {
			return nil
		}
		at := start + strings.Index(s.text[start:], text)
		if p := parseSentence(text); len(parts) > 0 && p.refersBack(0, len(p.tokens), false) {
			return nil
		}
		parts = append(parts, clause{text, at, at + len(text), at})
		start = end + 1
	}
	return parts
}

// sentenceText joins words to a sentence.
func sentenceText(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return english.Capitalize(strings.TrimRight(strings.Join(words, " "), " ,.")) + "."
}
