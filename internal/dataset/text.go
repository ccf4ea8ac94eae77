package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// decodeText removes a byte order mark and converts UTF-16 with such a mark to UTF-8.
// unchanged reports whether offsets in the result equal offsets in r.
func decodeText(r *bufio.Reader) (text *bufio.Reader, unchanged bool, err error) {
	head, err := r.Peek(len(bomUTF8))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(bomUTF8)):
		_, err := r.Discard(len(bomUTF8))
		return r, true, err
	case bytes.HasPrefix(head, []byte(bomUTF16LE)), bytes.HasPrefix(head, []byte(bomUTF16BE)):
		d := utf16Decoder{order: binary.LittleEndian}
		if head[0] == bomUTF16BE[0] {
			d.order = binary.BigEndian
		}
		_, err := r.Discard(len(bomUTF16LE))
		return bufio.NewReaderSize(transform.NewReader(r, d), readAhead), false, err
	}
	return r, true, nil
}

// A utf16Decoder converts UTF-16 to UTF-8. An unpaired surrogate or a single byte at the end becomes
// a byte that is invalid UTF-8, so that the row is rejected.
type utf16Decoder struct {
	transform.NopResetter
	order binary.ByteOrder
}

// Transform implements transform.Transformer.
func (d utf16Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		if len(rest) < 4 && !atEOF {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		units := [2]rune{0xD800, 0xD800} // unpaired surrogates, unless there are enough bytes
		for i := range min(len(units), len(rest)/2) {
			units[i] = rune(d.order.Uint16(rest[2*i:]))
		}
		r := units[0]
		nSrc += min(len(rest), 2)
		if pair := utf16.DecodeRune(units[0], units[1]); pair != utf8.RuneError {
			r = pair
			nSrc += 2
		}
		if utf16.IsSurrogate(r) {
			dst[nDst] = 0xff
			nDst++
		} else {
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
	}
	return nDst, nSrc, nil
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

// notUTF8 is the error text for invalid UTF-8. A text that is mostly UTF-8 is damaged
// instead of having another encoding.
const notUTF8 = "invalid UTF-8; if the whole file has another encoding, such as Windows-1252, convert it with: iconv -f WINDOWS-1252 -t UTF-8 FILE"

// textSample is the number of bytes that checkText examines.
const textSample = 4096

// checkText returns an error if the start of a file is not text: many of its characters are
// control characters, or invalid UTF-8 beside such. Fewer make only their rows invalid.
func checkText(head []byte) error {
	head = head[:min(len(head), textSample)]
	control, invalid := 0, 0
	for i := 0; i < len(head); {
		c, size := utf8.DecodeRune(head[i:])
		if c == utf8.RuneError && size == 1 {
			invalid++
		} else if isBinary(c) {
			control++
		}
		i += size
	}
	if (control+invalid)*10 > len(head)*3 && control*20 > len(head) {
		return errors.New("not text (binary data, or UTF-16 without a byte order mark)")
	}
	return nil
}

// isBinary reports whether a character does not occur in text.
func isBinary(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b'
}

// bom is the byte order mark as a character.
const bom = '\ufeff'

// textError returns the error text for a damaged text, or "" if it is valid.
func textError(text []byte) string {
	switch {
	case !utf8.Valid(text):
		return notUTF8
	case bytes.IndexByte(text, 0) >= 0:
		return "a NUL byte"
	}
	return ""
}

func trim(s string) string { return strings.Trim(s, " \t\r\n") }

func trimSpace(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
