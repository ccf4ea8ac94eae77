package values

import "strconv"

// A claimWords holds the words of a claim: those before and after "than", and what they
// ask for.
type claimWords struct {
	left, right []string // stems of content words
	topic       []string // those of both sides that ask for nothing
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
	cueGap      // difference, profit, the remaining
	cueDiscount // discount
	cueMost     // superlative
	cueMoney    // what is compared: cost,
	cueMass     // weight,
	cueTime     // age or time,
	cueSize     // length, height or duration,
	cueHeat     // temperature
)

// cueOf returns the cues of a word in lower case.
func cueOf(w string) cue {
	switch w {
	case "total", "totals", "totalled", "altogether", "together", "combined", "sum", "sums", "add", "adds", "added", "overall", "comes", "come",
		"amount", "amounts", "amounted", "totalling", "totaling", "including", "both", "jointly", "zusammen",
		"insgesamt", "ensemble":
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
	case "cost", "costs", "price", "prices":
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
	case "fell", "fallen", "dropped", "decreased", "declined", "shrank", "lost", "reduced", "decrease", "drop", "decline", "fall",
		"cut", "lowered":
		return cueLess | cueChange
	case "rose", "risen", "grew", "grown", "increased", "climbed", "gained", "jumped", "increase", "rise", "growth", "gain",
		"raised":
		return cueMore | cueChange
	case "doubled", "tripled", "quadrupled", "halved", "trebled":
		return cueChange
	case "difference", "gap", "margin", "profit", "loss", "surplus", "deficit", "majority", "lead", "won":
		return cueGap
	case "remaining", "remain", "remains", "leaves", "leaving", "rest", "others", "unsold", "left", "faster", "slower", "quicker":
		return cueGap
	case "discount", "discounted", "rebate", "reduction":
		return cueDiscount
	case "each", "per", "average", "apiece", "every":
		return cueEach
	case "lasted", "lasts", "last", "took", "take", "takes", "taken", "after", "before", "age", "aged", "old", "spent", "between", "long", "open",
		"runs", "ran", "served", "for", "reigned", "lived", "within", "when", "turned":
		return cueElapsed
	case "mehr":
		return cueMore
	case "weniger":
		return cueLess
	case "billiger", "günstiger":
		return cueLess | cueMoney
	case "teurer":
		return cueMore | cueMoney
	case "than", "als":
		return cueThan
	}
	return 0
}

// maxWords is the maximum number of content words of a claim on each side of "than".
const maxWords = 64

// wordsOf returns the words of a claim without those of the value from start to end.
func wordsOf(text string, start, end int) claimWords {
	c := claimWords{left: make([]string, 0, 16)}
	previous := ""
	eachWord(text, 0, len(text), func(w string, at int) {
		if at >= start && at < end {
			return
		}
		k := cueOf(w)
		if previous == "went" || previous == "gone" || previous == "go" {
			switch w {
			case "up":
				k = cueMore | cueChange
			case "down":
				k = cueLess | cueChange
			}
		}
		previous = w
		if k == 0 && isSuperlative(w) {
			return
		}
		c.cues |= k
		if a := attributeOf(w); a != "" {
			c.left = append(c.left, a)
		}
		isThan := k&cueThan != 0
		if w == "after" || w == "before" { // three years after the war
			isThan = at >= end && c.cues&cueThan == 0
		}
		if isThan {
			c.cues |= cueThan
			return
		}
		if k&^(cueMoney|cueMass|cueElapsed|cueGap|cueDiscount) != 0 || isFunctionWord(w) {
			return
		}
		if k == 0 && len(c.topic) < maxWords {
			c.topic = append(c.topic, stem(w))
		}
		switch {
		case c.cues&cueThan != 0 && len(c.right) < maxWords:
			c.right = append(c.right, stem(w))
		case c.cues&cueThan == 0 && len(c.left) < maxWords:
			c.left = append(c.left, stem(w))
		}
	})
	c.yearBefore()
	return c
}

// yearBefore resolves "than a year before" with the year before "than".
func (c *claimWords) yearBefore() {
	if len(c.right) == 0 || len(c.right) > 2 || c.right[0] != "year" {
		return
	}
	for _, w := range c.left {
		if len(w) == 4 && w >= "1000" && w < "2200" {
			if y, err := strconv.Atoi(w); err == nil {
				c.right = []string{strconv.Itoa(y - 1)}
			}
		}
	}
}

// attributeOf returns the stem of the noun that a comparative is about, which may be the
// heading of a column.
func attributeOf(w string) string {
	switch w {
	case "higher", "highest", "taller", "tallest":
		return "height"
	case "longer", "longest", "shorter", "shortest":
		return "length"
	case "heavier", "heaviest", "lighter", "lightest":
		return "weight"
	case "cheaper", "cheapest", "expensive", "dearer":
		return stem("price")
	}
	return ""
}

// isSuperlative reports whether w adds nothing but a degree.
func isSuperlative(w string) bool { return w == "much" || w == "many" || w == "very" }
