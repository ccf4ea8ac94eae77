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

// decodeText takes off a byte order mark and turns UTF-16 into UTF-8. It also
// reports whether the bytes of r are handed on one for one.
func decodeText(r *bufio.Reader) (*bufio.Reader, bool, error) {
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

// A utf16Reader reads UTF-16 as UTF-8. A surrogate without its partner becomes
// the three bytes of its code point, which is no UTF-8, so that its row fails
// like any other with broken text, and nothing is replaced unseen.
type utf16Reader struct {
	r    *bufio.Reader
	big  bool
	rest []byte // what did not fit into p
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
		_, _ = u.r.Discard(size) // just peeked at
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

// peekLine returns the beginning of r up to its buffer: at least the first
// line, if it fits, and whatever came with it.
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

// notUTF8 is what is wrong with text that is not.
const notUTF8 = "invalid UTF-8"

// textSample is how much of a file is looked at for bytes that text has not.
const textSample = 4096

// checkText returns an error where the beginning of a file is no text: it has a
// zero byte, or more than three in ten of its bytes are control characters or
// not UTF-8.
func checkText(head []byte) error {
	whole := len(head)
	head = head[:min(len(head), textSample)]
	odd, first := 0, -1
	for i := 0; i < len(head); {
		c, size := utf8.DecodeRune(head[i:])
		if c == 0 {
			return notText(head, i)
		}
		if c == utf8.RuneError && size == 1 {
			if len(head) < whole && !utf8.FullRune(head[i:]) {
				break
			}
			odd++
		} else if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b' {
			odd++
		}
		if odd == 1 && first < 0 {
			first = i
		}
		i += size
	}
	if odd*10 > len(head)*3 {
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
