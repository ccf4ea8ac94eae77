package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// decodeText removes a byte order mark and converts UTF-16 to UTF-8. unchanged
// reports whether offsets in the result equal offsets in r.
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
		big := head[0] == bomUTF16BE[0]
		_, err := r.Discard(len(bomUTF16LE))
		return bufio.NewReaderSize(&utf16Reader{r: r, big: big}, readAhead), false, err
	}
	return r, true, nil
}

// A utf16Reader converts UTF-16 to UTF-8. An unpaired surrogate is encoded as
// three bytes of invalid UTF-8, so that its row fails instead of being silently
// changed.
type utf16Reader struct {
	r    *bufio.Reader
	big  bool   // big endian
	rest []byte // bytes that exceeded the last read buffer
	buf  [utf8.UTFMax]byte
}

func (u *utf16Reader) unit(b []byte) rune {
	if u.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	for n < len(p) {
		if n > 0 && u.r.Buffered() < 4 {
			return n, nil
		}
		b, err := u.r.Peek(2)
		if len(b) < 2 {
			if len(b) == 1 && errors.Is(err, io.EOF) {
				err = errors.New("the UTF-16 text ends within a character")
			}
			return n, err
		}
		c, size := u.unit(b), 2
		if utf16.IsSurrogate(c) {
			if b, _ := u.r.Peek(4); len(b) == 4 {
				if full := utf16.DecodeRune(c, u.unit(b[2:])); full != utf8.RuneError {
					c, size = full, 4
				}
			}
		}
		_, _ = u.r.Discard(size) // already peeked
		out := utf8.AppendRune(u.buf[:0], c)
		if utf16.IsSurrogate(c) {
			out = append(u.buf[:0], 0xe0|byte(c>>12), 0x80|byte(c>>6)&0x3f, 0x80|byte(c)&0x3f)
		}
		k := copy(p[n:], out)
		u.rest = out[k:]
		n += k
	}
	return n, nil
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

// checkText returns an error if the start of a file is binary: it contains a
// zero byte, or more than 30% of its characters are control characters or
// invalid UTF-8.
func checkText(head []byte) error {
	total := len(head)
	head = head[:min(len(head), textSample)]
	invalid, first := 0, -1
	for i := 0; i < len(head); {
		c, size := utf8.DecodeRune(head[i:])
		if c == 0 {
			return notText(head, i)
		}
		if c == utf8.RuneError && size == 1 {
			if len(head) < total && !utf8.FullRune(head[i:]) {
				break
			}
			invalid++
		} else if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b' {
			invalid++
		}
		if invalid == 1 && first < 0 {
			first = i
		}
		i += size
	}
	if invalid*10 > len(head)*3 {
		return notText(head, first)
	}
	return nil
}

func notText(head []byte, at int) error {
	guess := ""
	switch {
	case bytes.HasPrefix(head, []byte(parquetMagic)):
		guess = "; it begins as a Parquet file"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		guess = "; it begins as a ZIP archive or a spreadsheet"
	}
	return fmt.Errorf("not text (binary data at byte %d%s)", at, guess)
}
