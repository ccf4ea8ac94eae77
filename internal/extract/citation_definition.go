package extract

import (
	"cmp"
	"strconv"
	"strings"
)

// A definition describes a source in the source list of an answer, such as "[1]
// plans.pdf, p. 3".
type definition struct {
	names  []string
	number int // number within the text, such as 3 in "[1] Document 3", or -1
}

const (
	maxDefinitions = 1 << 10
	maxNames       = 12 // per definition
)

// definitions parses the source lists of an answer. The result is indexed by
// [citationKey].
func (v view) definitions() map[string]definition {
	var all map[string]definition
	for _, c := range v.cuts {
		if c.kind != Reference {
			continue
		}
		for line := range strings.SplitSeq(v.raw[c.start:c.end], "\n") {
			line = strings.TrimSpace(line)
			if rest, ok := cutSourceHeading(line); ok {
				line = rest
			}
			for line != "" && len(all) < maxDefinitions {
				key, text, rest := parseDefinition(line)
				if key == "" {
					break
				}
				if all == nil {
					all = make(map[string]definition)
				}
				if _, exists := all[key]; !exists {
					all[key] = newDefinition(text)
				}
				line = rest
			}
		}
	}
	return all
}

// parseDefinition parses the definition at the start of line. rest is the
// remaining line from the next definition on. key is "" if the line does not
// start with a definition.
func parseDefinition(line string) (key, text, rest string) {
	line = strings.TrimLeft(line, "-*+•–◦▪ \t")
	if line == "" {
		return "", "", ""
	}
	size := cmp.Or(bracketCitationLen(line, 0), superscriptLen(line, 0))
	label := line[:size]
	if at := strings.Index(label, "]("); at > 0 { // "[1](https://…)" is defined as the URL
		size, label = at+1, label[:at+1]
	} else if n := listNumberLen(line); size == 0 && n > 0 {
		size, label = n+1, "["+line[:n]+"]"
	}
	cited := parseMarker(label)
	if len(cited) != 1 {
		return "", "", ""
	}
	text = strings.TrimLeft(line[size:], " :.\t-–—")
	for i := 1; i < len(text); i++ {
		if text[i] == '[' && text[i-1] == ' ' && bracketCitationLen(text, i) > 0 {
			return citationKey(cited[0]), strings.TrimRight(text[:i], " ,;"), text[i:]
		}
	}
	return citationKey(cited[0]), text, ""
}

// citationKey returns the key shared by a citation and its definition: the
// number or the name of the source.
func citationKey(c Citation) string {
	if c.Number >= 0 {
		return strconv.Itoa(c.Number)
	}
	if len(c.Names) > 0 {
		return strings.ToLower(c.Names[0])
	}
	return ""
}

// newDefinition parses the text of a definition and collects all possible names
// of the source.
func newDefinition(text string) definition {
	d := definition{number: -1}
	add := func(name string) {
		if name = strings.Trim(name, " \t\r.,;:*_\"'“”<>()[]"); name != "" && len(d.names) < maxNames {
			d.names = append(d.names, name)
		}
	}
	if strings.HasPrefix(text, "(") { // the URL in "[1](https://…)"
		add(text)
	}
	for word := range strings.FieldsSeq(strings.NewReplacer("](", "] ", "<", " ", ">", " ").Replace(text)) {
		if isURL(strings.Trim(word, "()[],;.")) {
			add(word)
		}
	}
	add(text)
	if prefix, after, ok := strings.Cut(text, "]("); ok { // a link
		add(prefix)
		add(strings.TrimRight(after, ")"))
	}
	for _, mark := range []string{" - ", " – ", " — ", ": ", ", ", " (", " | ", "; "} {
		for part := range strings.SplitSeq(text, mark) {
			if part != text {
				add(part)
			}
		}
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.TrimSpace(part); isLocator(part) {
			if found, kind := parseCitationPart(part, unknownPart); kind == sourcePart && len(found) == 1 {
				d.number = found[0].Number
			}
			break
		}
	}
	return d
}
