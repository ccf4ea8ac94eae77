package extract

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

type replacement struct {
	pattern *regexp.Regexp
	with    string
}

// markdown returns what [stripMarkdown] replaces, in this order.
//
//nolint:gochecknoglobals // compiled once, never changed
var markdown = sync.OnceValue(func() []replacement {
	var all []replacement
	for _, r := range [][2]string{
		{`\[\^[^\]\n]{0,38}\]:?`, ""}, // footnote mark
		{`~~`, ""},
		{`(\*{2,3})([^\s*]|[^\s*][^*]*[^\s*])\*{2,3}`, "$2"},
		{`(^|[^\w*])\*{2,3}([^\s*])`, "$1$2"}, // bold text of several sentences
		{`([^\s*])\*{2,3}($|[^\w*])`, "$1$2"},
		{`(^|[^\w*\\])\*([^\s*]|[^\s*][^*]*[^\s*])\*\B`, "$1$2"},
		{`(^|\W)__(.+?)__`, "$1$2"},
		{`\b_([^\s_]|[^\s_][^_]*[^\s_])_\b`, "$1"},
		{`</?(?:b|i|u|em|strong|br|sup|sub|code|mark|p|span|small) ?/?>`, " "},
		{"\\\\([!-/:-@[-`{-~])", "$1"},
		{`\n[\s>]*`, " "}, // and marks of block quotes
		{`\s+`, " "},
	} {
		all = append(all, replacement{regexp.MustCompile(r[0]), r[1]})
	}
	return all
})

//nolint:gochecknoglobals // compiled once, never changed
var (
	codeSpan = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`+[^`\\s][^`]*`+") })
	markup   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[*_~<>\\]`) }) // what code keeps
)

// stripMarkdown removes emphasis marks, link URLs, footnote marks and block
// quote marks from s and collapses white space. It returns s itself if there is
// no Markdown.
func stripMarkdown(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsAny(s, "*_`[~<\\\n\t") && !strings.Contains(s, "  ") {
		return s
	}
	s = codeSpan().ReplaceAllStringFunc(withoutLinks(s), func(code string) string {
		return markup().ReplaceAllString(strings.Trim(code, "`"), `\$0`)
	})
	for _, r := range markdown() {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return strings.TrimSpace(s)
}

// withoutLinks replaces links and images by their texts.
func withoutLinks(s string) string {
	var b strings.Builder
	done := 0
	for i := range len(s) {
		if s[i] != '[' || i < done {
			continue
		}
		if end := linkEnd(s, i); end > 0 {
			b.WriteString(strings.TrimSuffix(s[done:i], "!"))
			b.WriteString(s[i+1 : i+strings.Index(s[i:], "](")])
			done = end
		}
	}
	return b.String() + s[done:]
}

// linkEnd returns the end of the link whose text starts with the bracket at i,
// or 0 if there is no link.
func linkEnd(s string, i int) int {
	const maxLen = 1000
	window := s[i:min(len(s), i+maxLen)]
	n := strings.Index(window, "](")
	if n < 0 || strings.IndexByte(window[1:n], '[') >= 0 || strings.IndexByte(window[1:n], ']') >= 0 {
		return 0
	}
	depth := 0
	for k := n + 1; k < len(window); k++ {
		switch window[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				if _, title, ok := strings.Cut(window[n+2:k], " "); ok && isClause(title) {
					return 0 // the title says something
				}
				return i + k + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}

func isWordByte(b byte) bool {
	return b|0x20-'a' < 26 || b-'0' < 10 || b >= utf8.RuneSelf || b == '_'
}

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
