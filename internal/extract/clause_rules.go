package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/syntax"
)

// coordination splits predicates that are joined by "and" or "but". A predicate without
// its own subject gets the subject and the auxiliaries of the first.
func (s *sentence) coordination() []clause {
	if !s.isSimple() {
		return nil
	}
	heads := []int{s.root}
	for i, t := range s.tokens {
		if t.Relation != "conj" || !slices.Contains(heads, t.Head) {
			continue
		}
		verbal := t.Tag == "VERB" || s.child(i, "cop", "aux", "aux:pass") >= 0
		switch {
		case verbal && i > s.root:
			heads = append(heads, i)
		case s.tokens[t.Head].Tag == "VERB":
			return nil
		}
	}
	if len(heads) < 2 {
		return nil
	}
	end := s.content()
	subject := s.subject(s.root)
	first, subjectEnd, whole := s.tree(subject)
	if first != 0 || !whole {
		return nil // words before the subject may apply to all predicates
	}
	starts := make([]int, len(heads)) // with the conjunction
	for k, h := range heads[1:] {
		from := h
		for from > heads[k] && s.inTree(from-1, h) {
			from--
		}
		starts[k+1] = from
	}
	parts := make([]clause, len(heads))
	for k, h := range heads {
		to := end
		if k+1 < len(heads) {
			to = starts[k+1]
		}
		from := starts[k]
		joined := k == 0
		for from < h && k > 0 && (s.tokens[from].Tag == "PUNCT" || s.tokens[from].Tag == "CCONJ") {
			low := strings.ToLower(s.tokens[from].Text)
			joined = joined || low == "and" || low == "but" || low == "," && k+1 < len(heads)
			from++
		}
		for to > h && (s.tokens[to-1].Tag == "PUNCT" || s.tokens[to-1].Tag == "CCONJ") {
			to--
		}
		for i := from; i < to; i++ { // all words belong to this predicate
			if !s.inTree(i, h) || slices.ContainsFunc(heads[k+1:], func(later int) bool { return s.inTree(i, later) }) {
				return nil
			}
		}
		if !joined {
			return nil
		}
		start, last := s.tokens[from].Start, s.tokens[to-1].End
		if k+1 == len(heads) {
			last = len(s.text)
		}
		switch own := s.subject(h); {
		case k == 0:
			parts[k] = clause{s.text[:last], 0, last, 0}
		case own >= from && own < h:
			if !s.isFinite(h) || !s.isComplete(h, to) || s.refersBack(from, to, false) {
				return nil
			}
			parts[k] = clause{s.text[start:last], start, last, start}
		default:
			aux, ok := s.sharedAuxiliaries(h)
			if !ok || !s.isComplete(s.root, starts[1]) || s.mayListNouns(starts[k], from, h) || s.refersBack(from, to, true) || s.negates(0, subjectEnd) {
				return nil
			}
			parts[k] = clause{sentenceText(s.words(0, subjectEnd), aux, s.words(from, to)), -1, -1, start}
		}
	}
	return parts
}

// isComplete reports whether the predicate at i needs nothing after token end, as "founded"
// does in "founded and runs the firm".
func (s *sentence) isComplete(i, end int) bool {
	if s.tokens[i].Tag != "VERB" {
		return true
	}
	for k := i + 1; k < end; k++ {
		if t := s.tokens[k]; t.Head == i && t.Tag != "PUNCT" && t.Relation != "cc" && t.Relation != "advmod" {
			return true
		}
	}
	return false
}

// mayListNouns reports whether the predicate at h may be an item of a list that starts
// before the conjunction at token start, as in "including a fire in 2013 and protests".
// Its own words begin at token first.
func (s *sentence) mayListNouns(start, first, h int) bool {
	if s.tokens[h].Tag == "VERB" {
		const forms = english.BaseForm | english.ThirdPerson | english.PastForm | english.ParticipleForm
		low := strings.ToLower(s.tokens[h].Text)
		if !english.IsVerb(low, forms) && !strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "ing") {
			return true
		}
		for _, t := range s.tokens[first:h] {
			if t.Tag != "ADV" && t.Tag != "AUX" && t.Tag != "PART" {
				return true
			}
		}
	}
	return s.tokens[start].Text != "," && strings.Contains(s.text[:s.tokens[start].Start], "including ")
}

// negates reports whether a word from first up to end negates or limits the predicate.
func (s *sentence) negates(first, end int) bool {
	return slices.ContainsFunc(english.Split(s.words(first, end)), func(w english.Word) bool {
		switch w.Lower {
		case "no", "none", "nobody", "nothing", "few", "fewer", "less", "little", "not", "cannot", "most", "exactly":
			return true
		}
		return strings.HasSuffix(w.Lower, "n't")
	})
}

// sharedAuxiliaries returns the auxiliaries of the first predicate that the predicate at h
// needs, and reports whether they are certain.
func (s *sentence) sharedAuxiliaries(h int) (string, bool) {
	if own := s.child(h, "aux", "aux:pass", "cop"); own >= 0 {
		return "", hasTense(s.tokens[own])
	}
	t, root := s.tokens[h], s.tokens[s.root]
	tense := root.Fine // of the first predicate
	if i := s.child(s.root, "aux", "aux:pass", "cop"); i >= 0 {
		tense = s.tokens[i].Fine
	}
	var aux []string
	modal, passive := false, false
	for _, a := range s.tokens[:s.root] {
		if a.Head == s.root && (a.Relation == "aux" || a.Relation == "aux:pass") {
			aux = append(aux, a.Text)
			modal = modal || a.Fine == "MD" || a.Lemma == "do"
			passive = passive || a.Relation == "aux:pass"
		}
	}
	shared := strings.Join(aux, " ")
	switch t.Fine {
	case "VBZ":
		return "", tense != "VBP"
	case "VBP":
		if tense == "VBP" && !modal {
			return "", true
		}
		return "", false
	case "VBD":
		if !passive || s.child(h, "obj") >= 0 {
			return "", len(aux) == 0 || s.child(h, "obj") >= 0
		}
		return "", false
	case "VBN":
		if len(aux) == 0 {
			return "", strings.HasSuffix(t.Text, "ed")
		}
		if passive && (s.child(h, "obj") >= 0 || isIntransitive(t.Lemma)) {
			return "", false
		}
	case "VB":
		if !modal {
			return "", false
		}
	case "VBG":
	default:
		return "", false
	}
	return shared, len(aux) > 0 && t.Fine == root.Fine && !s.negates(0, s.root)
}

// relative splits off a relative clause between commas, or at the end of the sentence, if
// its antecedent is certain: the whole subject, or a name.
func (s *sentence) relative() []clause {
	end := s.content()
	var commas []int
	for i, t := range s.tokens[:end] {
		if t.Text == "," {
			commas = append(commas, i)
		}
	}
	if len(commas) == 0 || len(commas) > 2 || commas[0] == 0 || commas[0]+2 >= end {
		return nil
	}
	open := commas[0]
	pronoun, verb := s.tokens[open+1], s.tokens[open+2]
	low := strings.ToLower(pronoun.Text)
	if low != "who" && low != "which" || !hasTense(verb) {
		return nil
	}
	if len(commas) == 2 {
		predicate, rest := s.words(open+2, commas[1]), s.text[s.tokens[commas[1]].End:]
		main := parseSentence(sentenceText(s.words(0, open), strings.TrimSpace(rest)))
		if !main.isSimple() {
			return nil
		}
		first, last, whole := main.tree(main.subject(main.root))
		if first != 0 || last != open || !whole || !main.isDefinite(first, last) {
			return nil
		}
		return []clause{{main.text, -1, -1, 0}, {sentenceText(main.words(0, open), predicate), -1, -1, pronoun.Start}}
	}
	before := s.tokens[open-1].End
	main := parseSentence(s.text[:before])
	name := nameStart(main)
	if plural := verb.Fine == "VBP" || verb.Text == "were"; plural || !main.isSimple() || name < 0 || low == "which" && (name == 0 || main.tokens[name-1].Lemma != "in") {
		return nil
	}
	return []clause{{main.text, 0, before, 0}, {sentenceText(main.words(name, len(main.tokens)), s.words(open+2, end)), -1, -1, pronoun.Start}}
}

// isDefinite reports whether the tokens from first up to end are a name or a noun with
// "the", without modifiers that could be antecedents themselves.
func (s *sentence) isDefinite(first, end int) bool {
	if t := s.tokens[first]; t.Tag != "PROPN" && t.Lemma != "the" {
		return false
	}
	return !slices.ContainsFunc(s.tokens[first:end], func(t syntax.Token) bool {
		return t.Tag == "ADP" || t.Tag == "CCONJ" || t.Tag == "VERB" || t.Tag == "PRON"
	})
}

// nameStart returns the first token of the name at the end of s, or -1.
func nameStart(s *sentence) int {
	i := len(s.tokens)
	for i > 0 && s.tokens[i-1].Tag == "PROPN" {
		i--
	}
	if i == len(s.tokens) || i > 0 && (s.tokens[i-1].Tag == "CCONJ" || s.tokens[i-1].Tag == "PUNCT" || s.tokens[i-1].Tag == "NOUN" || s.tokens[i-1].Lemma == "of") {
		return -1
	}
	return i
}

// adjuncts splits the places and times of a past event, if there are at least two.
func (s *sentence) adjuncts() []clause {
	if !s.isSimple() || s.tokens[s.root].Tag != "VERB" || !isEvent(s.tokens[s.root].Lemma) || s.negates(0, len(s.tokens)) {
		return nil
	}
	past := s.tokens[s.root].Fine == "VBD"
	for _, t := range s.tokens[:s.root] {
		if t.Head == s.root && (t.Relation == "aux" || t.Relation == "aux:pass") {
			if past = t.Fine == "VBD"; !past {
				return nil
			}
		}
	}
	first, subjectEnd, whole := s.tree(s.subject(s.root))
	if !past || first != 0 || !whole || !s.isDefiniteSubject(subjectEnd) {
		return nil
	}
	var starts, heads []int
	end := s.content()
	for i := s.root + 1; i < end; i++ {
		t := s.tokens[i]
		from, _, _ := s.tree(i)
		attached := t.Head == s.root && (t.Relation == "obl" || t.Relation == "obl:unmarked") ||
			t.Relation == "nmod" && slices.Contains(heads, t.Head) && s.isDate(from)
		if attached && s.isPlaceOrTime(from, i) {
			starts, heads = append(starts, from), append(heads, i)
		}
	}
	if len(starts) < 2 || !slices.IsSorted(starts) {
		return nil
	}
	if slices.ContainsFunc(s.tokens[subjectEnd:starts[0]], func(t syntax.Token) bool {
		return t.Tag == "NUM" || t.Tag == "PUNCT" || t.Fine == "JJS" || t.Fine == "RBS" || t.Lemma == "first" || t.Lemma == "last"
	}) {
		return nil
	}
	parts := make([]clause, len(starts))
	for k, from := range starts {
		to := end
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		for i := from; i < to; i++ {
			if t := s.tokens[i]; !s.inTree(i, heads[k]) && t.Tag != "PUNCT" ||
				t.Tag == "CCONJ" || t.Tag == "VERB" || t.Tag == "PRON" || t.Fine == "NNS" {
				return nil
			}
		}
		for s.tokens[to-1].Tag == "PUNCT" {
			to--
		}
		if k == 0 {
			last := s.tokens[to-1].End
			parts[k] = clause{s.text[:last], 0, last, 0}
			continue
		}
		parts[k] = clause{sentenceText(s.words(0, starts[0]), s.words(from, to)), -1, -1, 0}
	}
	return parts
}

// isDefiniteSubject reports whether the subject, which ends before token end, is one thing:
// a name, a pronoun, or a noun with a definite determiner.
func (s *sentence) isDefiniteSubject(end int) bool {
	t := s.tokens[0]
	return (t.Tag == "PROPN" || t.Fine == "PRP" || t.Fine == "PRP$" || t.Lemma == "the" || t.Lemma == "this") &&
		!slices.ContainsFunc(s.tokens[:end], func(t syntax.Token) bool {
			return t.Tag == "NUM" || t.Tag == "CCONJ" || t.Tag == "PUNCT" || t.Fine == "JJS" || t.Lemma == "first" || t.Lemma == "last"
		})
}

// isPlaceOrTime reports whether the words from token first are a place or time with the
// head i: "in", "on" or "at", and a name or date.
func (s *sentence) isPlaceOrTime(first, i int) bool {
	switch s.tokens[first].Lemma {
	case "in", "on", "at":
		return s.tokens[i].Tag == "PROPN" || s.isDate(first)
	}
	return false
}

// isDate reports whether the words from token first, a preposition, start with a year or a
// day and month.
func (s *sentence) isDate(first int) bool {
	for _, token := range s.tokens[first+1 : min(len(s.tokens), first+3)] {
		t := token.Text
		if english.IsMonth(strings.ToLower(t)) || len(t) == len("1999") && strings.Trim(t, "0123456789") == "" {
			return true
		}
	}
	return false
}

// isEvent reports whether a verb names a single event, so that what happened at a time and
// a place happened at that time, and at that place.
func isEvent(lemma string) bool {
	switch lemma {
	case "bear", "born", "die", "found", "establish", "open", "take", "hold", "happen", "occur", "build", "publish", "release", "marry", "launch", "sign", "create",
		"premiere", "meet", "elect", "arrest", "bury", "begin", "start", "end", "graduate", "invent", "discover", "murder", "kill", "execute", "crown", "baptize", "incorporate":
		return true
	}
	return false
}

// isIntransitive reports whether a regular verb has no passive, so that its form in "-ed"
// after a passive is a past tense.
func isIntransitive(lemma string) bool {
	switch lemma {
	case "consist", "belong", "remain", "appear", "happen", "occur", "arrive", "die", "live", "last", "exist", "range", "participate", "serve", "travel",
		"contribute", "depend", "result", "collapse", "disappear", "emerge", "work", "function", "continue", "survive":
		return true
	}
	return false
}
