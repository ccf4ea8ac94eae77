package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A leaf reads the values of one column of the current row group.
type leaf struct {
	column   int
	path     string
	rep, def int
	text     func(parquet.Value) (kind, string)

	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	at     int
}

// leafBatch is how many values are decoded at a time.
const leafBatch = 256

func (l *leaf) open(pages parquet.Pages) {
	l.pages, l.buf, l.at = pages, l.buf[:0], 0
}

func (l *leaf) close() {
	if l.page != nil {
		parquet.Release(l.page)
		l.page, l.values = nil, nil
	}
	if l.pages != nil {
		_ = l.pages.Close() // it was only read
		l.pages = nil
	}
	l.buf, l.at = l.buf[:0], 0
}

// fill reads the next values. It returns io.EOF at the end of the row group.
func (l *leaf) fill() error {
	if l.buf == nil {
		l.buf = make([]parquet.Value, 0, leafBatch)
	}
	for {
		if l.page == nil {
			if l.pages == nil {
				return io.EOF
			}
			page, err := l.pages.ReadPage()
			if err != nil {
				return err
			}
			l.page, l.values = page, page.Values()
		}
		n, err := l.values.ReadValues(l.buf[:cap(l.buf)])
		l.buf, l.at = l.buf[:n], 0
		if n > 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			return io.ErrNoProgress
		}
		parquet.Release(l.page)
		l.page, l.values = nil, nil
	}
}

// peek returns the next value.
func (l *leaf) peek() (parquet.Value, error) {
	if l.at == len(l.buf) {
		if err := l.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("fewer values than rows")
			}
			return parquet.Value{}, l.fault(err)
		}
	}
	return l.buf[l.at], nil
}

// repeats reports whether the next value is another element of the list at the
// repetition level.
func (l *leaf) repeats(level int) (bool, error) {
	if l.at == len(l.buf) {
		if err := l.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return false, l.fault(err)
		}
	}
	return l.buf[l.at].RepetitionLevel() >= level, nil
}

// atRecord reports whether the next value begins a record, or there is none.
func (l *leaf) atRecord() bool {
	if l.rep == 0 {
		return true
	}
	more, err := l.repeats(1)
	return err != nil || !more // what is wrong comes out with the next record
}

func (l *leaf) atEnd() bool {
	if l.pages == nil {
		return true
	}
	_, err := l.repeats(0)
	more := err == nil && l.at < len(l.buf)
	return !more
}

// take appends the next value to t.
func (l *leaf) take(t *tree, name string) error {
	v, err := l.peek()
	if err != nil {
		return err
	}
	l.at++
	if t.full() { // no room is made for what is left out
		return nil
	}
	if v.IsNull() {
		t.add(kindNull, name, "")
		return nil
	}
	k, text := l.text(v)
	t.add(k, name, text)
	return nil
}

func (l *leaf) fault(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("cut off: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("broken Parquet data: column %s: %w", l.path, err)
}
