// Package segment finds the sentences of a text.
package segment

// A Span is a piece of a text, as byte offsets: text[Start:End].
type Span struct{ Start, End int }
