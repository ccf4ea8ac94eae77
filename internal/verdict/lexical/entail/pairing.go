package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// numbers appends the indices of the words of x that are written in digits.
func (x *Sentence) numbers(dst []int) []int {
	for i := range x.Words {
		if x.Words[i].Is(lexicon.Number) && !x.Words[i].Is(lexicon.Ordinal) && (i == 0 || x.Gap(i) != "-") {
			dst = append(dst, i)
		}
	}
	return dst
}

// like reports whether two numbers have the same notation: a currency sign before, a
// percent sign or the same word after, or a time of day.
func (x *Sentence) like(i int, y *Sentence, j int) bool {
	return x.notation(i) == y.notation(j)
}

// notation returns the sign before and after a number, and the word after it if it is
// a unit.
func (x *Sentence) notation(i int) string {
	w := &x.Words[i]
	before, after := "", ""
	if w.Start > 0 {
		for _, sign := range [...]string{"$", "€", "£", "¥"} {
			if strings.HasSuffix(x.Text[:w.Start], sign) {
				before = sign
			}
		}
	}
	rest := x.Text[w.End:]
	switch {
	case strings.HasPrefix(rest, "%"), strings.HasPrefix(rest, " %"):
		after = "%"
	case strings.HasPrefix(rest, ":"):
		after = ":"
	case i+1 < len(x.Words) && x.Words[i+1].Class&(lexicon.Unit|lexicon.Scale|lexicon.Month) != 0:
		after = "#"
		if x.Words[i+1].Is(lexicon.Unit) {
			after = x.Words[i+1].Lower[:min(3, len(x.Words[i+1].Lower))]
		}
	case len(w.Lower) == 4 && before == "" && (w.Lower[0] == '1' || w.Lower[0] == '2'):
		after = "year"
	}
	return before + after
}

// pairing finds a number that the statement gives for something else than the claim
// does: "$52 in Harbour" against "$38 in Harbour and $52 in Hillside".
func (a *Alignment) pairing() (Finding, bool) {
	c, s := a.Claim, a.Stated
	ns := s.numbers(nil)
	if len(ns) < 2 || strings.ContainsAny(s.Text, "|\t\n") { // tables have their own check
		return Finding{}, false
	}
	for _, i := range c.numbers(nil) {
		v := -1 // index in ns of the same number
		var same []int
		for k, j := range ns {
			if c.like(i, s, j) {
				same = append(same, k)
			}
			if s.Words[j].Key == c.Words[i].Key {
				v = k
			}
		}
		if n := c.notation(i); v < 0 || len(same) < 2 || n == "" || n == "year" || n == "#" {
			continue
		}
		own, other, at := 0, 0, -1
		for k := range c.Words {
			if !c.Words[k].Content || a.To[k] < 0 || c.isNumber(k) || abs(k-i) > 8 || c.separated(i, k) {
				continue
			}
			switch n := s.segmentOf(a.To[k], ns); {
			case n == v:
				own++
			case n >= 0:
				other++
				at = a.To[k]
			}
		}
		if other > 0 && own == 0 {
			return Finding{Kind: Pairing, Stated: s.Words[ns[v]].Text(s.Text), Claimed: s.Words[at].Text(s.Text)}, true
		}
	}
	return Finding{}, false
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// separated reports whether another number or a clause boundary is between words i and k.
func (x *Sentence) separated(i, k int) bool {
	if x.Words[i].Clause != x.Words[k].Clause {
		return true
	}
	for n := min(i, k) + 1; n < max(i, k); n++ {
		if x.Words[n].Is(lexicon.Number) {
			return true
		}
	}
	return false
}

// segmentOf returns the index in ns of the number to which word j belongs, or -1 if it
// may belong to all: a number has the words around it up to the conjunction or comma
// nearest to the next number. The words before the first number belong to all.
func (x *Sentence) segmentOf(j int, ns []int) int {
	if j < ns[0] {
		return -1
	}
	for k, n := range ns {
		if k+1 == len(ns) {
			return k
		}
		next := ns[k+1]
		boundary := next
		for i := next; i > n; i-- {
			if strings.ContainsAny(x.Gap(i), ",;") {
				boundary = i
				break
			}
			switch x.Words[i].Lower {
			case "and", "but", "or", "while", "to":
				boundary = i
			}
			if boundary != next {
				break
			}
		}
		if j < boundary {
			return k
		}
	}
	return -1
}
