package extract

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Mentions returns the claims with further citations, which are Weak: what stands in
// brackets in the sentence of a claim and has no form that only citations have, as
// "[handbook]" and "(faq.md)" do. The claims that were given stay as they are.
func WithMentions(answer string, claims []Claim) []Claim {
	points := newCodePoints(answer)
	at := func(i int) Span {
		if from := claims[i].From; from != nil {
			return *from
		}
		return Span{claims[i].Start, claims[i].End}
	}
	more := make(map[int][]Citation) // by claim
	for i := range len(answer) {
		name := mentionAt(answer, i)
		if name == "" {
			continue
		}
		text := answer[i : i+len(name)+2]
		start := points.count(i)
		end := start + utf8.RuneCountInString(text)
		for k := sort.Search(len(claims), func(k int) bool { return at(k).End > start }); k < len(claims) && at(k).Start <= start && end <= at(k).End; k++ {
			have := claims[k].Citations
			if n := sort.Search(len(have), func(n int) bool { return have[n].End > start }); n < len(have) && have[n].Start < end {
				continue
			}
			more[k] = append(more[k], Citation{Text: text, Start: start, End: end, Names: mentionNames(name), Number: -1, Weak: true})
		}
	}
	if len(more) == 0 {
		return claims
	}
	claims = slices.Clone(claims)
	for k, list := range more {
		all := slices.Concat(claims[k].Citations, list)
		slices.SortStableFunc(all, func(a, b Citation) int { return a.Start - b.Start })
		claims[k].Citations = all
	}
	return claims
}

// mentionNames are what a bracket may name: all of it, and what follows a label or
// stands before a place.
func mentionNames(name string) []string {
	names := []string{name}
	if rest := strings.TrimSpace(trimPointer(name)); rest != name {
		names = append(names, rest)
	}
	if _, rest, ok := strings.Cut(name, ": "); ok {
		names = append(names, strings.TrimSpace(rest))
	}
	for _, name := range slices.Clone(names) {
		for _, mark := range []string{", ", " p."} {
			if title, _, ok := strings.Cut(name, mark); ok {
				names = append(names, title)
			}
		}
	}
	return names
}

// mentionAt returns what the bracket at i encloses, "" for no bracket, a link, and
// what is long.
func mentionAt(s string, i int) string {
	const longest = 100
	shut := "]"
	switch s[i] {
	case '[':
	case '(':
		shut = ")"
	default:
		return ""
	}
	near := s[i+1 : min(len(s), i+1+longest)]
	name, after, ok := strings.Cut(near, shut)
	if !ok || strings.ContainsAny(name, "[(\n") || shut == "]" && strings.HasPrefix(after, "(") {
		return ""
	}
	return name
}
