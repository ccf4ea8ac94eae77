package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// sequence returns how many tokens from i on are the words keys, 0 if they are not.
func (x *side) sequence(i int, keys []uint64) int {
	n, k := 0, 0
	for i+n < len(x.tokens) && k < len(keys) {
		t := &x.tokens[i+n]
		switch {
		case t.Key == keys[k]:
			k++
		case k == 0 || !t.Is(lexicon.Stop):
			return 0
		}
		n++
	}
	if k < len(keys) {
		return 0
	}
	return n
}

// afterPreposition reports whether token i stands after a preposition that no
// subject stands after.
func (x *side) afterPreposition(i int) bool {
	for i--; i >= 0; i-- {
		switch x.lower(i) {
		case "the", "a", "an":
		case "at", "in", "on", "from", "near", "of", "to", "into", "for", "with", "against", "between", "under", "over", "after", "before":
			return true
		default:
			return false
		}
	}
	return false
}

// list adds a mention, which ends before token next. Names with only commas and
// "and" between them are listed together.
func (r *slotReader) list(x *side, m mention, next int) {
	m.from, m.to = m.at, next
	k := len(r.mentions) - 1
	if k >= 0 && r.mentions[k].sentence == m.sentence && x.onlyListed(r.mentions[k].to, m.at) {
		m.from = r.mentions[k].from
		for ; k >= 0 && r.mentions[k].sentence == m.sentence && r.mentions[k].from == m.from; k-- {
			r.mentions[k].to = m.to
		}
	}
	r.mentions = append(r.mentions, m)
}

// onlyListed reports whether only commas, "and" and "or" stand between the
// tokens before from and token to.
func (x *side) onlyListed(from, to int) bool {
	for i := from; i <= to; i++ {
		if g := strings.TrimSpace(x.gap(i)); g != "" && g != "," {
			return false
		}
		if i == to {
			return true
		}
		switch x.lower(i) {
		case "and", "or", "the":
		default:
			return false
		}
	}
	return false
}

// name returns the token after the name that begins at token i, and its words:
// none of one in the genitive, which names the owner of what follows.
func (x *side) name(i int) (next int, words []uint64) {
	for next = i; next < len(x.tokens) && x.inName(next) && (next == i || joins(x.gap(next))); next++ {
		words = append(words, x.tokens[next].Key)
		if isPossessive(x.text[x.tokens[next].Start:x.tokens[next].End]) {
			return next + 1, nil
		}
	}
	return next, words
}

// inName reports whether token i may be a word of a name.
func (x *side) inName(i int) bool {
	t := &x.tokens[i]
	return t.Is(lexicon.Capital) && t.Class&(lexicon.Stop|lexicon.Number|lexicon.Month|lexicon.Numeral) == 0
}

func isPossessive(word string) bool {
	return strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "’s") || strings.HasSuffix(word, "'") || strings.HasSuffix(word, "’")
}

// isPersonal knows the pronouns that stand for what was spoken of before.
func isPersonal(word string) bool {
	switch word {
	case "he", "she", "it", "they", "this", "these", "today", "now", "currently":
		return true
	}
	return false
}

// beginsClause reports whether a clause with a subject of its own may begin at
// token i.
func (x *side) beginsClause(i int) bool {
	if i == 0 {
		return false
	}
	g := x.gap(i)
	if strings.ContainsAny(g, ";:()—|\n") {
		return true
	}
	switch x.lower(i) {
	case "and", "but", "while", "whereas", "which", "who", "though", "although", "whose":
		return strings.IndexByte(g, ',') >= 0
	}
	return false
}
