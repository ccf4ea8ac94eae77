package tokenizer

import "unicode/utf8"

// A span is a byte range of the original text.
type span struct{ start, end int32 }

// A text is the text at one stage of tokenization with the origin of each byte.
// If origins is empty, every byte originates from the character at its own
// position, so that unchanged text needs no list.
type text struct {
	bytes   []byte
	origins []span // empty or of the length of b
}

func (t *text) reset() { t.bytes, t.origins = t.bytes[:0], t.origins[:0] }

// origin returns the origin of byte i.
func (t *text) origin(i int) span {
	if len(t.origins) > 0 {
		return t.origins[i]
	}
	start := i
	for start > 0 && !utf8.RuneStart(t.bytes[start]) {
		start--
	}
	_, w := utf8.DecodeRune(t.bytes[start:])
	return span{int32(start), int32(start + w)}
}

// expandOrigins makes implicit origins explicit.
func (t *text) expandOrigins() {
	if len(t.origins) > 0 {
		return
	}
	for i := 0; i < len(t.bytes); {
		_, w := utf8.DecodeRune(t.bytes[i:])
		t.add(span{int32(i), int32(i + w)}, w)
		i += w
	}
}

func (t *text) add(s span, n int) {
	for range n {
		t.origins = append(t.origins, s)
	}
}

// decodeRune is utf8.DecodeRune, faster for ASCII. src must not be empty.
func decodeRune(src []byte) (rune, int) {
	if src[0] < utf8.RuneSelf {
		return rune(src[0]), 1
	}
	return utf8.DecodeRune(src)
}

// A piece is a part of the text that is tokenized separately, or an added
// token.
type piece struct {
	lo, hi int32 // in the text at the current stage
	shift  int32 // start in the original text
	token  int32 // id of the added token, or notAdded
}

const notAdded = -1

// An editor writes the next stage of a piece. It assigns origins by the rules
// of the reference. They matter beyond offsets: pieces that are empty or have a
// different start are split differently.
type editor struct {
	src, dst *text
	piece    piece
	pos      int  // read position in src
	limit    int  // maximum length of dst and of later stages together
	full     bool // the limit was reached in this or an earlier stage
}

// skipInserted copies inserted characters at the start of the piece. The
// reference ignores them when it replaces a text, and therefore duplicates
// them.
func (e *editor) skipInserted() {
	for e.pos < int(e.piece.hi) && len(e.src.origins) > 0 && e.src.origins[e.pos].start == e.src.origins[e.pos].end {
		e.keep(1)
	}
}

// originBefore returns the origin of the byte before the position.
func (e *editor) originBefore() span {
	if e.pos <= int(e.piece.lo) {
		return span{e.piece.shift, e.piece.shift}
	}
	return e.src.origin(e.pos - 1)
}

// put writes a character. With change 0 it replaces the next source character,
// with change -n the next one and n more, and with change 1 it is inserted with
// the origin of the character before it.
func (e *editor) put(r rune, change int) {
	if change > 0 || e.pos >= int(e.piece.hi) {
		e.write(r, e.originBefore())
		return
	}
	e.write(r, e.src.origin(e.pos))
	e.drop(1 - change)
}

// drop skips n characters.
func (e *editor) drop(n int) {
	for ; n > 0 && e.pos < int(e.piece.hi); n-- {
		_, w := utf8.DecodeRune(e.remaining())
		e.pos += w
	}
}

func (e *editor) write(r rune, s span) {
	at := len(e.dst.bytes)
	if at > e.limit {
		e.full = true
		return
	}
	w := utf8.RuneLen(r)
	if len(e.dst.origins) > 0 || int(s.start) != at || int(s.end) != at+w {
		e.dst.expandOrigins()
		e.dst.add(s, w)
	}
	e.dst.bytes = utf8.AppendRune(e.dst.bytes, r)
}

// keep copies n bytes, which must be whole characters.
func (e *editor) keep(n int) {
	if n == 0 {
		return
	}
	from := e.pos
	e.pos += n
	if len(e.dst.bytes) > e.limit { // pieces may overlap
		e.full = true
		return
	}
	if len(e.src.origins) > 0 || len(e.dst.origins) > 0 || from != len(e.dst.bytes) {
		e.dst.expandOrigins()
		if len(e.src.origins) > 0 {
			e.dst.origins = append(e.dst.origins, e.src.origins[from:e.pos]...)
		} else {
			for i := from; i < e.pos; {
				_, w := utf8.DecodeRune(e.src.bytes[i:e.pos])
				e.dst.add(span{int32(i), int32(i + w)}, w)
				i += w
			}
		}
	}
	e.dst.bytes = append(e.dst.bytes, e.src.bytes[from:e.pos]...)
}

// keepRest copies the remaining input of the piece.
func (e *editor) keepRest() { e.keep(int(e.piece.hi) - e.pos) }
