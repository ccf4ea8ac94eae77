package prompt

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A view is Data as templates see it: every text is JSON already, and a
// template has no way to reach it bare.
type view struct {
	Strict, Again                    bool
	Question, Answer, Before, Joined encoded
	Sentences, Contexts, Claims      encoded
}

// encoded is JSON on as few lines as it has items.
type encoded string

func (d Data) encode() view {
	return view{
		Strict: d.Strict, Again: d.Again,
		Question: text(d.Question), Answer: text(d.Answer), Before: text(d.Before), Joined: text(d.Joined),
		Sentences: items(d.Sentences), Contexts: items(d.Contexts), Claims: items(d.Claims),
	}
}

func text(s string) encoded { return encoded(escape(s)) }

// items is a JSON array with an item a line.
func items(list []Item) encoded {
	var b strings.Builder
	b.WriteByte('[')
	for i, it := range list {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(escape(it))
	}
	b.WriteByte(']')
	return encoded(b.String())
}

// escape is v as JSON in which nothing looks like a control token of a chat
// template. Servers that fill a template of their own turn "<|im_end|>" or
// "[/INST]" in a message into the token of that name, which would end the
// message. As < is the same character to whoever reads JSON, nothing is
// lost. Other signs stay as they are, since a quote is copied from this text.
func escape(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings and numbers can always be encoded
	raw := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	out := make([]byte, 0, len(raw)+16)
	for i, c := range raw {
		switch {
		case c == '<' && opensTag(raw[i+1:]):
			out = append(out, `\u003c`...)
		case c == '[' && opensMark(raw[i+1:]):
			out = append(out, `\u005b`...)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// opensTag reports whether s goes on like "|im_end|>", "/s>", "<SYS>>",
// "start_of_turn>" or "｜end▁of▁sentence｜>" after the < before it.
func opensTag(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	switch c := s[0]; {
	case c == '|', c == '/', c == '<', c == '_', c == '!':
		return true
	case c >= utf8.RuneSelf:
		return true
	default:
		return c|0x20-'a' < 26
	}
}

// opensMark reports whether s goes on like "INST]", "/INST]" or "gMASK]" after
// the [ before it.
func opensMark(s []byte) bool {
	if len(s) > 0 && s[0] == '/' {
		s = s[1:]
	}
	capitals := 0
	for i, c := range s {
		switch {
		case c-'A' < 26:
			capitals++
		case c-'a' < 26, c == '_', c-'0' < 10 && i > 0:
		default:
			return c == ']' && capitals > 1
		}
	}
	return false
}
