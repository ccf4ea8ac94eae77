package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	// A block of rows is unpacked to open one of them, so it is small, but it
	// is well above the 32 KiB over which gzip sees likenesses.
	rowsBlock = 256 << 10
	// All blocks of the index are unpacked when the page opens.
	indexBlock = 2 << 20
	// indexText is the longest text in the index, in bytes. Of a longer one the
	// beginning is listed and searched.
	indexText = 20_000
)

// A packer writes rows as data blocks of a page: elements named script, of a
// type that no browser runs, which hold gzip in base64. There are blocks of
// results as result.Row.AppendJSON has them, and blocks of an index, a JSON array
// of arrays, with what the table lists, sorts and searches. Id, question and
// answer are in the index alone, unless it had to cut one of them.
type packer struct {
	w           io.Writer
	rows, index bytes.Buffer // not written yet
	blocks      int          // blocks of rows that are written
	written     int64        // bytes
	zip         bytes.Buffer // room that is used again
	gzip        *gzip.Writer
	line        []byte
}

// add embeds r.
func (p *packer) add(r *result.Row) error {
	p.addIndex(r)
	stored := *r
	if max(len(r.ID), len(r.Question), len(r.Answer)) <= indexText {
		stored.ID, stored.Question, stored.Answer = "", "", ""
	}
	p.line = append(stored.AppendJSON(p.line[:0]), '\n')
	p.rows.Write(p.line)
	if p.rows.Len() >= rowsBlock {
		if err := p.flushRows(); err != nil {
			return err
		}
	}
	if p.index.Len() >= indexBlock {
		return p.flushIndex()
	}
	return nil
}

// addIndex adds the entry of r: its block, index, id, question, answer, status,
// faithfulness, support, reason, how many claims have each verdict (supported,
// contradicted, not mentioned), and 1 if a text was cut.
func (p *packer) addIndex(r *result.Row) {
	var counts [3]int
	for i := range r.Claims {
		switch r.Claims[i].Verdict {
		case result.Supported:
			counts[0]++
		case result.Contradicted:
			counts[1]++
		case result.NotMentioned:
			counts[2]++
		}
	}
	b := append(p.line[:0], '[')
	b = strconv.AppendInt(b, int64(p.blocks), 10)
	b = strconv.AppendInt(append(b, ','), int64(r.Index), 10)
	cut := 0
	for _, text := range []string{r.ID, r.Question, r.Answer} {
		if len(text) > indexText {
			text, cut = beginning(text), 1
		}
		b = result.AppendText(append(b, ','), text)
	}
	b = result.AppendText(append(b, ','), string(r.Status))
	b = result.AppendScore(append(b, ','), r.Faithfulness)
	b = result.AppendScore(append(b, ','), r.Support)
	b = result.AppendText(append(b, ','), r.Reason)
	for _, n := range append(counts[:], cut) {
		b = strconv.AppendInt(append(b, ','), int64(n), 10)
	}
	b = append(b, ']')
	p.line = b
	open := byte(',')
	if p.index.Len() == 0 {
		open = '['
	}
	p.index.WriteByte(open)
	p.index.Write(b)
}

// beginning returns what the index holds of a long text: whole code points.
func beginning(text string) string {
	end := indexText
	for end > indexText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// flush writes what is not written yet.
func (p *packer) flush() error {
	if p.rows.Len() > 0 {
		if err := p.flushRows(); err != nil {
			return err
		}
	}
	if p.index.Len() > 0 {
		return p.flushIndex()
	}
	return nil
}

func (p *packer) flushRows() error {
	p.blocks++
	return p.write("rows", &p.rows)
}

func (p *packer) flushIndex() error {
	p.index.WriteByte(']')
	return p.write("index", &p.index)
}

// write writes data as a block of that kind, and empties it.
func (p *packer) write(kind string, data *bytes.Buffer) error {
	p.zip.Reset()
	if p.gzip == nil {
		p.gzip = gzip.NewWriter(&p.zip)
	} else {
		p.gzip.Reset(&p.zip)
	}
	if _, err := p.gzip.Write(data.Bytes()); err != nil {
		return err
	}
	if err := p.gzip.Close(); err != nil {
		return err
	}
	data.Reset()
	n, err := fmt.Fprintf(p.w, "<script type=\"application/gzip\" data-block=%q>%s</script>\n", kind,
		base64.StdEncoding.EncodeToString(p.zip.Bytes()))
	p.written += int64(n)
	return err
}
