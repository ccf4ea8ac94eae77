package llm

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// redacted replaces a secret.
const redacted = "[key]"

const (
	// A key of at least this length with a digit is taken to be random: it does not occur
	// in text by chance, so it is removed everywhere.
	minRandomKey = 16
	// A shorter key is removed from errors only, and only as a separate word. A key below
	// this length, or of letters only, is a placeholder such as "none" or "supported" for
	// a server that does not check keys.
	minWordKey = 8
)

// secrets removes keys and passwords from server responses. Local servers often get a
// placeholder as key, which must not be removed from ordinary text.
type secrets struct {
	anywhere    []string       // removed everywhere
	wordPattern *regexp.Regexp // removed from errors, as words; may be nil
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

// encodedForms returns the forms in which a server may repeat a key.
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

// redactReply removes random keys from the text of a reply.
func (s *secrets) redactReply(text string) string {
	for _, k := range s.anywhere {
		text = strings.ReplaceAll(text, k, redacted)
	}
	return text
}

// redactJSON removes random keys from a JSON value of a reply.
func (s *secrets) redactJSON(v json.RawMessage) json.RawMessage {
	for _, k := range s.anywhere {
		v = bytes.ReplaceAll(v, []byte(k), []byte(redacted))
	}
	return v
}

// redactError removes all keys from the text of an error.
func (s *secrets) redactError(text string) string {
	text = s.redactReply(text)
	if s.wordPattern == nil {
		return text
	}
	for range 2 { // adjacent occurrences share the character between them
		text = s.wordPattern.ReplaceAllString(text, "${1}"+redacted+"${2}")
	}
	return text
}

// userinfo matches a user and password in front of a host. Errors repeat URLs that are
// not valid, so there is no better delimiter than white space or quotes.
var userinfo = regexp.MustCompile(`"[^"]*@|[^\s"']*@`)

// redactConnError returns the text of a connection error without secrets, printable and
// of limited length. Proxies and TLS include what the peer sent, and an invalid proxy
// URL is repeated with its password.
func (s *secrets) redactConnError(err error) string {
	text := userinfo.ReplaceAllStringFunc(s.redactError(err.Error()), func(found string) string {
		if found[0] == '"' {
			return `"***@`
		}
		return "***@"
	})
	return truncateText(query.ReplaceAllString(text, "$1"), maxMessageChars)
}

// query matches the query and fragment of a URL, which may hold session tokens.
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
