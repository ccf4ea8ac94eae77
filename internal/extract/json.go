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
// and reports whether it is one. Strings and numbers of JSON become paragraphs
// under their keys, and the answer itself stands without a key.
func unwrap(raw string) (view, bool) {
	start, end := trimSpan(raw, 0, len(raw))
	from, to, lang := trimFence(raw, start, end)
	fence := from > start
	switch {
	case from == to:
		return view{}, false
	case raw[from] == '{' || raw[from] == '[':
		j := jsonReader{raw: raw, from: from}
		if j.read(raw[from:to]) {
			return j.view(), true
		}
	}
	if !fence || !isProse(raw[from:to], lang) {
		return view{}, false
	}
	w := contextStripper{raw: raw}
	w.replace(0, from, "")
	w.replace(to, len(raw), "")
	return view{raw: raw, text: string(w.out), cuts: w.cuts}, true
}

// trimSpan returns the range of raw[start:end] without surrounding white space.
func trimSpan(raw string, start, end int) (int, int) {
	for start < end && isSpace(raw[start]) {
		start++
	}
	for end > start && isSpace(raw[end-1]) {
		end--
	}
	return start, end
}

// trimFence returns the content of the fence around raw[start:end] and its
// language, or the whole range if it is not a single fenced block.
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

// isProse reports whether the content of a fence is text and not code.
func isProse(s, lang string) bool {
	switch lang {
	case "text", "txt", "plaintext", "markdown", "md":
		return true
	case "":
	default:
		return false
	}
	const minSpaces = 4
	last, trimmed := trimClosing(s)
	return endsSentence(last, trimmed) && last != ';' && last != ',' && strings.Count(s, " ") >= minSpaces && !strings.ContainsAny(s, "{}=$\\")
}

// A jsonReader converts a JSON value to text.
type jsonReader struct {
	raw      string
	from     int // start of the JSON text in raw
	out      contextStripper
	keys     []string // of the enclosing objects and arrays
	values   int      // number of values so far
	lastItem int      // the value that was the last item of the current array, or 0
}

// maxJSONDepth limits the nesting of JSON answers.
const maxJSONDepth = 16

// read parses s and reports whether it is an object or array with text to
// judge.
func (j *jsonReader) read(s string) bool {
	j.out.raw = j.raw
	dec := jsontext.NewDecoder(bytes.NewBufferString(s), jsontext.AllowDuplicateNames(true))
	key := ""
	for {
		kind := dec.PeekKind()
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return j.values > 0
		}
		if err != nil || dec.StackDepth() > maxJSONDepth {
			return false
		}
		end := j.from + int(dec.InputOffset())
		switch kind {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if len(j.keys) > 0 && key == "" {
				key = j.keys[len(j.keys)-1]
			}
			j.keys = append(j.keys, key)
			key, j.lastItem = "", 0
		case jsontext.KindEndObject, jsontext.KindEndArray:
			j.keys = j.keys[:len(j.keys)-1]
			key = ""
		case jsontext.KindString:
			object, n := dec.StackIndex(dec.StackDepth())
			if object == '{' && n%2 == 1 {
				key = token.String()
				continue
			}
			name := key
			if object == '[' {
				name = j.keys[len(j.keys)-1]
			}
			j.addString(name, object == '[', lastStringStart(j.raw[j.from:end])+j.from+1, end-1)
			key = ""
		case jsontext.KindNumber:
			j.addNumber(key, end-len(token.String()), end)
			key = ""
		case jsontext.KindNull, jsontext.KindFalse, jsontext.KindTrue, jsontext.KindInvalid:
			key = ""
		}
	}
}

// addString adds the string between its quotation marks at start and end.
func (j *jsonReader) addString(key string, item bool, start, end int) {
	if start >= end {
		return
	}
	if isMetadataKey(key) {
		j.omitTo(end, "", Reference)
		return
	}
	text := j.separator()
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
		i += j.out.replace(i, i+n, text)
	}
	// The JSON up to the next value is omitted.
	j.out.out = append(j.out.out, j.raw[j.out.done:end]...)
	j.out.done = end
}

// separator returns the text before the next value.
func (j *jsonReader) separator() string {
	if j.values > 0 {
		return "\n\n"
	}
	return ""
}

// addNumber adds a number with its key, as in "age: 35".
func (j *jsonReader) addNumber(key string, start, end int) {
	if key == "" || isMetadataKey(key) {
		return
	}
	text := j.separator()
	if !isAnswerKey(key) {
		text += strings.TrimSpace(strings.Map(keyToWords, key)) + ": "
	}
	j.values++
	j.out.replace(j.out.done, start, text)
	j.out.out = append(j.out.out, j.raw[start:end]...)
	j.out.done = end
}

// jsonEscape returns the character of the JSON escape at i and the length of
// the escape.
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

// omitTo replaces everything up to end. The omitted text is reported as skipped
// with the given kind if it may assert something and the replacement has no lead.
func (j *jsonReader) omitTo(end int, replacement string, kind Kind) {
	start := j.out.done
	j.out.replace(start, end, replacement)
	if strings.IndexByte(replacement, ':') < 0 && MayAssert(j.raw[start:end]) {
		j.out.cuts[len(j.out.cuts)-1].kind = kind
	}
}

// view returns the view of the text so far.
func (j *jsonReader) view() view {
	j.omitTo(len(j.raw), "", Code)
	return view{raw: j.raw, text: string(j.out.out), cuts: j.out.cuts}
}

// lastStringStart returns the start of the string literal that s ends with.
func lastStringStart(s string) int {
	for i := len(s) - 2; i >= 0; i-- {
		if s[i] != '"' {
			continue
		}
		backslashes := i - len(strings.TrimRight(s[:i], `\`))
		if backslashes%2 == 0 {
			return i
		}
	}
	return 0
}

// keyToWords maps separators in keys such as "opening_hours" to spaces.
func keyToWords(r rune) rune {
	if r == '_' || r == '-' || r == '.' || r == '\n' {
		return ' '
	}
	return r
}

// normalizeKey returns the words of key in lower case.
func normalizeKey(key string) string {
	return strings.ToLower(strings.Trim(strings.Map(keyToWords, key), " "))
}

// isAnswerKey reports whether key is one for the answer as a whole.
func isAnswerKey(key string) bool {
	switch normalizeKey(key) {
	case "", "answer", "answers", "final answer", "response", "text", "output", "result", "content", "reply", "message", "summary", "completion":
		return true
	}
	return false
}

// isMetadataKey reports whether the values of key say nothing about the
// subject.
func isMetadataKey(key string) bool {
	switch normalizeKey(key) {
	case "source", "sources", "citation", "citations", "reference", "references", "id", "ids", "doc id", "document id", "chunk id", "url", "urls", "link",
		"links", "confidence", "score", "question", "query", "context", "contexts",
		"reasoning", "thought", "thoughts", "thinking", "rationale":
		return true
	}
	return false
}
