package entail

import "strings"

// A direction is a word whose meaning depends on the order of what it relates.
type direction struct {
	word, opposite string
	alternative    string // another opposite
}

func directionOf(w string) direction {
	switch w {
	case "before":
		return direction{w, "after", "since"}
	case "after":
		return direction{w, "before", "until"}
	case "since":
		return direction{w, "until", "before"}
	case "until", "till":
		return direction{w, "since", "from"}
	case "above", "over":
		return direction{w, "below", "under"}
	case "below", "under":
		return direction{w, "above", "over"}
	case "inside":
		return direction{w, "outside", ""}
	case "outside":
		return direction{w, "inside", "within"}
	case "to":
		return direction{w, "from", ""}
	case "from":
		return direction{w, "to", "until"}
	}
	return direction{}
}

// order finds the same things in another order: before instead of after, to instead of
// from.
func (a *Alignment) order() (Finding, bool) {
	f, ok := a.reordered()
	c, s := a.Claim, a.Stated
	return f, ok && c.negations(0, len(c.Words)) == s.negations(0, len(s.Words))
}

// reordered is order, without regard to negations.
func (a *Alignment) reordered() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if f, ok := a.compared(); ok {
		return f, true
	}
	if c.seen&directing == 0 || s.seen&directing == 0 {
		return Finding{}, false
	}
	for i := range c.Words {
		if c.Words[i].traits&directing == 0 {
			continue
		}
		d := directionOf(c.Words[i].Lower)
		k := c.contentAfter(i+1, 3)
		if k < 0 || a.To[k] < 0 || a.How[k] == Opposite || c.directionBefore(k) != i {
			continue
		}
		t := a.To[k]
		j := s.directionBefore(t)
		if j < 0 {
			if f, ok := a.swapped(i, k, t, d); ok {
				return f, true
			}
			continue
		}
		stated := s.Words[j].Lower
		if stated == d.opposite || stated == d.alternative {
			p, q := c.contentBefore(i-1, 6), s.contentBefore(j-1, 6)
			if p < 0 || q < 0 || !a.sameContext(k, t) || a.opposed() {
				continue
			}
			if aligned := a.To[p] >= 0 && a.From[q] >= 0; !aligned && !c.isNumeric(k) && (stated == "to" || stated == "from" || a.To[p] < 0 && a.From[q] < 0) {
				continue
			}
			return Finding{Kind: Order, Stated: s.Span(j, t), Claimed: c.Span(i, k)}, true
		}
	}
	return Finding{}, false
}

// directionBefore returns the preposition that governs word t, or -1.
func (x *Sentence) directionBefore(t int) int {
	for j := t - 1; j >= 0 && j >= t-3; j-- {
		if x.stopsAt(j + 1) {
			return -1
		}
		if x.Words[j].traits&directing != 0 {
			return j
		}
		if x.Words[j].Content {
			return -1
		}
	}
	return -1
}

// swapped finds two events in the other order with the same word: "A before B" for "B
// before A". Word i of the claim is that word, and k the first one of what follows it,
// which is aligned with word t of the statement.
func (a *Alignment) swapped(i, k, t int, d direction) (Finding, bool) {
	c, s := a.Claim, a.Stated
	if d.word != "before" && d.word != "after" {
		return Finding{}, false
	}
	for j := range s.Words {
		if s.Words[j].Lower == d.word && t > j && t < s.phraseEnd(j) {
			return Finding{}, false
		}
	}
	for j := range s.Words {
		if s.Words[j].Lower != d.word {
			continue
		}
		q := s.contentAfter(j+1, 3)
		if q < 0 || a.From[q] < 0 || a.How[a.From[q]] == Opposite {
			continue
		}
		if p := a.From[q]; p < i || p >= c.phraseEnd(i+1) {
			return Finding{Kind: Order, Stated: s.Span(j, q), Claimed: c.Span(i, k)}, true
		}
	}
	return Finding{}, false
}

// A comparative is a comparison with "than".
type comparative struct {
	at     int // the comparative
	than   int
	object int // the last content word of the phrase after "than"
	sign   int // 1 for more, -1 for less, 0 for an adjective
}

func (x *Sentence) comparative() (comparative, bool) {
	for t := 1; t < len(x.Words); t++ {
		if x.Words[t].Lower != "than" {
			continue
		}
		object := x.contentAfter(t+1, 4)
		if object < 0 || x.isNumeric(object) && object == t+1 {
			continue
		}
		for object+1 < len(x.Words) && x.Words[object+1].Content && !x.stopsAt(object+1) { // "Lake Varese": the name
			object++
		}
		r := comparative{than: t, object: object}
		for k := t - 1; k >= 0 && k >= t-6; k-- {
			switch x.Words[k].Lower {
			case "more", "greater":
				r.at, r.sign = k, 1
				return r, true
			case "less", "fewer":
				r.at, r.sign = k, -1
				return r, true
			case "rather", "other":
				return r, false
			}
		}
		for k := t - 1; k >= 0 && k >= t-6; k-- {
			if x.Words[k].traits&comparing != 0 {
				r.at = k
				return r, true
			}
		}
		if w := &x.Words[t-1]; w.Content && strings.HasSuffix(w.Lower, "er") {
			r.at = t - 1
			return r, true
		}
	}
	return comparative{}, false
}

// compared finds a comparison of the same things in the other direction.
func (a *Alignment) compared() (Finding, bool) {
	x, y, how := a.comparison()
	if how != reversedOrder {
		return Finding{}, false
	}
	c, s := a.Claim, a.Stated
	return Finding{Kind: Order, Stated: s.Span(y.at, y.object), Claimed: c.Span(x.at, x.object)}, true
}

// An ordering is the relation of two comparisons of the same things.
type ordering uint8

const (
	unrelatedOrder ordering = iota
	sameOrder               // with both the things and the direction swapped
	reversedOrder
)

// comparison compares the comparisons in the two sentences.
func (a *Alignment) comparison() (x, y comparative, how ordering) {
	x, ok := a.Claim.comparative()
	if !ok {
		return x, y, unrelatedOrder
	}
	y, ok = a.Stated.comparative()
	if !ok {
		return x, y, unrelatedOrder
	}
	opposite := x.sign*y.sign < 0 || a.To[x.at] == y.at && a.How[x.at] == Opposite
	same := x.sign*y.sign > 0 || a.To[x.at] == y.at && a.How[x.at] != Opposite
	swapped := a.To[x.object] >= 0 && a.To[x.object] < y.than && a.From[y.object] >= 0 && a.From[y.object] < x.than
	kept := a.To[x.object] == y.object
	switch {
	case opposite && kept || same && swapped:
		return x, y, reversedOrder
	case opposite && swapped:
		return x, y, sameOrder
	}
	return x, y, unrelatedOrder
}
