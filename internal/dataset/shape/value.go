// Package shape finds question, answer and contexts in nested records and traces.
//
// Exports of tracing and evaluation tools and logs of applications nest these fields,
// name them in many ways, or spread them over the spans of a trace. The package knows
// the words of their names, and what chats, documents and spans look like.
package shape

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Kind is the type of a Value.
type Kind uint8

// Kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
	Bytes // binary data, from Parquet; not the kind of a Value
)

// String returns the kind with its article, for error messages.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object", "binary data"}[k]
}

// A Value is a JSON value.
type Value struct {
	Kind  Kind
	Name  string   // name of an object member
	Text  string   // content of a string; JSON of a number or a boolean
	Items []*Value // elements of a list, members of an object

	Line int // line of a record

	inSeries bool   // read as a part of numbered columns
	inner    *Value // value of the JSON in Text, or nil
	expanded bool   // inner is valid
}

// Member returns a member of an object, or nil.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for _, m := range v.Items {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// key returns a text that is the same for equal values, and for no others. Names of v itself
// do not count.
func (v *Value) key() string {
	var b strings.Builder
	var write func(v *Value)
	write = func(v *Value) {
		fmt.Fprintf(&b, "%d %q[", v.Kind, v.Text)
		for _, item := range v.Items {
			fmt.Fprintf(&b, "%q:", item.Name)
			write(item)
		}
		b.WriteByte(']')
	}
	write(v)
	return b.String()
}

// isBlank reports whether v contains nothing but nulls and blank texts.
func isBlank(v *Value) bool {
	if v.Kind == Object {
		return !slices.ContainsFunc(v.Items, func(m *Value) bool { return !isBlank(m) })
	}
	return v.Kind == Null || v.Kind == Text && strings.TrimSpace(v.Text) == ""
}

// IsMissing reports whether a text stands for no value: it is blank, or what pandas, R,
// JavaScript, databases and spreadsheets write in its place.
func IsMissing(text string) bool {
	text = strings.TrimSpace(text)
	return IsMissingAnswer(text) || text == "NA" || text == "NaT" || text != "none" && // which may be prose
		slices.Contains([]string{"", "none", "null", "nil", "n/a", "(null)", "<null>", "[null]", "undefined"}, strings.ToLower(text))
}

// IsMissingAnswer reports whether an answer stands for no value. None, NA and the like can be answers.
func IsMissingAnswer(text string) bool {
	return slices.Contains([]string{
		"NaN", "nan", "<NA>", `\N`, "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#ERROR!", "#NUM!", "#NULL!",
	}, strings.TrimSpace(text))
}

var defaultRepr = regexp.MustCompile(`^\[?<[^ >]* object (\S+ )?at 0x`)

// IsDefaultRepr reports whether a text starts with an object without a printed form of its own, or a list of such:
// [object Object] in JavaScript, <a.B object at 0x7f> or <generator object f at 0x7f> in Python.
func IsDefaultRepr(text string) bool {
	return strings.HasPrefix(text, "[object Object]") || strings.HasPrefix(strings.TrimPrefix(text, "["), "<") && defaultRepr.MatchString(text)
}

// IsPrintedObject reports whether a text is such an object, or a list of them, and nothing else.
func IsPrintedObject(text string) bool {
	text = strings.TrimSpace(text)
	return text == "[object Object]" || IsDefaultRepr(text) && strings.HasSuffix(strings.TrimSuffix(text, "]"), ">") && !strings.Contains(text, "> ")
}

// IsSourceNames reports whether a text consists of names of files with an extension and
// URLs, separated by commas, semicolons or line ends. A name has no blanks.
func IsSourceNames(text string) bool {
	names := 0
	for name := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(",;\r\n", c) }) {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if names++; !isSourceName(name) {
			return false
		}
	}
	return names > 0
}

// urlStart matches the start of a URL.
var urlStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*://.`)

// isSourceName reports whether a text is a URL, or the name of a file with a usual extension of documents.
func isSourceName(name string) bool {
	if strings.ContainsFunc(name, unicode.IsSpace) {
		return false
	}
	if strings.Contains(name, "://") {
		return urlStart.MatchString(name)
	}
	switch base, ext, _ := strings.Cut(strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]), "."); ext[strings.LastIndexByte(ext, '.')+1:] {
	case "pdf", "doc", "docx", "odt", "rtf", "txt", "md", "htm", "html", "csv", "tsv", "xls", "xlsx", "ppt", "pptx", "epub":
		return base != ""
	}
	return false
}

// at returns the value at a dotted path, or nil.
func (v *Value) at(path string) *Value {
	for key := range strings.SplitSeq(path, ".") {
		v = v.Member(key)
	}
	return v
}

// first returns the value at the first of the dotted paths that has one other than null, or nil.
func (v *Value) first(paths ...string) *Value {
	for _, path := range paths {
		if m := v.at(path); m != nil && m.Kind != Null {
			return m
		}
	}
	return nil
}

// text returns the text of the first of the named members that is a string or a number, or "".
func (v *Value) text(names ...string) string {
	if m := v.first(names...); m != nil && (m.Kind == Text || m.Kind == Number) {
		return m.Text
	}
	return ""
}

// has reports whether v is an object with a member, which can be null.
func (v *Value) has(name string) bool { return v.Member(name) != nil }

// isNested reports whether v is a list or an object.
func (v *Value) isNested() bool { return v != nil && (v.Kind == List || v.Kind == Object) }

// renamed returns v under another name.
func (v *Value) renamed(name string) *Value {
	c := *v
	c.Name = name
	return &c
}

func newList(items []*Value) *Value { return &Value{Kind: List, Items: items} }

// isObjects reports whether v is a list of one or more objects.
func (v *Value) isObjects() bool {
	return v != nil && v.Kind == List && len(v.Items) > 0 &&
		!slices.ContainsFunc(v.Items, func(item *Value) bool { return item.Kind != Object })
}

func items(v *Value) []*Value {
	if v == nil || v.Kind != List {
		return nil
	}
	return v.Items
}

// listed returns the elements of a list, or another value as the only element.
func listed(v *Value) []*Value {
	if v == nil || v.Kind == List {
		return items(v)
	}
	return []*Value{v}
}

// MaxQuoted is the maximum number of characters of a quoted text.
const MaxQuoted = 60

// Quote quotes s for a message and truncates it to MaxQuoted characters.
func Quote(s string) string {
	n := 0
	for i := range s {
		if n++; n > MaxQuoted {
			return strconv.Quote(s[:i]) + "..."
		}
	}
	return strconv.Quote(s)
}
