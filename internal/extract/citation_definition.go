package extract

import (
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
// [source.key].
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
	m := bracketMarker(line, 0)
	if n := listNumberLen(line); n > 0 {
		m.size = n + 1
		m.sources, _ = parseSources(line[:n])
	} else if m.size == 0 {
		m = superscriptMarker(line, 0)
	}
	if at := strings.Index(line[:m.size], "]("); at > 0 { // "[1](https://…)" is defined as the URL
		m = bracketMarker(line[:at+1], 0)
	}
	if len(m.sources) != 1 {
		return "", "", ""
	}
	text = strings.TrimLeft(line[m.size:], " :.\t-–—")
	for i := 1; i < len(text); i++ {
		if text[i] == '[' && text[i-1] == ' ' && bracketMarker(text, i).size > 0 {
			return m.sources[0].key(), strings.TrimRight(text[:i], " ,;"), text[i:]
		}
	}
	return m.sources[0].key(), text, ""
}

// key returns the key shared by a citation and its definition: the number or the name of
// the source.
func (s source) key() string {
	if s.number >= 0 {
		return strconv.Itoa(s.number)
	}
	if len(s.names) > 0 {
		return strings.ToLower(s.names[0])
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
	const mark = "\x00" // between the parts of the text
	marks := strings.NewReplacer("](", mark, "<", mark, ">", mark, " - ", mark, " – ", mark, " — ", mark, ": ", mark, ", ", mark, " (", mark, " | ", mark, "; ", mark)
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "](", " ")) {
		if isURL(strings.Trim(word, "()[],;.<>")) {
			add(word)
		}
	}
	add(text)
	for part := range strings.SplitSeq(marks.Replace(text), mark) {
		if part != text {
			add(part)
		}
		part = strings.TrimSpace(part)
		if found, _ := parseSource(part, unknownPart); d.number < 0 && isLocator(part) && len(found) == 1 {
			d.number = found[0].number
		}
	}
	return d
}
