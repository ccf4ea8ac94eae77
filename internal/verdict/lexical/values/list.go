package values

import "strings"

// listItems returns the items of the list at the start of text[at:], after a preposition,
// a colon or a verb: "in Berlin, Lyon and Turin". It returns nil if there is none: an item
// has at most four words, and a conjunction must precede the last.
func listItems(text string, at int) []string {
	_, end := sentence(text, at, at)
	rest := text[at:end]
	lead := -1
	for _, s := range [...]string{" in ", ": ", " are ", " were ", " at ", ", namely ", " such as "} {
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
