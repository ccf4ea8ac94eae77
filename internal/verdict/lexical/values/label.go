package values

import "strings"

// A claimWords holds the words of a claim: those before and after "than", and what they
// ask for.
type claimWords struct {
	left, right []string // stems of content words
	cues        cue
}

// A cue is a bit set of the computations that words of a claim ask for.
type cue uint32

const (
	cueSum     cue = 1 << iota // total, altogether, comes to
	cueLess                    // cheaper, fewer, fell
	cueMore                    // dearer, more, rose
	cueChange                  // rose, fell, by: of one thing over time
	cueEach                    // each, per, average
	cueElapsed                 // lasted, later, aged
	cueThan
	cueMost  // superlative
	cueMoney // what is compared: cost,
	cueMass  // weight,
	cueTime  // age or time,
	cueSize  // length, height or duration,
	cueHeat  // temperature
)

// cueOf returns the cues of a word in lower case.
func cueOf(w string) cue {
	switch w {
	case "total", "totals", "totalled", "altogether", "together", "combined", "sum", "sums", "add", "adds", "added", "overall", "comes", "come",
		"amounts", "including", "both", "jointly":
		return cueSum
	case "cheaper":
		return cueLess | cueMoney
	case "expensive", "dearer", "costlier", "pricier":
		return cueMore | cueMoney
	case "cheapest":
		return cueLess | cueMoney | cueMost
	case "dearest", "costliest", "priciest":
		return cueMore | cueMoney | cueMost
	case "lighter":
		return cueLess | cueMass
	case "heavier":
		return cueMore | cueMass
	case "lightest":
		return cueLess | cueMass | cueMost
	case "heaviest":
		return cueMore | cueMass | cueMost
	case "weigh", "weighs", "weighed":
		return cueMass
	case "cost", "costs", "price", "pay", "pays", "paid", "earn", "earns":
		return cueMoney
	case "less", "fewer", "lower", "smaller":
		return cueLess
	case "more", "higher", "greater", "larger", "bigger", "extra":
		return cueMore
	case "least", "fewest", "lowest", "smallest":
		return cueLess | cueMost
	case "most", "highest", "greatest", "largest", "biggest":
		return cueMore | cueMost
	case "shorter", "narrower", "shallower":
		return cueLess | cueSize
	case "longer", "taller", "wider", "deeper":
		return cueMore | cueSize
	case "shortest", "narrowest":
		return cueLess | cueSize | cueMost
	case "longest", "tallest", "widest", "deepest":
		return cueMore | cueSize | cueMost
	case "colder", "cooler":
		return cueLess | cueHeat
	case "hotter", "warmer":
		return cueMore | cueHeat
	case "coldest", "coolest":
		return cueLess | cueHeat | cueMost
	case "hottest", "warmest":
		return cueMore | cueHeat | cueMost
	case "earlier", "sooner":
		return cueLess | cueTime | cueElapsed
	case "later":
		return cueMore | cueTime | cueElapsed
	case "earliest":
		return cueLess | cueTime | cueMost
	case "latest":
		return cueMore | cueTime | cueMost
	case "fell", "fallen", "dropped", "decreased", "declined", "shrank", "lost", "reduced", "decrease", "drop", "decline", "fall":
		return cueLess | cueChange
	case "rose", "risen", "grew", "grown", "increased", "climbed", "gained", "jumped", "increase", "rise", "growth", "gain":
		return cueMore | cueChange
	case "doubled", "tripled", "quadrupled", "halved", "trebled":
		return cueChange
	case "difference", "gap":
		return cueMore | cueLess
	case "each", "per", "average", "apiece", "every":
		return cueEach
	case "lasted", "lasts", "last", "took", "take", "takes", "taken", "after", "before", "age", "aged", "old", "spent", "between", "long", "open",
		"runs", "ran", "served", "for", "reigned", "lived", "within":
		return cueElapsed
	case "than":
		return cueThan
	}
	return 0
}

// wordsOf returns the words of a claim without those of the value from start to end.
func wordsOf(text string, start, end int) claimWords {
	var c claimWords
	eachWord(text, 0, len(text), func(w string, at int) {
		if at >= start && at < end {
			return
		}
		k := cueOf(w)
		if k == 0 && isSuperlative(w) {
			return
		}
		c.cues |= k
		switch {
		case k&cueThan == 0 && !(at >= end && (w == "after" || w == "before") && len(c.right) == 0 && c.cues&cueThan == 0):
		default:
			c.cues |= cueThan
			return
		}
		if k&^(cueMoney|cueMass|cueElapsed) != 0 || isFunctionWord(w) {
			return
		}
		if c.cues&cueThan != 0 {
			c.right = append(c.right, stem(w))
		} else {
			c.left = append(c.left, stem(w))
		}
	})
	return c
}

// isSuperlative reports whether w adds nothing but a degree.
func isSuperlative(w string) bool { return w == "much" || w == "many" || w == "very" }

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

// stem returns a word without the ending of a plural or possessive.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's':
		return w[:len(w)-1]
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
}

// maxCandidates is the maximum number of stated values that are considered.
const maxCandidates = 48

// candidates returns the values of passages that fits accepts, with their labels. It
// returns nil if there are too many to tell which are meant.
func candidates(passages []Text, fits func(*Value) bool) []candidate {
	var out []candidate
	for p := range passages {
		text := passages[p].Text
		first := len(out)
		for i := range passages[p].Values {
			if v := &passages[p].Values[i]; fits(v) {
				if len(out) == maxCandidates {
					return nil
				}
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
			c := &out[i]
			eachWord(text, c.from, c.to, func(w string, at int) {
				if (at < c.Start || at >= c.End) && !isFunctionWord(w) {
					c.label = append(c.label, stem(w))
				}
			})
		}
	}
	return out
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
func best(cs []candidate, in, against []string, except int) int {
	found, top, tie := -1, 0, false
	for i := range cs {
		if i == except {
			continue
		}
		n := cs[i].score(in)
		if n == 0 {
			continue
		}
		n -= cs[i].score(against)
		switch {
		case found < 0 || n > top:
			found, top, tie = i, n, false
		case n == top && cs[i].Low != cs[found].Low:
			tie = true
		}
	}
	if tie {
		return -1
	}
	return found
}
