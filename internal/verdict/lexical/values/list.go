package values

import "strings"

// bullets returns the lines after the colon at text[at] that start with a bullet or a
// number, or nil. An item is cut to 40 bytes or so.
func bullets(text string, at int) []string {
	rest, ok := strings.CutPrefix(text[at:], ":")
	if !ok {
		return nil
	}
	var items []string
	for line := range strings.SplitSeq(strings.TrimLeft(rest, " \r\n"), "\n") {
		s := strings.TrimSpace(line)
		item := strings.TrimLeft(s, "-*•")
		if item == s {
			if item = strings.TrimLeft(s, "0123456789"); item != s {
				n := len(item)
				if item = strings.TrimLeft(item, ".)"); len(item) == n {
					item = s
				}
			}
		}
		if item == s || item == "" || item[0] != ' ' || len(items) > 100 {
			break
		}
		item = strings.TrimSpace(item)
		if len(item) > 40 {
			end := 40
			for end < len(item) && item[end] != ' ' {
				end++
			}
			item = item[:end]
		}
		items = append(items, item)
	}
	if len(items) < 2 {
		return nil
	}
	return items
}

// listItems returns the items of the list at the start of text[at:], after a preposition,
// a colon or a verb: "in Berlin, Lyon and Turin". It returns nil if there is none: an item
// has at most four words, and a conjunction must precede the last.
func listItems(text string, at int) []string {
	if items := bullets(text, at); items != nil {
		return items
	}
	_, end := sentence(text, at, at)
	rest := text[at:end]
	lead := -1
	for _, s := range [...]string{" in ", ": ", " are ", " were ", " at ", " of ", " to ", ", namely ", " such as "} {
		if strings.HasPrefix(rest, s) {
			lead = len(s)
		}
	}
	if lead < 0 {
		return nil
	}
	parts := strings.Split(rest[lead:], ", ")
	last := parts[len(parts)-1]
	i := strings.Index(last, "and ")
	if i != 0 && (i < 0 || last[i-1] != ' ') {
		return nil
	}
	parts = parts[:len(parts)-1]
	if i > 0 {
		parts = append(parts, last[:i-1])
	}
	parts = append(parts, last[i+len("and "):])
	for k, s := range parts {
		s = strings.TrimSpace(s)
		if s == "" || strings.Count(s, " ") > 3 || len(parts) > 40 || strings.Contains(s, " and ") {
			return nil
		}
		parts[k] = s
	}
	return parts
}
