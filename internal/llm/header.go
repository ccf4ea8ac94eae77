package llm

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Headers are request headers in addition to those of the API. Their values are
// secrets, like the API key.
type Headers struct {
	values  http.Header
	secrets []string
}

// ParseHeaders parses headers of the form "Name: value". In values, $NAME and
// ${NAME} are replaced by environment variables and $$ by a dollar sign. Errors
// do not contain values.
func ParseHeaders(lines []string, lookup func(variable string) (string, bool)) (Headers, error) {
	h := Headers{values: http.Header{}}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		if !ok || !isToken(name) { // the line may consist of a value only
			return Headers{}, fmt.Errorf("%d of %d: want 'Name: value'", i+1, len(lines))
		}
		if isReserved(name) {
			return Headers{}, fmt.Errorf("%s can't be set: ragfaith sets it itself", name)
		}
		if h.values.Get(name) != "" {
			return Headers{}, fmt.Errorf("%s is set twice", name)
		}
		value, secrets, err := expandVariables(strings.TrimSpace(value), lookup)
		if err != nil {
			return Headers{}, fmt.Errorf("%s: %w", name, err)
		}
		if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return Headers{}, fmt.Errorf("%s: want a value of one line", name)
		}
		h.values.Set(name, value)
		h.secrets = append(append(h.secrets, secrets...), secretParts(value)...)
	}
	return h, nil
}

// isToken reports whether s is a valid header name.
func isToken(s string) bool {
	return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$").MatchString(s)
}

// isReserved reports whether a header depends on the request, the base URL or the proxy.
func isReserved(name string) bool {
	return slices.Contains([]string{
		"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Idempotency-Key", "Keep-Alive",
		"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	}, name)
}

// expandVariables replaces $NAME, ${NAME} and $$ in text, and also returns the
// values of the variables.
func expandVariables(text string, lookup func(string) (string, bool)) (out string, values []string, err error) {
	reference := regexp.MustCompile(`\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|)`)
	out = reference.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		value, _ := lookup(name)
		value = strings.TrimSpace(value)
		switch {
		case found == "$$":
			return "$"
		case name == "":
			err = errors.New("want $NAME or ${NAME} for a variable, or $$ for a dollar sign")
		case value == "" && err == nil:
			err = fmt.Errorf("%s is not set in the environment", name)
		}
		values = append(values, value)
		return value
	})
	return out, values, err
}

// secretParts returns the parts of a header value that a server may repeat
// separately: the words, and values as in NAME=VALUE.
func secretParts(value string) []string {
	parts := []string{value}
	for _, field := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t;,", r) }) {
		parts = append(parts, field)
		if _, after, ok := strings.Cut(field, "="); ok {
			parts = append(parts, after)
		}
	}
	return parts
}

// ReplaceKey reports whether the headers contain Authorization, so that the API
// key is not sent.
func (h Headers) ReplaceKey() bool { return h.values.Get("Authorization") != "" }

// withoutKey returns h without the headers that contain a key.
func (h Headers) withoutKey() Headers {
	h.values = h.values.Clone()
	h.values.Del("Authorization")
	h.values.Del("Api-Key")
	return h
}

func (h Headers) apply(r *http.Request) {
	for name, values := range h.values {
		r.Header[name] = slices.Clone(values)
	}
}

// String returns the names of the headers.
func (h Headers) String() string { return strings.Join(slices.Sorted(maps.Keys(h.values)), ", ") }

// GoString returns the same as String, so that %#v does not print values.
func (h Headers) GoString() string { return h.String() }
