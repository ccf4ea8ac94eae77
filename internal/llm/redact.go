package llm

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted is the replacement for a secret.
const redacted = "[key]"

const (
	// Keys of at least minRandomKey bytes that contain a digit are assumed to be random.
	// They do not occur in text by chance, so they are removed everywhere.
	minRandomKey = 16
	// Shorter keys are removed only from errors, and only as separate words. Keys of fewer
	// than minWordKey bytes, or of letters only, are placeholders such as "none" for
	// servers that do not check keys.
	minWordKey = 8
)

// A secrets removes keys and passwords from server responses. Many users of local servers set a
// placeholder key, which must not be removed from ordinary text.
type secrets struct {
	anywhere    []string       // keys to remove everywhere
	wordPattern *regexp.Regexp // keys to remove from errors; may be nil
}

func newSecrets(keys ...string) *secrets {
	s := &secrets{}
	var words []string
	for _, k := range keys {
		onlyLetters := strings.IndexFunc(k, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0
		switch {
		case len(k) >= minRandomKey && strings.ContainsAny(k, "0123456789"):
			s.anywhere = append(s.anywhere, encodedForms(k)...)
		case len(k) >= minRandomKey || len(k) >= minWordKey && !onlyLetters:
			for _, encoded := range encodedForms(k) {
				words = append(words, regexp.QuoteMeta(encoded))
			}
		}
	}
	if len(words) > 0 {
		s.wordPattern = regexp.MustCompile(`(^|[^A-Za-z0-9_-])(?:` + strings.Join(words, "|") + `)($|[^A-Za-z0-9_-])`)
	}
	return s
}

// encodedForms returns key as is and in the encodings in which a server may repeat it.
func encodedForms(key string) []string {
	out := []string{key}
	quoted, _ := json.Marshal(key)
	for _, v := range []string{url.QueryEscape(key), url.PathEscape(key), string(quoted[1 : len(quoted)-1])} {
		if v != key {
			out = append(out, v)
		}
	}
	return out
}

// redactReply removes random keys from reply text. If a key appears only once escapes are
// decoded and invisible characters are dropped, as is done before a text is shown, the
// result is the text without them.
func (s *secrets) redactReply(text string) string {
	if len(s.anywhere) == 0 {
		return text
	}
	if plain := visible(text); plain != text && s.contains(plain) {
		text = plain
	}
	for _, k := range s.anywhere {
		text = strings.ReplaceAll(text, k, redacted)
	}
	return text
}

func (s *secrets) contains(text string) bool {
	return slices.ContainsFunc(s.anywhere, func(k string) bool { return strings.Contains(text, k) })
}

// visible returns text with its escapes decoded and without invisible characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) && r != '\n' {
			return -1
		}
		return r
	}, decodeEscapes(text))
}

// jsonString matches a string in JSON.
var jsonString = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)

// redactJSON removes random keys from the strings of a JSON value.
func (s *secrets) redactJSON(v json.RawMessage) json.RawMessage {
	if len(s.anywhere) == 0 || !s.contains(visible(string(v))) {
		return v
	}
	if !json.Valid(v) { // cut off, or several values
		return json.RawMessage(s.redactReply(string(v)))
	}
	return jsonString.ReplaceAllFunc(v, func(quoted []byte) []byte {
		var text string
		_ = json.Unmarshal(quoted, &text) // a part of valid JSON
		clean := s.redactReply(text)
		if clean == text {
			return quoted
		}
		quoted, _ = json.Marshal(clean)
		return quoted
	})
}

// redactError removes all keys from the text of an error.
func (s *secrets) redactError(text string) string {
	text = s.redactReply(text)
	if s.wordPattern == nil {
		return text
	}
	if plain := visible(text); s.wordPattern.MatchString(plain) {
		text = plain
	}
	for range 2 { // adjacent keys share a delimiter, so one pass misses every other one
		text = s.wordPattern.ReplaceAllString(text, "${1}"+redacted+"${2}")
	}
	return text
}

// userinfo matches user and password in a URL. Errors may contain invalid URLs, so only
// white space and quotes can delimit them.
var userinfo = regexp.MustCompile(`"[^"]*@|[^\s"']*@`)

// redactConnError returns the text of a connection error, printable, shortened
// and without secrets. Errors of proxies and TLS contain text from the peer,
// and an invalid proxy URL is quoted with its password.
func (s *secrets) redactConnError(err error) string {
	text := userinfo.ReplaceAllStringFunc(s.redactError(err.Error()), func(found string) string {
		if found[0] == '"' {
			return `"***@`
		}
		return "***@"
	})
	return truncateText(query.ReplaceAllString(text, "$1"), maxMessageChars)
}

// query matches the query and fragment of a URL, which may contain session tokens.
var query = regexp.MustCompile(`(://[^\s"?#]*)[?#][^\s"]*`)

// redactLocation returns the URL of a redirect without secrets.
func (s *secrets) redactLocation(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a URL that is not valid"
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
	return truncateText(s.redactError(u.String()), 200)
}
