package values

import (
	"sort"
	"strings"
)

// eachWord calls f with the words and numbers of text[from:to] in lower case.
func eachWord(text string, from, to int, f func(w string, at int)) {
	for i := from; i < to; {
		j := i
		for j < to && (isASCIILetter(text[j]) || isDigit(text[j]) || text[j] >= 0x80 || j > i && (text[j] == '\'' || (text[j] == '.' || text[j] == ',') && isDigit(text[j-1]) && j+1 < to && isDigit(text[j+1]))) {
			j++
		}
		if j == i {
			i++
			continue
		}
		if j-i <= 40 {
			f(strings.ToLower(text[i:j]), i)
		}
		i = j
	}
}

// isFunctionWord reports whether w says nothing about the thing it stands with.
func isFunctionWord(w string) bool {
	if w == "one" || w == "two" || w == "three" || len(w) == 1 && isASCIILetter(w[0]) {
		return true
	}
	if len(w) > maxWord {
		return false
	}
	c, _ := lookup([]byte(w))
	return c&stop != 0
}

// stem returns a word without the endings of plurals, possessives and verbs.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if w == "" || isDigit(w[0]) {
		return w
	}
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		w = w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u':
		w = w[:n-1]
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = w[:n-3]
	case n > 4 && strings.HasSuffix(w, "ed"):
		w = w[:n-2]
	}
	if len(w) > 4 && w[len(w)-1] == 'e' {
		w = w[:len(w)-1]
	}
	return w
}

// A candidate is a stated value with the words that say what it belongs to.
type candidate struct {
	Value
	passage int
	from    int // its clause in the passage
	to      int
	label   []string
	row     int     // number of words of the row of a table, which come first in label
	delta   float64 // 1 for "5 more than", -1 for "5 less than", otherwise 0
}

// maxCandidates is the maximum number of stated values that are considered.
const maxCandidates = 48

// candidates returns the values of passages that fits accepts, with their labels. It
// returns nil if there are too many to tell which are meant.
func candidates(passages []Text, fits func(*Value) bool) []candidate {
	n := 0
	for p := range passages {
		for i := range passages[p].Values {
			if fits(&passages[p].Values[i]) {
				n++
			}
		}
	}
	if n == 0 || n > maxCandidates {
		return nil
	}
	out := make([]candidate, 0, n)
	labels := make([]string, 0, 8*n)
	for p := range passages {
		text := passages[p].Text
		first := len(out)
		for i := range passages[p].Values {
			if v := &passages[p].Values[i]; fits(v) {
				out = append(out, candidate{Value: *v, passage: p})
			}
		}
		for i := first; i < len(out); i++ {
			c := &out[i]
			c.from, c.to = sentence(text, c.Start, c.End)
			if i > first && out[i-1].to > c.from {
				c.from = split(text, out[i-1].End, c.Start)
				out[i-1].to = c.from
			}
		}
		for i := first; i < len(out); i++ {
			c, from := &out[i], len(labels)
			if c.cell.heading.end > 0 {
				labels = passages[p].appendWords(labels, c.cell.row)
				c.row = len(labels) - from
				labels = passages[p].appendWords(labels, c.cell.heading)
			} else {
				c.delta = deltaAt(text, c)
				labels = passages[p].appendWords(labels, span{c.from, c.Start})
				labels = passages[p].appendWords(labels, span{c.End, c.to})
			}
			c.label = labels[from:len(labels):len(labels)]
		}
	}
	return out
}

// A contentWord is the stem of a word of a text that is not a function word.
type contentWord struct {
	stem string
	at   int // offset of the word
}

// appendWords appends the stems of the content words that start in s.
func (t *Text) appendWords(dst []string, s span) []string {
	if !t.counted {
		t.counted = true
		eachWord(t.Text, 0, len(t.Text), func(w string, at int) {
			if !isFunctionWord(w) {
				t.words = append(t.words, contentWord{stem(w), at})
			}
		})
	}
	first := sort.Search(len(t.words), func(i int) bool { return t.words[i].at >= s.start })
	for _, w := range t.words[first:] {
		if w.at >= s.end {
			break
		}
		dst = append(dst, w.stem)
	}
	return dst
}

// deltaAt returns the sign of a stated difference, such as "1,100 tonnes less than", or 0.
func deltaAt(text string, c *candidate) float64 {
	sign, n, result := 0.0, 0, 0.0
	eachWord(text, c.End, min(len(text), c.End+80), func(w string, _ int) {
		k := cueOf(w)
		switch {
		case k&cueThan != 0 && sign != 0 && n < 5 && result == 0:
			result = sign
		case sign == 0 && n < 3 && k&cueLess != 0:
			sign = -1
		case sign == 0 && n < 3 && k&cueMore != 0:
			sign = 1
		}
		n++
	})
	return result
}

// maxSentence bounds the words that label a value.
const maxSentence = 400

// sentence returns the bounds of the sentence or line around text[start:end].
func sentence(text string, start, end int) (from, to int) {
	from = start
	for from > 0 && start-from < maxSentence && !isEnd(text, from-1) {
		from--
	}
	to = end
	for to < len(text) && to-end < maxSentence && !isEnd(text, to) {
		to++
	}
	return from, to
}

// isEnd reports whether a sentence, line or table cell ends at byte i.
func isEnd(text string, i int) bool {
	switch text[i] {
	case '\n', ';':
		return true
	case '.', '!', '?':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n'
	}
	return false
}

// split returns the offset between two values of a sentence at which the words of the
// second start: the first comma or conjunction.
func split(text string, from, to int) int {
	between := text[from:to]
	best := to - from
	for _, s := range [...]string{", ", " and ", " but ", " while ", " whereas ", " or ", " (", "|", " against ", " to "} {
		if i := strings.Index(between, s); i >= 0 && i < best {
			best = i
		}
	}
	if best == to-from {
		return from
	}
	return from + best
}

// score returns the number of words that label the candidate.
func (c *candidate) score(words []string) int {
	n := 0
	for i, w := range words {
		if contains(words[:i], w) {
			continue
		}
		if contains(c.label, w) {
			n++
		}
	}
	return n
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

// best returns the index of the candidate with the most words in favour of it, less the
// words against it. It returns -1 if none has a word in favour, or two are equally good.
// Of the rows of a table, the one with the fewest other words wins.
func best(cs []candidate, in, against []string) int {
	return pick(cs, -1, func(c *candidate) int {
		n := c.score(in)
		if n == 0 {
			return 0
		}
		extra := 0
		for _, w := range c.label[:c.row] {
			if !contains(in, w) {
				extra++
			}
		}
		return max(1, 1000+16*(n-c.score(against))-extra)
	})
}

// partner returns the index of the candidate that cs[a] is compared with: it is labelled
// by the words after "than" and, for what these leave out, by those before it.
func partner(cs []candidate, a int, left, right []string) int {
	return pick(cs, a, func(c *candidate) int {
		n := c.score(right)
		if n == 0 {
			return 0
		}
		n = 32*n + 16*c.score(left)
		if c.cell.heading == cs[a].cell.heading && c.passage == cs[a].passage {
			n++
		}
		return n
	})
}

// pick returns the index of the candidate except one with the highest positive rating, or
// -1 if there is none or several with different values.
func pick(cs []candidate, except int, rate func(*candidate) int) int {
	found, top, tie := -1, 0, false
	for i := range cs {
		if i == except || cs[i].delta != 0 {
			continue
		}
		switch n := rate(&cs[i]); {
		case n > top:
			found, top, tie = i, n, false
		case n == top && n > 0 && cs[i].Low != cs[found].Low:
			tie = true
		}
	}
	if tie {
		return -1
	}
	return found
}
