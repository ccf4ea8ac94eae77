package tokenizer

import "unicode/utf8"

// A span is a range of bytes of the original text.
type span struct{ start, end int32 }

// A text is a stage of a text on its way to tokens, and where each of its bytes
// comes from. Without al every byte comes from the character at its own place,
// so that a text that normalisation leaves alone needs no list.
type text struct {
	b  []byte
	al []span // as long as b, or empty
}

func (t *text) reset() { t.b, t.al = t.b[:0], t.al[:0] }

// origin returns the span that byte i comes from.
func (t *text) origin(i int) span {
	if len(t.al) > 0 {
		return t.al[i]
	}
	start := i
	for start > 0 && !utf8.RuneStart(t.b[start]) {
		start--
	}
	_, w := utf8.DecodeRune(t.b[start:])
	return span{int32(start), int32(start + w)}
}

// spell lists the origins that were understood until now.
func (t *text) spell() {
	if len(t.al) > 0 {
		return
	}
	for i := 0; i < len(t.b); {
		_, w := utf8.DecodeRune(t.b[i:])
		t.add(span{int32(i), int32(i + w)}, w)
		i += w
	}
}

func (t *text) add(s span, n int) {
	for range n {
		t.al = append(t.al, s)
	}
}

// A piece is a part of the text that is tokenised on its own, or that an added
// token was found in.
type piece struct {
	lo, hi int32 // in the text at the present stage
	shift  int32 // in the original text, where it begins
	token  int32 // the added token's id, or notAdded
}

const notAdded = -1

// An editor writes the next stage of a piece. It follows the reference's rules
// on where a changed character comes from, which is more than display: offsets
// are part of the result, and a piece that is empty or begins elsewhere is
// split differently.
type editor struct {
	src, dst *text
	piece    piece
	pos      int // in src, what is read up to
	limit    int // length of dst above which nothing is written
	full     bool
}

// begin starts with a piece.
func (e *editor) begin(p piece) {
	e.piece, e.pos = p, int(p.lo)
}

// skipInserted copies what comes from nowhere at the beginning of the piece. The
// reference leaves it out when it replaces a text, and so has it twice.
func (e *editor) skipInserted() {
	for e.pos < int(e.piece.hi) && len(e.src.al) > 0 && e.src.al[e.pos].start == e.src.al[e.pos].end {
		e.keep(1)
	}
}

// before returns the origin of the byte before the position.
func (e *editor) before() span {
	if e.pos <= int(e.piece.lo) {
		return span{e.piece.shift, e.piece.shift}
	}
	return e.src.origin(e.pos - 1)
}

// put writes a character. With a change of 0 it stands for the next character of
// the source, with -n for the next one and n more that are dropped, and with 1 for
// none: then it comes from where the one before it does.
func (e *editor) put(r rune, change int) {
	if change > 0 || e.pos >= int(e.piece.hi) {
		e.write(r, e.before())
		return
	}
	e.write(r, e.src.origin(e.pos))
	e.drop(1 - change)
}

// drop passes over n characters.
func (e *editor) drop(n int) {
	for ; n > 0 && e.pos < int(e.piece.hi); n-- {
		_, w := utf8.DecodeRune(e.src.b[e.pos:e.piece.hi])
		e.pos += w
	}
}

func (e *editor) write(r rune, s span) {
	at := len(e.dst.b)
	if at > e.limit {
		e.full = true
		return
	}
	w := utf8.RuneLen(r)
	if len(e.dst.al) > 0 || int(s.start) != at || int(s.end) != at+w {
		e.dst.spell()
		e.dst.add(s, w)
	}
	e.dst.b = utf8.AppendRune(e.dst.b, r)
}

// keep copies n bytes, which are whole characters.
func (e *editor) keep(n int) {
	if n == 0 {
		return
	}
	from := e.pos
	e.pos += n
	if len(e.src.al) > 0 || len(e.dst.al) > 0 || from != len(e.dst.b) {
		e.dst.spell()
		if len(e.src.al) > 0 {
			e.dst.al = append(e.dst.al, e.src.al[from:e.pos]...)
		} else {
			for i := from; i < e.pos; {
				_, w := utf8.DecodeRune(e.src.b[i:e.pos])
				e.dst.add(span{int32(i), int32(i + w)}, w)
				i += w
			}
		}
	}
	e.dst.b = append(e.dst.b, e.src.b[from:e.pos]...)
}

// rest copies what is left of the piece.
func (e *editor) rest() { e.keep(int(e.piece.hi) - e.pos) }
