package extract

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// unwrap returns the view of an answer that is a JSON value or a fenced block,
// and reports whether it is one. JSON strings and numbers become paragraphs
// labeled with their keys. Generic keys such as "answer" are omitted.
func unwrap(raw string) (view, bool) {
	start, end := trimSpan(raw, 0, len(raw))
	from, to, lang := trimFence(raw, start, end)
	fence := from > start
	switch {
	case from == to:
		return view{}, false
	case raw[from] == '{' || raw[from] == '[':
		j := jsonReader{viewBuilder: viewBuilder{raw: raw}, from: from}
		if j.read(raw[from:to]) {
			j.omitTo(len(raw), "", Code)
			return j.view(), true
		}
	}
	if !fence || !isProse(raw[from:to], lang) {
		return view{}, false
	}
	b := viewBuilder{raw: raw}
	b.replace(0, from, "")
	b.replace(to, len(raw), "")
	return b.view(), true
}

// trimSpan returns the range of raw[start:end] without surrounding white space.
func trimSpan(raw string, start, end int) (int, int) {
	const space = " \n\t\r"
	end = start + len(strings.TrimRight(raw[start:end], space))
	return end - len(strings.TrimLeft(raw[start:end], space)), end
}

// trimFence returns the content of the fenced block in raw[start:end] and its language. If the
// range is not a single fenced block, it returns the range itself.
func trimFence(raw string, start, end int) (from, to int, lang string) {
	const fence = "```"
	s := raw[start:end]
	if !strings.HasPrefix(s, fence) || !strings.HasSuffix(s, fence) || strings.Count(s, fence) != 2 {
		return start, end, ""
	}
	n := strings.IndexByte(s, '\n')
	if n < 0 {
		return start, end, ""
	}
	lang = strings.ToLower(strings.TrimSpace(s[len(fence):n]))
	from, to = trimSpan(raw, start+n, end-len(fence))
	return from, to, lang
}

// isProse reports whether the content of a fence is prose rather than code.
func isProse(s, lang string) bool {
	if lang != "" {
		return isOneOf(lang, "text", "txt", "plaintext", "markdown", "md")
	}
	const minSpaces = 4
	last, trimmed := trimClosing(s)
	return endsSentence(trimmed) && last != ';' && last != ',' && strings.Count(s, " ") >= minSpaces && !strings.ContainsAny(s, "{}=$\\")
}

type jsonReader struct {
	viewBuilder
	from     int      // start of the JSON text in raw
	keys     []string // keys of the enclosing objects and arrays
	values   int      // number of values so far
	other    bool     // there are numbers, booleans or metadata
	lastItem int      // value count at the last item of the current array, or 0
}

// maxJSONDepth limits the nesting of JSON answers.
const maxJSONDepth = 16

// read converts the JSON text s. It reports whether s is an object or array
// that contains text to judge, or nothing but empty texts.
func (j *jsonReader) read(s string) bool {
	dec := jsontext.NewDecoder(bytes.NewBufferString(s), jsontext.AllowDuplicateNames(true))
	key := ""
	for {
		before := int(dec.InputOffset())
		kind := dec.PeekKind()
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return j.values > 0 || !j.other
		}
		if err != nil || dec.StackDepth() > maxJSONDepth {
			return false
		}
		end := j.from + int(dec.InputOffset())
		name := key
		key = ""
		switch kind {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if len(j.keys) > 0 && name == "" {
				name = j.keys[len(j.keys)-1]
			}
			j.keys = append(j.keys, name)
			j.lastItem = 0
		case jsontext.KindEndObject, jsontext.KindEndArray:
			j.keys = j.keys[:len(j.keys)-1]
		case jsontext.KindString:
			object, n := dec.StackIndex(dec.StackDepth())
			if object == '{' && n%2 == 1 {
				key = token.String()
				continue
			}
			if object == '[' {
				name = j.keys[len(j.keys)-1]
			}
			quote := j.from + before + strings.IndexByte(s[before:], '"')
			j.addString(name, object == '[', quote+1, end-1)
		case jsontext.KindNumber:
			j.addLiteral(name, end-len(token.String()), end)
		case jsontext.KindFalse, jsontext.KindTrue, jsontext.KindNull:
			j.other = j.other || kind != jsontext.KindNull
			if kind != jsontext.KindNull && name != "" && isAnswerKey(name) {
				j.addLiteral(name, end-len(token.String()), end)
			} else if name != "" {
				j.omitTo(end, "", Reference)
			}
		case jsontext.KindInvalid:
		}
	}
}

// addString adds the string whose content is raw[start:end].
func (j *jsonReader) addString(key string, item bool, start, end int) {
	if start >= end {
		return
	}
	if isMetadataKey(key) {
		j.other = true
		j.omitTo(end, "", Reference)
		return
	}
	text := strings.Repeat("\n\n", min(j.values, 1)) // between values
	switch label := strings.TrimSpace(strings.Map(keyToWords, key)); {
	case item && j.lastItem > 0:
		text = "\n- "
	case !isAnswerKey(key):
		first, size := utf8.DecodeRuneInString(label)
		text += string(unicode.ToUpper(first)) + label[size:] + ":\n- "
	case item:
		text += "- "
	}
	j.values++
	if item {
		j.lastItem = j.values
	}
	j.omitTo(start, text, Code)
	for i := start; i < end; {
		if j.raw[i] != '\\' {
			i++
			continue
		}
		text, n := jsonEscape(j.raw[:end], i)
		i += j.replace(i, i+n, text)
	}
	j.keepTo(end)
}

// keepTo copies the text up to end. The JSON after it is omitted.
func (j *jsonReader) keepTo(end int) {
	j.out = append(j.out, j.raw[j.done:end]...)
	j.done = end
}

// addLiteral adds a number or boolean with its key, as in "age: 35".
func (j *jsonReader) addLiteral(key string, start, end int) {
	if key == "" || isMetadataKey(key) {
		j.other = true
		return
	}
	text := strings.Repeat("\n\n", min(j.values, 1)) // between values
	if !isAnswerKey(key) {
		text += strings.TrimSpace(strings.Map(keyToWords, key)) + ": "
	}
	j.values++
	j.replace(j.done, start, text)
	j.keepTo(end)
}

// jsonEscape returns the character encoded by the JSON escape at i and the
// length of the escape.
func jsonEscape(s string, i int) (char string, n int) {
	const short, long, pair = len(`\n`), len(`\u00e9`), len(`\ud83d\ude80`)
	for _, n := range [...]int{pair, long, short} {
		if i+n > len(s) || n > short && s[i+1] != 'u' {
			continue
		}
		text, err := jsontext.AppendUnquote(nil, `"`+s[i:i+n]+`"`)
		if err == nil && utf8.RuneCount(text) == 1 {
			return string(text), n
		}
	}
	return "\ufffd", min(short, len(s)-i)
}

// omitTo replaces the text up to end. If the omitted text may contain an
// assertion and the replacement adds no label, the cut is reported as skipped
// with the given kind.
func (j *jsonReader) omitTo(end int, replacement string, kind Kind) {
	start := j.done
	j.replace(start, end, replacement)
	if strings.IndexByte(replacement, ':') < 0 && MayAssert(j.raw[start:end]) {
		j.last().kind = kind
	}
}

// keyToWords maps separators in keys such as "opening_hours" to spaces.
func keyToWords(r rune) rune {
	if r == '_' || r == '-' || r == '.' || r == '\n' {
		return ' '
	}
	return r
}

func normalizeKey(key string) string {
	return strings.ToLower(strings.Trim(strings.Map(keyToWords, key), " "))
}

// isAnswerKey reports whether key is a generic name for the whole answer.
func isAnswerKey(key string) bool {
	return isOneOf(normalizeKey(key), "", "answer", "answers", "final answer", "response", "text", "output", "result", "content", "reply", "message", "summary", "completion")
}

// isMetadataKey reports whether the values of key are metadata and not part of
// the answer.
func isMetadataKey(key string) bool {
	return isOneOf(normalizeKey(key), "source", "sources", "citation", "citations", "reference", "references", "id", "ids", "doc id", "document id", "chunk id", "url", "urls", "link",
		"links", "confidence", "score", "question", "query", "context", "contexts",
		"reasoning", "thought", "thoughts", "thinking", "rationale")
}
