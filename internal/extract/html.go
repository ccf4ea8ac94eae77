package extract

import (
	"html"
	"strings"
)

// htmlTag returns the lower-case name and the length of the HTML tag at i. The
// length is 0 if there is no tag or its name is unknown.
func htmlTag(s string, i int) (name string, n int) {
	const maxLen = 300
	window := s[i:min(len(s), i+maxLen)]
	n = strings.IndexByte(window, '>') + 1
	if n < 3 || strings.IndexByte(window[1:n-1], '<') >= 0 {
		return "", 0
	}
	inside := strings.TrimSuffix(strings.TrimPrefix(window[1:n-1], "/"), "/")
	name, attributes, _ := strings.Cut(inside, " ")
	if attributes = strings.TrimSpace(attributes); attributes != "" && (!strings.Contains(attributes, "=") || isClause(attributes)) {
		return "", 0
	}
	name = strings.ToLower(name)
	if isPromptTag(name) || isOneOf(name, "a", "abbr", "article", "b", "blockquote", "br", "caption", "center", "cite", "code", "dd", "del", "div", "dl", "dt", "em", "figure",
		"font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "section", "small", "span",
		"strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "body", "head", "html") {
		return name, n
	}
	return "", 0
}

// isPromptTag reports whether name is a tag in which prompts commonly request
// the answer.
func isPromptTag(name string) bool {
	return isOneOf(name, "answer", "final", "final_answer", "main", "output", "reply", "response", "result")
}

// htmlEntity returns the character of the HTML entity at i and the length of
// the entity. The length is 0 if there is no entity.
func htmlEntity(s string, i int) (char string, n int) {
	const maxLen = 12
	window := s[i:min(len(s), i+maxLen)]
	n = strings.IndexByte(window, ';') + 1
	if n < 4 {
		return "", 0
	}
	switch char = html.UnescapeString(window[:n]); {
	case char == window[:n], strings.HasSuffix(char, ";"): // only a prefix was decoded
		return "", 0
	case char == "\u00a0":
		return " ", n
	}
	return char, n
}

// isBlockTag reports whether name is an HTML element that starts a new line.
func isBlockTag(name string) bool {
	return isOneOf(name, "br", "p", "li", "ul", "ol", "div", "tr", "table", "section", "article", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "hr", "body", "html")
}
