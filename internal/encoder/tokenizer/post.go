package tokenizer

import "unicode/utf8"

// A post says what the tokens of the texts are put into.
type post struct {
	// trims has an item for each time the offsets are freed from the spaces
	// that byte-level tokens begin with: whether a first space is one that was
	// put in front of the text, which has no offset.
	trims  []bool
	single []slot
	pair   []slot
}

// A slot is a text's place, or special tokens.
type slot struct {
	sequence int8 // 0, 1, or special
	typeID   int32
	ids      []int32
}

const special = -1

func plainPost() post {
	return post{single: []slot{{sequence: 0}}, pair: []slot{{sequence: 0}, {sequence: 1, typeID: 1}}}
}

// clsPost is that of BERT, with the types 0 and 1, and that of RoBERTa, with type
// 0 only and two separators in a row.
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

func specials(slots []slot) int {
	n := 0
	for _, s := range slots {
		n += len(s.ids)
	}
	return n
}

// A margin is the number of spaces at the ends of a token.
type margin struct{ lead, tail int32 }

// marginOf counts the characters at the ends that are spaces, or the one that
// ByteLevel writes for them.
func marginOf(chars *characters, token []byte) margin {
	isSpace := func(r rune) bool { return r == 'Ġ' || chars.of(r)&space != 0 }
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

// trim moves the ends of a token's offsets, by characters of the text.
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

// charLength returns the length of the first character, as load reads it.
func charLength(s string) int {
	r, w := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && w == 1 {
		return brokenLength(s)
	}
	return w
}

// lastCharLength returns the length of the last character, as load reads it.
func lastCharLength(s string) int {
	r, w := utf8.DecodeLastRuneInString(s)
	if r == utf8.RuneError && w == 1 {
		for k := min(3, len(s)); k > 1; k-- {
			if brokenLength(s[len(s)-k:]) == k {
				return k
			}
		}
	}
	return w
}

// apply writes the slots.
func (p *post) apply(slots []slot, texts [2]string, tokens [2][]token) Encoding {
	n := specials(slots)
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
