// Package segment finds the sentences of a text, in 28 languages that it knows
// words of and in any whose marks it knows.
//
// It works in two steps. Lines are first gathered into blocks: paragraphs, list
// items, headings, table rows, fenced code. A block of prose is then scanned
// once, byte by byte, and every mark that may end a sentence is decided by what
// stands before it and what follows. Nothing is copied or changed: a sentence
// is a pair of offsets into the text.
package segment

// A Span is a piece of a text, as byte offsets: text[Start:End].
type Span struct{ Start, End int }

// Sentences returns the sentences of text in order. Spans do not overlap, are
// not empty and have no white space at their ends. What lies between them is
// white space or the marks of Markdown: bullets, item numbers, the hashes of a
// heading, the signs of a block quote. A block of code, fenced or indented, is
// one span, and so is a row of a table.
//
// lang is a language tag such as "en" or "de-AT"; with "" the language is found
// from the script and the commonest words. A tag that ends in "x-claims", such
// as "ar-x-claims" or "x-claims" alone, asks for sentences as a judge of claims
// needs them where the golden rules that segmenters are held against differ: a
// quotation of several sentences is cut, clauses of Arabic are not, and a small
// letter may end a sentence.
func Sentences(text, lang string) []Span {
	if text == "" {
		return nil
	}
	return AppendSentences(make([]Span, 0, min(len(text)/64+4, 1<<16)), text, lang)
}

// AppendSentences appends the sentences of text to dst, as [Sentences] finds
// them, and allocates nothing but room in dst. The time is linear in the length
// of text, whatever text holds.
func AppendSentences(dst []Span, text, lang string) []Span {
	c := cutter{text: text, spans: dst}
	c.lang, c.claims = languageOf(lang, text)
	c.quotes, c.clauses = c.lang.quotes && !c.claims, c.lang.clauses && !c.claims
	c.document()
	return c.spans
}

// A cutter walks one text.
type cutter struct {
	text   string
	spans  []Span
	lang   *language
	claims bool // a judge reads the sentences
	// What holds of the language and is not in the way of claims.
	quotes, clauses bool
}

// emit adds a span, without the white space at its ends, where it holds
// anything.
func (c *cutter) emit(start, end int) {
	start, end = trim(c.text, start, end)
	if start < end {
		c.spans = append(c.spans, Span{start, end})
	}
}
