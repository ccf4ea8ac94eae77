package main

import (
	"net/url"
	"slices"
	"strings"
)

// keyAdvice says where a key belongs.
const keyAdvice = "a key has no place in a file: put it into an environment variable, and name that with api-key-env"

// holdsKey reports whether a name that is no setting is one that people give to
// keys.
func holdsKey(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if slices.Contains([]string{"apikey", "authorization", "bearer", "key", "token", "secret", "password", "credentials"}, name) {
		return true
	}
	return slices.ContainsFunc([]string{"api-key", "-apikey", "-key", "-token", "-secret", "-password"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}

// isVariable reports whether text can be the name of an environment variable, and
// does not look like a key: those of the usual services begin with a few letters
// and a line, or are long and mix small letters with digits, as no name does.
func isVariable(text string) bool {
	const longName = 24
	var small, digit bool
	for i, c := range []byte(text) {
		switch {
		case c >= 'A' && c <= 'Z', c == '_':
		case c >= 'a' && c <= 'z':
			small = true
		case c >= '0' && c <= '9' && i > 0:
			digit = true
		default:
			return false
		}
	}
	lower := strings.ToLower(text)
	for _, begin := range []string{"sk_", "gsk_", "hf_", "xai_", "ghp_", "aiza", "akia"} {
		if strings.HasPrefix(lower, begin) && digit {
			return false
		}
	}
	return len(text) < longName || !small || !digit
}

// hasUser reports whether a URL holds a user, who may be a key, or a password.
func hasUser(text string) bool {
	u, err := url.Parse(text)
	if err != nil { // what is no URL is refused later, and must not be shown
		return strings.Contains(text, "@")
	}
	return u.User != nil
}
