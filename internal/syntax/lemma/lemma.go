// Package lemma finds the lemmas of English words by rules and a table of exceptions.
package lemma

import "strings"

// A Table has what the rules of inflection need and what they get wrong.
type Table struct {
	exceptions map[exception]string
	known      map[string]bool
}

// An exception is a form in lower case with the kind of its Penn tag.
type exception struct {
	kind byte
	form string
}

// New reads lines of a lemma, or of a kind, a form and its lemma. Kinds
// are those of [Kind].
func New(data string) *Table {
	l := &Table{exceptions: make(map[exception]string, 4096), known: make(map[string]bool, 32768)}
	for line := range strings.Lines(data) {
		fields := strings.Fields(line)
		switch len(fields) {
		case 1:
			l.known[fields[0]] = true
		case 3:
			l.exceptions[exception{fields[0][0], fields[1]}] = fields[2]
		}
	}
	return l
}

// Kind returns the first letter of a Penn tag, which separates plural nouns (N), verbs,
// adjectives and adverbs (V, J, R). Singular nouns are n, possessive pronouns $.
func Kind(tag string) byte {
	switch tag {
	case "":
		return '_'
	case "NN":
		return 'n'
	case "PRP$", "WP$":
		return '$'
	}
	return tag[0]
}

// Of returns the lemma of a form with a Penn tag, in lower case.
func (l *Table) Of(form, tag string) string {
	low := strings.ReplaceAll(strings.ToLower(form), "’", "'")
	if tag == "" || tag == "NNP" {
		return low
	}
	if lemma, found := l.exceptions[exception{Kind(tag), low}]; found {
		return lemma
	}
	switch tag {
	case "NNS", "NNPS", "VBZ":
		return l.plural(low)
	case "VBG":
		return l.stem(low, "ing")
	case "VBD", "VBN":
		return l.stem(low, "ed")
	case "JJR", "RBR":
		return l.stem(low, "er")
	case "JJS", "RBS":
		return l.stem(low, "est")
	}
	return low
}

// plural removes the ending of plural nouns and of verbs in the third person.
func (l *Table) plural(form string) string {
	stem, found := strings.CutSuffix(form, "s")
	if !found || len(stem) < 2 || strings.HasSuffix(stem, "s") && !strings.HasSuffix(form, "sses") {
		return form
	}
	if y, found := strings.CutSuffix(stem, "ie"); found && len(y) > 1 {
		return y + "y"
	}
	if short, found := strings.CutSuffix(stem, "e"); found && !l.known[stem] {
		for _, ending := range []string{"s", "x", "z", "ch", "sh", "o"} {
			if strings.HasSuffix(short, ending) {
				return short
			}
		}
	}
	return stem
}

// stem removes an ending and restores the spelling of the lemma: "making", make;
// "planned", plan; "happier", happy.
func (l *Table) stem(form, ending string) string {
	stem, found := strings.CutSuffix(form, ending)
	n := len(stem)
	if !found || n < 2 || !strings.ContainsAny(stem, "aeiouy") {
		return form
	}
	if y, found := strings.CutSuffix(stem, "i"); found && ending != "ing" && n > 2 {
		return y + "y"
	}
	if c := stem[n-1]; c == stem[n-2] && strings.IndexByte("bdgklmnprtvz", c) >= 0 {
		if l.known[stem] && !l.known[stem[:n-1]] || c == 'l' && !l.known[stem[:n-1]] {
			return stem
		}
		return stem[:n-1]
	}
	if withE := stem + "e"; l.known[withE] && (!l.known[stem] || short(stem)) {
		return withE
	}
	if l.known[stem] {
		return stem
	}
	for _, ending := range []string{"v", "c", "u", "iz", "at", "ur", "dg", "ng", "s"} {
		if strings.HasSuffix(stem, ending) && !strings.HasSuffix(stem, "ss") && !strings.HasSuffix(stem, "ow") && (ending != "ng" || strings.HasSuffix(stem, "ang")) {
			return stem + "e"
		}
	}
	return stem
}

// short reports whether a stem ends in one vowel and one consonant that would be
// doubled before an ending, so that "hoping" comes from hope, not from hop.
func short(stem string) bool {
	n := len(stem)
	vowel := func(i int) bool { return i >= 0 && strings.IndexByte("aeiou", stem[i]) >= 0 }
	return !vowel(n-1) && strings.IndexByte("wxy", stem[n-1]) < 0 && vowel(n-2) && !vowel(n-3)
}
