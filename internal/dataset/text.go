package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
	bomUTF32LE = "\xff\xfe\x00\x00"
	bomUTF32BE = "\x00\x00\xfe\xff"
)

// decodeText removes a byte order mark and converts UTF-16 to UTF-8. unchanged
// reports whether offsets in the result equal offsets in r.
func decodeText(r *bufio.Reader) (text *bufio.Reader, unchanged bool, err error) {
	head, err := r.Peek(len(bomUTF32LE))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		if head, err = r.Peek(textSample); err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
	}
	little, big := utf16Order(head)
	switch {
	case bytes.HasPrefix(head, []byte(bomUTF32LE)), bytes.HasPrefix(head, []byte(bomUTF32BE)):
		return nil, false, errors.New("the text is UTF-32: " + convertFrom("UTF-32"))
	case bytes.HasPrefix(head, []byte(bomUTF8)):
		_, err := r.Discard(len(bomUTF8))
		return r, true, err
	case little, bytes.HasPrefix(head, []byte(bomUTF16LE)):
		return fromUTF16(r, unicode.LittleEndian), false, nil
	case big, bytes.HasPrefix(head, []byte(bomUTF16BE)):
		return fromUTF16(r, unicode.BigEndian), false, nil
	}
	return r, true, nil
}

// fromUTF16 returns the UTF-8 of a text in UTF-16, without a byte order mark.
func fromUTF16(r io.Reader, order unicode.Endianness) *bufio.Reader {
	return bufio.NewReaderSize(transform.NewReader(r, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), readAhead)
}

// utf16Order reports whether a text without a byte order mark is UTF-16, in
// little or big endian: it starts with an ASCII character, and at least a third
// of its code units, but hardly any swapped ones, are ASCII.
func utf16Order(head []byte) (little, big bool) {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	units := len(head) / 2
	if units < 2 {
		return false, false
	}
	little = head[0] != 0 && head[1] == 0 && zeros[1]*3 >= units && zeros[0]*20 <= zeros[1]
	big = head[0] == 0 && head[1] != 0 && zeros[0]*3 >= units && zeros[1]*20 <= zeros[0]
	return little, big
}

// peekLine returns the buffered start of r. It includes the complete first line
// if that fits into the buffer.
func peekLine(r *bufio.Reader) ([]byte, error) {
	for n := 1; ; n = r.Buffered() + 1 {
		head, err := r.Peek(n)
		if err == nil {
			head, _ = r.Peek(r.Buffered())
		}
		if err != nil || bytes.IndexByte(head, '\n') >= 0 || len(head) == readAhead {
			if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) {
				err = nil
			}
			return head, err
		}
	}
}

// notUTF8 is the error text for invalid UTF-8.
const notUTF8 = "invalid UTF-8"

// textSample is the number of bytes that checkText examines.
const textSample = 4096

// checkText returns an error if the start of a file is not UTF-8 text: more than
// 30% of its characters are control characters or invalid UTF-8. Fewer make only
// their rows invalid, and so do more after a line with an object.
func checkText(head []byte) error {
	if line, _, more := bytes.Cut(head, []byte("\n")); more && startsWith(line, "{") && bytes.HasSuffix(trimSpace(line), []byte("}")) && !bytes.ContainsFunc(line, isBinary) {
		return nil
	}
	total := len(head)
	head = head[:min(len(head), textSample)]
	control, invalid, first := 0, 0, -1
	for i := 0; i < len(head); {
		c, size := utf8.DecodeRune(head[i:])
		if c == utf8.RuneError && size == 1 {
			if len(head) < total && !utf8.FullRune(head[i:]) {
				break
			}
			invalid++
		} else if isBinary(c) {
			control++
		}
		if control+invalid == 1 && first < 0 {
			first = i
		}
		i += size
	}
	switch {
	case (control+invalid)*10 <= len(head)*3:
		return nil
	case control == 0 && len(head) > invalid:
		return errors.New(notUTF8 + encodingHint(head))
	}
	return fmt.Errorf("not text (binary data at byte %d)", first)
}

// isBinary reports whether a character does not occur in text.
func isBinary(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b'
}

// checkEncoding returns an error if the start of a file contains several lines
// with non-ASCII characters, and none of them is UTF-8.
func checkEncoding(head []byte) error {
	const enough = 3
	lines := 0
	for line := range bytes.Lines(head) {
		if !utf8.Valid(line) && bytes.HasSuffix(line, []byte("\n")) {
			lines++
		}
	}
	if hint := encodingHint(head); lines >= enough && hint != "" {
		return errors.New(notUTF8 + hint)
	}
	return nil
}

// encodingHint says how to convert a text that is not UTF-8. It returns "" if
// most non-ASCII characters are UTF-8, so that only parts of the text are damaged.
func encodingHint(text []byte) string {
	valid, invalid := 0, 0
	runs, single, run := 0, 0, 0 // sequences of non-ASCII bytes
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			invalid++
		case c >= utf8.RuneSelf:
			valid++
		}
		if i += size; c >= utf8.RuneSelf {
			run += size
			continue
		}
		if run > 0 {
			runs++
		}
		if run == 1 {
			single++
		}
		run = 0
	}
	switch {
	case invalid <= valid:
		return ""
	case run <= 1 && single*2 >= runs: // in Western languages most letters are ASCII
		return ": it may be Windows-1252: " + convertFrom("WINDOWS-1252")
	}
	return ": " + convertFrom("ENCODING") + ", where ENCODING may be GB18030, SHIFT_JIS, ..."
}

func convertFrom(encoding string) string {
	return "convert it with: iconv -f " + encoding + " -t UTF-8 FILE"
}

// bom is the byte order mark as a character.
const bom = '\ufeff'

// textError returns the error text for a damaged text, or "" if it is valid.
func textError(text []byte) string {
	switch {
	case !utf8.Valid(text):
		return notUTF8 + encodingHint(text)
	case bytes.IndexByte(text, 0) >= 0:
		return "a NUL byte"
	}
	return ""
}

// A lineFeeds reader replaces carriage returns by line feeds, for text whose
// lines end in carriage returns alone.
type lineFeeds struct{ r io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
