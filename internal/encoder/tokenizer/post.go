package tokenizer

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// A post is a post-processor.
type post struct {
	// trims has an element for each post-processor that trims spaces from offsets:
	// whether the first space was added by the pre-tokenizer and has no offset.
	trims  []bool
	single []slot
	pair   []slot
}

// A slot is the position of a text or special tokens.
type slot struct {
	sequence int8 // 0, 1, or special
	typeID   int32
	ids      []int32
}

const special = -1

func defaultPost() post {
	return post{single: []slot{{sequence: 0}}, pair: []slot{{sequence: 0}, {sequence: 1, typeID: 1}}}
}

// clsPost returns the post-processor of BERT, with type ids 0 and 1, or of
// RoBERTa, with type id 0 only and two separators between the texts.
func clsPost(cls, sep int32, roberta bool) post {
	first := slot{sequence: special, ids: []int32{cls}}
	end := slot{sequence: special, ids: []int32{sep}}
	p := post{single: []slot{first, {sequence: 0}, end}}
	if roberta {
		p.pair = []slot{first, {sequence: 0}, end, end, {sequence: 1}, end}
		return p
	}
	end2 := slot{sequence: special, typeID: 1, ids: []int32{sep}}
	p.pair = []slot{first, {sequence: 0}, end, {sequence: 1, typeID: 1}, end2}
	return p
}

func countSpecials(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += len(s.ids)
	}
	return n
}

// A margin is the number of leading and trailing spaces of a token.
type margin struct{ lead, tail int32 }

// marginOf counts the leading and trailing spaces, including the character that
// represents a space in ByteLevel.
func marginOf(chars *characters, token []byte) margin {
	isSpace := func(r rune) bool { return r == 'Ġ' || chars.classOf(r)&space != 0 }
	var m margin
	for rest := token; len(rest) > 0; m.lead++ {
		r, w := utf8.DecodeRune(rest)
		if !isSpace(r) {
			break
		}
		rest = rest[w:]
	}
	for rest := token; len(rest) > 0; m.tail++ {
		r, w := utf8.DecodeLastRune(rest)
		if !isSpace(r) {
			break
		}
		rest = rest[:len(rest)-w]
	}
	return m
}

// trim returns t with its offsets moved inwards by its margin, in characters of
// the text.
func (t token) trim(src string, first, addSpace bool) token {
	lead := t.lead
	if lead == 1 && addSpace && (first || t.start == 0) {
		lead = 0
	}
	for ; lead > 0 && t.start < t.end; lead-- {
		t.start += int32(charLength(src[t.start:t.end]))
	}
	if t.tail == 0 || t.end < 4*t.tail && utf8.RuneCountInString(src[:t.end]) < int(t.tail) {
		return t
	}
	for n := t.tail; n > 0 && t.end > t.start; n-- {
		t.end -= int32(lastCharLength(src[t.start:t.end]))
	}
	return t
}

// charLength returns the length of the first character of s, as decoded by
// load.
func charLength(s string) int {
	r, w := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && w == 1 {
		return invalidLength(s)
	}
	return w
}

// lastCharLength returns the length of the last character of s, as decoded by
// load.
func lastCharLength(s string) int {
	r, w := utf8.DecodeLastRuneInString(s)
	if r == utf8.RuneError && w == 1 {
		for k := min(3, len(s)); k > 1; k-- {
			if invalidLength(s[len(s)-k:]) == k {
				return k
			}
		}
	}
	return w
}

// apply builds the encoding from the tokens of the texts.
func (p *post) apply(slots []slot, texts [2]string, tokens [2][]token) Encoding {
	n := countSpecials(slots)
	for _, s := range slots {
		if s.sequence != special {
			n += len(tokens[s.sequence])
		}
	}
	e := Encoding{
		IDs:      make([]int32, 0, n),
		TypeIDs:  make([]int32, 0, n),
		Offsets:  make([][2]int, 0, n),
		Sequence: make([]int8, 0, n),
	}
	for _, s := range slots {
		for _, id := range s.ids {
			e.add(id, s.typeID, [2]int{}, special)
		}
		if s.sequence == special {
			continue
		}
		for i, t := range tokens[s.sequence] {
			for _, addSpace := range p.trims {
				t = t.trim(texts[s.sequence], i == 0, addSpace)
			}
			e.add(t.id, s.typeID, [2]int{int(t.start), int(t.end)}, s.sequence)
		}
	}
	return e
}

func (e *Encoding) add(id, typeID int32, offsets [2]int, sequence int8) {
	e.IDs = append(e.IDs, id)
	e.TypeIDs = append(e.TypeIDs, typeID)
	e.Offsets = append(e.Offsets, offsets)
	e.Sequence = append(e.Sequence, sequence)
}

// A Strategy selects the text to truncate.
type Strategy uint8

// The strategies, with their names in Hugging Face tokenizers.
const (
	LongestFirst Strategy = iota // longest_first: truncate the longer text first
	OnlyFirst                    // only_first
	OnlySecond                   // only_second
)

// A Truncation limits the number of tokens, including special tokens.
type Truncation struct {
	MaxLength int
	Strategy  Strategy
}

// ErrCannotTruncate is returned if the text selected by a strategy is too short
// or missing.
var ErrCannotTruncate = errors.New("cannot be truncated as configured")

// lengths returns how many of n1 and n2 tokens to keep. n2 is 0 unless pair is
// set. If the special tokens alone exceed the limit, nothing is truncated, due
// to an unsigned subtraction in the reference.
func (t *Truncation) lengths(n1, n2, added int, pair bool) (int, int, error) {
	budget := t.MaxLength - added
	if budget < 0 {
		return n1, n2, nil
	}
	if budget == 0 {
		return 0, 0, nil
	}
	over := n1 + n2 - budget
	if over <= 0 {
		return n1, n2, nil
	}
	switch t.Strategy {
	case LongestFirst:
		if !pair {
			return budget, 0, nil
		}
		k1, k2 := splitBudget(n1, n2, budget)
		return min(n1, k1), min(n2, k2), nil
	case OnlyFirst:
		if n1 > over {
			return n1 - over, n2, nil
		}
		return 0, 0, fmt.Errorf("%d tokens, at most %d: the first text %w", n1+n2+added, t.MaxLength, ErrCannotTruncate)
	case OnlySecond:
		if n2 > over {
			return n1, n2 - over, nil
		}
		return 0, 0, fmt.Errorf("%d tokens, at most %d: the second text %w", n1+n2+added, t.MaxLength, ErrCannotTruncate)
	}
	return 0, 0, fmt.Errorf("strategy %d: %w", t.Strategy, ErrCannotTruncate)
}

// splitBudget divides a budget between two texts that exceed it. It keeps the shorter
// one if that takes at most half.
func splitBudget(n1, n2, budget int) (int, int) {
	if n1 > n2 {
		n2, n1 = splitBudget(n2, n1, budget)
		return n1, n2
	}
	if n1 > budget {
		n2 = n1
	} else {
		n2 = max(n1, budget-n1)
	}
	if n1+n2 > budget {
		n1 = budget / 2
		n2 = n1 + budget%2
	}
	return n1, n2
}
