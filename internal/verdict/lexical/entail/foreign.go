package entail

import (
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// detectLanguage sets x.foreign if most of the function words of x are not English, or
// most of its words are not in the Latin script. The function words and negations of such
// a sentence carry no meaning of their own.
func (x *Sentence) detectLanguage() {
	x.foreign = false
	english, other, script := 0, 0, 0
	for i := range x.Words {
		w := &x.Words[i]
		switch {
		case w.Is(lexicon.Stop):
			english++
		case w.traits&(functional|negating) != 0, len(w.Lower) > utf8.RuneCountInString(w.Lower):
			other++
		}
		if r, _ := utf8.DecodeRuneInString(w.Lower); r >= firstNonLatin {
			script++
		}
	}
	if x.foreign = other >= 2 && other >= english || other == 1 && english == 0 && len(x.Words) > 3 || 2*script > len(x.Words); !x.foreign {
		return
	}
	for i := range x.Words {
		if w := &x.Words[i]; w.traits&(functional|negating|excepting|marking|denying) != 0 {
			w.Content = false
		}
	}
}

// firstNonLatin is the first letter after the blocks of Latin letters and their marks.
const firstNonLatin = 0x370

// denies reports whether word i of a foreign sentence denies its clause.
func (x *Sentence) denies(i int) bool {
	w := &x.Words[i]
	if w.traits&negating != 0 {
		return true
	}
	if !w.Is(lexicon.Ideogram) {
		return false
	}
	switch w.Lower {
	case "不同", "不仅", "不但", "不断", "不过", "不久", "不管", "不锈", "未来", "没收", "非常", "非洲", "不動", "不思", "未満", "未婚":
		return false
	}
	switch r, _ := utf8.DecodeRuneInString(w.Lower); r {
	case '不', '没', '沒', '未', '勿', '非':
		return true
	}
	return false
}

// A passage is a part of a foreign sentence between two punctuation marks.
type passage struct {
	first, end int
	negations  int
	except     int // first word of an exception, or end
}

// passageAt returns the passage that starts at word i.
func (x *Sentence) passageAt(i int) passage {
	p := passage{first: i, end: i, except: -1}
	for p.end == i || p.end < len(x.Words) && (!x.stopsAt(p.end) || x.Words[p.end].traits&excepting != 0) {
		if x.Words[p.end].traits&excepting != 0 && p.except < 0 {
			p.except = p.end
		}
		if p.except < 0 && x.denies(p.end) {
			p.negations++
		}
		p.end++
	}
	if p.except < 0 {
		p.except = p.end
	}
	return p
}

// foreignPolarity finds a passage of a claim in another language than English that has a
// negation or an opposite more, or less, than the passages of the statement with the same
// words.
func (a *Alignment) foreignPolarity() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if !c.foreign || !s.foreign {
		return Finding{}, false
	}
	for i := 0; i < len(c.Words); {
		p := c.passageAt(i)
		q, odd, ok := a.closest(p)
		for ok && p.end < len(c.Words) {
			next := c.passageAt(p.end)
			if r, _, _ := a.closest(next); r.first != q.first {
				break
			}
			p.end, p.except, p.negations = next.end, next.except, p.negations+next.negations
			q, odd, ok = a.closest(p)
		}
		i = p.end
		if ok && odd {
			return Finding{Kind: Polarity, Stated: s.Span(q.first, q.end-1), Claimed: c.Span(p.first, p.end-1), Denies: true}, true
		}
	}
	return Finding{}, false
}

// closest returns the passage of the statement that has most words of passage p of the
// claim. odd reports whether an odd number of negations and opposites lie between p and
// each passage that has several of its words. ok is false if they share too little.
func (a *Alignment) closest(p passage) (best passage, odd, ok bool) {
	const several = 2
	c, s := a.Claim, a.Stated
	total, most := 0, 0
	for i := p.first; i < p.end; i++ {
		if c.Words[i].Content {
			total++
		}
	}
	odd = true
	for j := 0; j < len(s.Words); {
		q := s.passageAt(j)
		j = q.end
		n, signs := a.signs(p, q)
		if n >= several && (p.negations+q.negations+signs)%2 == 0 {
			odd = false
		}
		if n > most {
			best, most = q, n
		}
	}
	return best, odd, most >= several && 2*most >= total
}

// signs returns the number of words of p with a counterpart in q, and the number of
// reversals between them: one for opposites, and one if p is about the exception in q.
func (a *Alignment) signs(p, q passage) (n, reversals int) {
	opposed, excepted := 0, 0
	for i := p.first; i < p.end; i++ {
		t := a.To[i]
		if t < q.first || t >= q.end {
			continue
		}
		n++
		if a.How[i] == Opposite {
			opposed = 1
		}
		if t >= q.except && p.except == p.end {
			excepted = 1
		}
	}
	return n, opposed + excepted
}
