package prompt

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A templateData is Data for templates. All texts are already encoded as JSON;
// templates can't access the originals.
type templateData struct {
	Strict, Again                    bool
	Question, Answer, Before, Joined encoded
	Sentences, Contexts, Claims      encoded

	// Plain texts for the prompts of published models: Joined, the first of Claims, and
	// Question.
	Document, Claim, PlainQuestion encoded
}

// An encoded is JSON with one line per list item.
type encoded string

// texts returns the fields with texts by name.
func (v *templateData) texts() map[string]*encoded {
	return map[string]*encoded{
		"Question": &v.Question, "Answer": &v.Answer, "Before": &v.Before, "Joined": &v.Joined,
		"Sentences": &v.Sentences, "Contexts": &v.Contexts, "Claims": &v.Claims,
		"Document": &v.Document, "Claim": &v.Claim, "PlainQuestion": &v.PlainQuestion,
	}
}

// encode encodes the fields for which uses returns true.
func (d Data) encode(uses func(field string) bool) templateData {
	v := templateData{Strict: d.Strict, Again: d.Again}
	claim := ""
	if len(d.Claims) > 0 {
		claim = d.Claims[0].Text
	}
	text := func(s string) func() encoded { return func() encoded { return encoded(escape(s)) } }
	items := func(list []Item) func() encoded { return func() encoded { return encodeItems(list) } }
	plain := func(s string) func() encoded { return func() encoded { return encoded(Plain(s)) } }
	fields := v.texts()
	for name, encode := range map[string]func() encoded{
		"Question": text(d.Question), "Answer": text(d.Answer), "Before": text(d.Before), "Joined": text(d.Joined),
		"Sentences": items(d.Sentences), "Contexts": items(d.Contexts), "Claims": items(d.Claims),
		"Document": plain(d.Joined), "Claim": plain(claim), "PlainQuestion": plain(d.Question),
	} {
		if uses(name) {
			*fields[name] = encode()
		}
	}
	return v
}

func encodeItems(list []Item) encoded {
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

// escape encodes v as JSON without sequences that look like control tokens of a
// chat template. Servers convert "<|im_end|>" or "[/INST]" in a message to the
// control token, which would end the message. escape writes the first character
// of such sequences as an escape sequence. Other characters are unchanged
// because models copy quotes from this text.
func escape(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // encoding strings and numbers can't fail
	raw := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	out := make([]byte, 0, len(raw)+16)
	for i, c := range raw {
		switch {
		case c == '<' && isTagStart(raw[i+1:]):
			out = append(out, `\u003c`...)
		case c == '[' && isMarkStart(raw[i+1:]):
			out = append(out, `\u005b`...)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// isTagStart reports whether s, the text after a <, continues like "|im_end|>", "/s>",
// "<SYS>>", "start_of_turn>" or "｜end▁of▁sentence｜>".
func isTagStart(s []byte) bool {
	return startsSpecial(s) || len(s) > 0 && s[0]|0x20-'a' < 26
}

// startsSpecial reports whether s starts with a character that begins only special tokens
// after a <.
func startsSpecial(s []byte) bool {
	return len(s) > 0 && (strings.IndexByte("|/<_!", s[0]) >= 0 || s[0] >= utf8.RuneSelf)
}

// isMarkStart reports whether s, the text after a [, continues like "INST]", "/INST]" or
// "gMASK]".
func isMarkStart(s []byte) bool {
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

// Plain returns s as plain text for a message, without control characters, and with
// a space in sequences that servers could convert to control tokens of a chat template.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	for i, c := range s {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			continue
		}
		b.WriteRune(c)
		if rest := []byte(s[i+1 : min(len(s), i+32)]); c == '<' && isControlTag(rest) || c == '[' && isMarkStart(rest) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isControlTag reports whether s, the text after a <, continues like a control token or a
// tag that published judges use, and not like a tag of HTML.
func isControlTag(s []byte) bool {
	lower := strings.ToLower(string(s))
	words := []string{"start_of", "end_of", "s>", "sop", "bos", "eos", "think", "no-think", "score", "guardian", "sys"}
	return startsSpecial(s) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(lower, w) })
}
