package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	// rowsBlock is the size of a block of rows in bytes. Opening a row decompresses its
	// block, so blocks are small, but well above the 32 KiB window of gzip.
	rowsBlock = 256 << 10
	// indexBlock is the size of a block of the index, decompressed when the page opens.
	indexBlock = 2 << 20
	// maxIndexText is the size to which texts are truncated for the table and the search.
	maxIndexText = 20_000
	// maxIndexKept is the size to which values of kept columns are truncated for the filters.
	maxIndexKept = 500
)

// A packer writes rows as data blocks: script elements of a type that no browser runs, with base64
// of gzip. Row blocks contain lines of result.Row.AppendJSON. Index blocks are JSON arrays of arrays
// with the columns that the table shows, sorts and searches. Id, question, answer and kept columns
// are only in the index, unless they are truncated there.
type packer struct {
	w           io.Writer
	rows, index bytes.Buffer // blocks not yet written
	blocks      int          // row blocks written
	written     int64        // bytes
	compressed  bytes.Buffer // reused
	gzip        *gzip.Writer // reused
	entry, line []byte       // reused
}

func (p *packer) add(r *result.Row) error {
	entry, line := p.encode(r)
	separator := byte(',')
	if p.index.Len() == 0 {
		separator = '['
	}
	p.index.WriteByte(separator)
	fmt.Fprintf(&p.index, "[%d,", p.blocks)
	p.index.Write(entry)
	p.rows.Write(line)
	return p.flush(rowsBlock, indexBlock)
}

// encode returns the entry of r in the index, except for the number of its row block at the
// start, and its line in that block. Both are valid until the next call.
//
// The entry consists of block, index, id, question, answer, status, faithfulness, support,
// confidence or 0, reason or error, the numbers of supported, contradicted and not mentioned claims, 1 if a text is
// truncated, the start of the excerpt, and an object with the kept columns as texts, if there
// are any.
func (p *packer) encode(r *result.Row) (entry, line []byte) {
	var counts [3]int
	for i := range r.Claims {
		switch r.Claims[i].Verdict {
		case result.Supported:
			counts[0]++
		case result.Contradicted:
			counts[1]++
		case result.NotMentioned:
			counts[2]++
		case result.Unjudged:
		}
	}
	b := strconv.AppendInt(p.entry[:0], int64(r.Index), 10)
	truncated := 0
	for _, text := range []string{r.ID, r.Question, r.Answer} {
		if len(text) > maxIndexText {
			truncated = 1
		}
		b = dataset.AppendText(append(b, ','), truncate(text, maxIndexText))
	}
	b = dataset.AppendText(append(b, ','), string(r.Status))
	b = result.AppendScore(append(b, ','), r.Faithfulness)
	b = result.AppendScore(append(b, ','), r.Support)
	b = result.AppendScore(append(b, ','), r.Confidence)
	b = dataset.AppendText(append(b, ','), reason(r))
	for _, n := range append(counts[:], truncated, excerpt(r)) {
		b = strconv.AppendInt(append(b, ','), int64(n), 10)
	}
	stored := *r
	if truncated == 0 {
		stored.ID, stored.Question, stored.Answer = "", "", ""
	}
	stored.Kept = nil
	for i := range r.Kept {
		c := &r.Kept[i]
		if len(c.Value) > maxIndexKept {
			stored.Kept = append(stored.Kept, *c)
		}
		b = append(b, [...]string{",{", ","}[min(i, 1)]...)
		b = dataset.AppendText(b, c.Name)
		text, _ := result.PlainText(c.Value)
		b = dataset.AppendText(append(b, ':'), truncate(text, maxIndexKept))
	}
	if len(r.Kept) > 0 {
		b = append(b, '}')
	}
	p.entry = append(b, ']')
	p.line = append(stored.AppendJSON(p.line[:0]), '\n')
	return p.entry, p.line
}

// location matches the file and line at the start of an error.
var location = regexp.MustCompile(`^\S+:\d+: `)

// reason returns the reason of r or, if r failed, its error without the location.
func reason(r *result.Row) string {
	if r.Status == result.Failed && r.Err != nil {
		return truncate(location.ReplaceAllString(r.Err.Error(), ""), maxIndexKept)
	}
	return r.Reason
}

// excerpt returns the offset in the answer, in code points, of the part that the table shows:
// the first contradicted claim or, without one, the first claim that is not mentioned.
func excerpt(r *result.Row) int {
	start := 0
	for _, c := range r.Claims {
		if c.Verdict != result.Contradicted && (c.Verdict != result.NotMentioned || start > 0) {
			continue
		}
		if start = max(0, c.Start); c.From != nil {
			start = c.From.Start
		}
		if c.Verdict == result.Contradicted {
			break
		}
	}
	return start
}

// truncate returns the first limit bytes of a text, without a partial code point.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// flush writes the current blocks of rows and of the index if they have at least these sizes.
func (p *packer) flush(rows, index int) error {
	if p.rows.Len() >= rows {
		p.blocks++
		if err := p.write("rows", &p.rows); err != nil {
			return err
		}
	}
	if p.index.Len() >= index {
		p.index.WriteByte(']')
		return p.write("index", &p.index)
	}
	return nil
}

// write writes data as a block and resets it.
func (p *packer) write(kind string, data *bytes.Buffer) error {
	p.compressed.Reset()
	p.gzip.Reset(&p.compressed)
	if _, err := p.gzip.Write(data.Bytes()); err != nil {
		return err
	}
	if err := p.gzip.Close(); err != nil {
		return err
	}
	data.Reset()
	n, err := fmt.Fprintf(p.w, "<script type=\"application/gzip\" data-block=%q>%s</script>\n", kind,
		base64.StdEncoding.EncodeToString(p.compressed.Bytes()))
	p.written += int64(n)
	return err
}
