package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	maxParts     = 6    // maximum clauses of a claim that are judged separately
	maxPartsText = 1000 // bytes of the longest claim that is split
)

// coordinated returns the byte ranges of the coordinated clauses of an English claim,
// each with a subject and a finite verb of its own. It returns nil if there are fewer
// than two.
func coordinated(text string) [][2]int {
	if len(text) > maxPartsText || strings.IndexByte(text, '\n') >= 0 {
		return nil
	}
	var parts [][2]int
	start := 0
	rest := text
	for at := 0; len(parts) < maxParts-1; {
		i, n := nextCoordination(rest[at:])
		if i < 0 {
			break
		}
		i += at
		left, right := english.Split(rest[:i]), english.Split(rest[i+n:])
		if len(left) >= 3 && english.HasFiniteVerb(left) && startsWithSubject(right) {
			parts = append(parts, [2]int{start, start + i})
			start += i + n
			rest, at = text[start:], 0
			continue
		}
		at = i + n
	}
	if len(parts) == 0 {
		return nil
	}
	return append(parts, [2]int{start, len(text)})
}

// nextCoordination returns the position and length of the next conjunction between
// clauses in text, or -1.
func nextCoordination(text string) (at, length int) {
	at = -1
	for _, c := range [...]string{", and ", ", but ", "; ", ", while ", ", whereas ", " and ", " while ", " but "} {
		if i := strings.Index(text, c); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(c)
		}
	}
	return at, length
}

// startsWithSubject reports whether words start with a noun phrase that a finite verb
// follows.
func startsWithSubject(w []english.Word) bool {
	const maxSubject = 8
	if len(w) < 3 || english.IsAuxiliary(w[0].Lower) || english.IsPreposition(w[0].Lower) ||
		english.IsVerb(w[0].Lower, english.PastForm|english.ThirdPerson|english.ParticipleForm) && !english.StartsUpper(w[0].Text) || strings.HasSuffix(w[0].Lower, "ing") {
		return false
	}
	if english.IsVerb(w[0].Lower, english.BaseForm) && !english.StartsUpper(w[0].Text) && !strings.HasSuffix(w[0].Lower, "s") {
		return false
	}
	for i, x := range w {
		if i >= maxSubject || i > 0 && strings.HasSuffix(w[i-1].Text, ",") {
			return false
		}
		if i > 0 && (english.IsAuxiliary(x.Lower) || !english.StartsUpper(x.Text) && english.IsVerb(x.Lower, english.PastForm|english.ThirdPerson) && !english.IsDeterminer(w[i-1].Lower) && !english.IsPreposition(w[i-1].Lower)) {
			return true
		}
	}
	return false
}

// expand appends the coordinated clauses of claims to them, and returns for each clause
// the index of its claim.
func expand(claims []extract.Claim) (all []extract.Claim, whole []int) {
	all = claims
	for i, c := range claims {
		if c.Statement != "" {
			continue
		}
		for _, p := range coordinated(c.Text) {
			if len(whole) == 0 {
				all = slices.Clone(claims)
			}
			all = append(all, extract.Claim{ID: len(all), Text: c.Text[p[0]:p[1]], Lead: c.Lead})
			whole = append(whole, i)
		}
	}
	return all, whole
}

// combine replaces the verdicts of claims with clauses by those of their clauses.
func (j *Judge) combine(vs []verdict.Verdict, claims int, whole []int) []verdict.Verdict {
	for k := 0; k < len(whole); {
		v := &vs[whole[k]]
		from := k
		for k < len(whole) && whole[k] == whole[from] {
			k++
		}
		parts := vs[claims+from : claims+k]
		lowest := slices.MinFunc(parts, func(a, b verdict.Verdict) int {
			switch {
			case a.Score < b.Score:
				return -1
			case a.Score > b.Score:
				return 1
			}
			return 0
		})
		switch {
		case v.Score == 1:
		case lowest.Label == verdict.Contradicted:
			lowest.ClaimID = v.ClaimID
			lowest.Score = min(lowest.Score, v.Score)
			*v = lowest
		case lowest.Score >= DefaultThreshold && v.Score < DefaultThreshold:
			id := v.ClaimID
			*v = lowest
			v.ClaimID = id
			if v.Label != verdict.Supported {
				continue
			}
			v.Evidence = nil
			for _, p := range parts {
				v.ChunkIDs = append(v.ChunkIDs, p.ChunkIDs...)
				v.Evidence = append(v.Evidence, p.Evidence...)
			}
			slices.Sort(v.ChunkIDs)
			v.ChunkIDs = slices.Compact(v.ChunkIDs)
		}
	}
	return vs[:claims]
}
