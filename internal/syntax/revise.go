package syntax

import (
	"slices"
	"strings"
)

// revise corrects frequent errors in place. A verb with two subjects and a finite verb
// after it is a relative clause ("the flour the bakery uses comes from mills"). A noun
// between a conjunction and a finite verb without a subject is its subject ("passed the bill
// and the president signed it"). A subject of a verb with a passive auxiliary is a passive
// subject. In the treebank, 312 of 339 words with "by" below a
// participle are its agent, and 24 of 25 years with "in" after a verb and its object
// belong to the verb.
func revise(tokens []Token) {
	relatives(tokens)
	subjects(tokens)
	for i, t := range tokens {
		if t.Head < 0 {
			continue
		}
		head := tokens[t.Head]
		if t.Relation == "nsubj" || t.Relation == "csubj" {
			if passive, _ := auxiliaries(tokens, t.Head); passive {
				tokens[i].Relation += ":pass"
			}
			continue
		}
		switch c := caseOf(tokens, i); {
		case c == "by" && t.Relation == "obl" && t.Tag != "NUM" && head.Fine == "VBN":
			if passive, perfect := auxiliaries(tokens, t.Head); passive || !perfect {
				tokens[i].Relation = "obl:agent"
			}
		case c == "in" && t.Relation == "nmod" && isYear(t.Text) && head.Relation == "obj" && t.Head < i && tokens[head.Head].Tag == "VERB":
			tokens[i].Head, tokens[i].Relation = head.Head, "obl"
		}
	}
}

// relatives makes a verb the relative clause of the first of its two subjects, and the
// finite verb after it, which was its object or complement, their predicate.
func relatives(tokens []Token) {
	subject, last := -1, -1 // the last two subjects
	for i, t := range tokens {
		if t.Relation == "nsubj" && t.Head > i {
			subject, last = last, i
			continue
		}
		if subject < 0 || t.Head < last || tokens[subject].Head != t.Head || tokens[last].Head != t.Head || t.Head >= i {
			continue
		}
		if isFinite(t) && (t.Relation == "obj" || t.Relation == "ccomp") {
			verb := t.Head
			tokens[i].Head, tokens[i].Relation = tokens[verb].Head, tokens[verb].Relation
			tokens[verb].Head, tokens[verb].Relation = subject, "acl:relcl"
			tokens[subject].Head = i
			subject, last = -1, -1
		}
	}
}

// subjects makes a noun that was joined with the object of a verb the subject of the next
// one, if that follows at once and has none.
func subjects(tokens []Token) {
	for i := 1; i < len(tokens); i++ {
		noun := &tokens[i-1]
		if t := tokens[i]; !isFinite(t) || t.Relation != "conj" || noun.Relation != "conj" || noun.Tag != "NOUN" && noun.Tag != "PROPN" ||
			noun.Head <= t.Head || hasSubject(tokens[t.Head+1:i], i) {
			continue
		}
		noun.Head, noun.Relation = i, "nsubj"
		for k := range tokens[:i] {
			if tokens[k].Head == i-1 && tokens[k].Relation == "cc" {
				tokens[k].Head = i
			}
		}
	}
}

func isFinite(t Token) bool { return t.Fine == "VBZ" || t.Fine == "VBP" || t.Fine == "VBD" }

func hasSubject(tokens []Token, verb int) bool {
	return slices.ContainsFunc(tokens, func(t Token) bool { return t.Head == verb && strings.HasPrefix(t.Relation, "nsubj") })
}

// caseOf returns the only preposition of a word.
func caseOf(tokens []Token, word int) string {
	found := ""
	for _, t := range tokens[max(0, word-10):word] {
		if t.Head != word || t.Relation != "case" {
			continue
		}
		if found != "" {
			return ""
		}
		found = t.Lemma
	}
	return found
}

// auxiliaries reports whether a verb has a passive auxiliary and whether it has "have".
func auxiliaries(tokens []Token, verb int) (passive, perfect bool) {
	for _, t := range tokens[max(0, verb-10):verb] {
		if t.Head == verb {
			passive = passive || t.Relation == "aux:pass"
			perfect = perfect || t.Relation == "aux" && t.Lemma == "have"
		}
	}
	return passive, perfect
}

func isYear(s string) bool {
	return len(s) == 4 && (s[0] == '1' || s[:2] == "20") && strings.Trim(s, "0123456789") == ""
}
