package entail

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// swapped finds a claim whose subject and object are exchanged: "the tenant informs the landlord"
// for "the landlord informs the tenant".
func (a *Alignment) swapped() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if c.foreign {
		return Finding{}, false
	}
	for v := range c.Words {
		at := a.To[v]
		if at < 0 || a.How[v] != Same {
			continue
		}
		x, y := c.contentBefore(v-1, v), c.contentAfter(v+1, len(c.Words))
		if x < 0 || y < 0 || a.To[x] < 0 || a.To[y] < 0 || a.How[x] != Same || a.How[y] != Same || a.From[a.To[x]] != x || a.From[a.To[y]] != y {
			continue
		}
		if s.contentBefore(at-1, at) == a.To[y] && s.contentAfter(at+1, len(s.Words)) == a.To[x] && c.isVerb(v) && s.isVerb(at) && !c.isPassive() && !s.isPassive() {
			return Finding{Kind: Role, Stated: s.between(a.To[x], a.To[y]), Claimed: c.between(x, y)}, true
		}
	}
	return Finding{}, false
}

// isVerb reports whether word i may be a verb whose subject and object are not interchangeable,
// unlike those of "married".
func (x *Sentence) isVerb(i int) bool {
	for _, mutual := range [...]string{"marr", "met", "meet", "border", "resembl", "equal", "match", "fac"} {
		if strings.HasPrefix(x.lower(i), mutual) {
			return false
		}
	}
	return !x.isName(i) && !english.IsDeterminer(x.lower(i-1)) && english.IsVerb(x.lower(i), english.BaseForm|english.ThirdPerson|english.PastForm|english.ParticipleForm)
}

// isPassive reports whether x may have a verb in the passive.
func (x *Sentence) isPassive() bool {
	return slices.ContainsFunc(x.Words, func(w Word) bool { return w.Lower == "by" || english.IsBe(w.Lower) })
}
