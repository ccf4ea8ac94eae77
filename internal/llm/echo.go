package llm

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// compact returns valid JSON without white space.
func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, v)
	return b.Bytes()
}

// promptEcho returns a function that reports whether a value occurs in a text of ms, other
// than the instructions. The texts are JSON, and may contain the value with its own
// escapes and layout, which models do not preserve.
func promptEcho(ms []Message) func(value string) bool {
	prompt := sync.OnceValue(func() string {
		var b strings.Builder
		for _, m := range ms {
			if m.Role != System {
				b.WriteString(plainValue(m.Text) + "\n")
			}
		}
		return b.String()
	})
	return func(value string) bool { return strings.Contains(prompt(), plainValue(value)) }
}

// maxEscapes is the number of times that escapes are decoded: a string in JSON in a
// context, in the JSON of a prompt.
const maxEscapes = 4

// plainValue returns a text without the escapes, entities, forms of characters, white
// space, quotation marks and commas in which two copies of a JSON value may differ, in
// lower case.
func plainValue(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || isInvisible(r) || unicode.Is(unicode.Quotation_Mark, r) || strings.ContainsRune("`\\,", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(html.UnescapeString(decodeEscapes(text))))
}

func isInvisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// decodeEscapes decodes the escapes of JSON wherever they occur in a text.
func decodeEscapes(text string) string {
	for range maxEscapes {
		if strings.IndexByte(text, '\\') < 0 {
			break
		}
		text = unescape(text)
	}
	return text
}

// unescape decodes one level of escapes.
func unescape(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		n := 2
		switch c := text[i+1]; {
		case c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f':
			b.WriteByte(' ')
		case c == 'u' && i+6 <= len(text) && isHex(text[i+2:i+6]):
			n = 6
			r, _ := strconv.ParseUint(text[i+2:i+6], 16, 16)
			b.WriteRune(rune(r))
		default:
			_, size := utf8.DecodeRuneInString(text[i+1:])
			n = 1 + size
			b.WriteString(text[i+1 : i+n])
		}
		text = text[i+n:]
	}
}
