package llm

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// redacted stands in the place of a secret.
const redacted = "[key]"

const (
	// A key of this many bytes with a digit in it is taken for a random one: no text
	// contains it by chance, so it is removed wherever it occurs.
	minRandomKey = 16
	// A shorter key is removed from errors only, and only as a word of its own. Below
	// this length, and if it has nothing but letters, it is a placeholder such as
	// "none" or "supported" for a server that checks no key.
	minWordKey = 8
)

// secrets removes keys and passwords from what a server sends. Local servers are
// often given a placeholder for a key, which must not be removed from ordinary text.
type secrets struct {
	random []string       // removed anywhere
	words  *regexp.Regexp // removed from errors, as a word; nil for none
}

func newSecrets(keys ...string) *secrets {
	s := &secrets{}
	var words []string
	for _, k := range keys {
		letters := strings.IndexFunc(k, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0
		switch {
		case len(k) >= minRandomKey && strings.ContainsAny(k, "0123456789"):
			s.random = append(s.random, escapes(k)...)
		case len(k) >= minRandomKey || len(k) >= minWordKey && !letters:
			for _, form := range escapes(k) {
				words = append(words, regexp.QuoteMeta(form))
			}
		}
	}
	if len(words) > 0 {
		s.words = regexp.MustCompile(`(^|[^A-Za-z0-9_-])(?:` + strings.Join(words, "|") + `)($|[^A-Za-z0-9_-])`)
	}
	return s
}

// escapes lists the forms in which a server may repeat a key.
func escapes(key string) []string {
	out := []string{key}
	quoted, _ := json.Marshal(key)
	for _, v := range []string{url.QueryEscape(key), url.PathEscape(key), string(quoted[1 : len(quoted)-1])} {
		if v != key {
			out = append(out, v)
		}
	}
	return out
}

// fromReply removes random keys from a text of a reply.
func (s *secrets) fromReply(text string) string {
	for _, k := range s.random {
		text = strings.ReplaceAll(text, k, redacted)
	}
	return text
}

// fromJSON removes random keys from a value of a reply, and leaves nil as it is.
func (s *secrets) fromJSON(v json.RawMessage) json.RawMessage {
	for _, k := range s.random {
		v = bytes.ReplaceAll(v, []byte(k), []byte(redacted))
	}
	return v
}

// fromError removes all keys from a text of an error.
func (s *secrets) fromError(text string) string {
	text = s.fromReply(text)
	if s.words == nil {
		return text
	}
	for range 2 { // two occurrences may share the character between them
		text = s.words.ReplaceAllString(text, "${1}"+redacted+"${2}")
	}
	return text
}

// userinfo is a user and a password in front of a host, quoted or not. A URL that
// is not valid, which is the one that an error repeats, has no better bounds.
var userinfo = regexp.MustCompile(`"[^"]*@|[^\s"']*@`)

// transport is the text of an error of a connection, without secrets, printable
// and of limited length. Proxies and TLS put what the peer sent into it, and an
// unusable proxy URL is repeated with its password.
func (s *secrets) transport(err error) string {
	text := userinfo.ReplaceAllStringFunc(s.fromError(err.Error()), func(found string) string {
		if found[0] == '"' {
			return `"***@`
		}
		return "***@"
	})
	return shorten(query.ReplaceAllString(text, "$1"), maxMessage)
}

// query is what follows the path of a URL, where tokens of a session are.
var query = regexp.MustCompile(`(://[^\s"?#]*)[?#][^\s"]*`)

// location is the URL of a redirect without what may be secret in it.
func (s *secrets) location(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a URL that is not valid"
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
	return shorten(s.fromError(u.String()), 200)
}
