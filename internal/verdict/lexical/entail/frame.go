package entail

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/syntax"
)

// A frame is a predicate with its arguments.
type frame struct {
	at      int // token of the predicate
	word    int // its word in the sentence, or -1
	subject []int
	object  []int
	others  []int // words of the other arguments and modifiers
	// pronoun is set if the subject is a pronoun, so that any name may be meant.
	pronoun bool
	passive bool // with an agent: the subject follows the predicate
	subj    int  // token of the head of the subject, or -1
	obj     int
}

// A structure holds the dependencies of a sentence.
type structure struct {
	tokens   []syntax.Token
	word     []int // index of the word of each token, or -1
	part     []int // number of semicolons and colons before each token
	children [][]int
	frames   []frame
}

// parse analyses x, unless that was done before.
func (x *Sentence) parse() *structure {
	if x.structure != nil {
		return x.structure
	}
	g := &structure{tokens: syntax.Parse(x.Text)}
	x.structure = g
	g.word = make([]int, len(g.tokens))
	g.part = make([]int, len(g.tokens))
	g.children = make([][]int, len(g.tokens))
	w, part := 0, 0
	for i := range g.tokens {
		t := &g.tokens[i]
		for w < len(x.Words) && int(x.Words[w].End) <= t.Start {
			w++
		}
		g.word[i] = -1
		if w < len(x.Words) && int(x.Words[w].Start) < t.End {
			g.word[i] = w
		}
		if c := x.Text[t.Start]; c == ';' || c == ':' {
			part++
		}
		g.part[i] = part
	}
	for i := range g.tokens {
		// A relation across a semicolon is often an error of the parser.
		if h := g.tokens[i].Head; h >= 0 && g.part[h] == g.part[i] {
			g.children[h] = append(g.children[h], i)
		}
	}
	for i := range g.tokens {
		if g.isPredicate(i) {
			g.frames = append(g.frames, g.frame(i))
		}
	}
	return g
}

func (g *structure) isPredicate(i int) bool {
	t := &g.tokens[i]
	switch t.Tag {
	case "VERB":
		return t.Relation != "amod" && t.Relation != "compound"
	case "NOUN", "ADJ", "PROPN", "ADV", "NUM":
		if t.Relation == "appos" {
			return true
		}
		for _, k := range g.children[i] {
			if r := g.tokens[k].Relation; r == "cop" || strings.HasPrefix(r, "nsubj") {
				return true
			}
		}
	}
	return false
}

// child returns the first child of token i with one of the relations, or -1.
func (g *structure) child(i int, relations ...string) int {
	for _, k := range g.children[i] {
		if slices.Contains(relations, g.tokens[k].Relation) {
			return k
		}
	}
	return -1
}

// subtree appends the words below token i to dst, without clauses.
func (g *structure) subtree(dst []int, i, depth int) []int {
	if w := g.word[i]; w >= 0 && !slices.Contains(dst, w) {
		dst = append(dst, w)
	}
	if depth == 0 {
		return dst
	}
	for _, k := range g.children[i] {
		switch r := g.tokens[k].Relation; {
		case strings.HasPrefix(r, "acl"), r == "advcl", r == "ccomp", r == "parataxis", r == "appos":
		case depth == maxDepth && r == "nmod" && g.caseOf(k) != "of": // often belongs to the predicate
		default:
			dst = g.subtree(dst, k, depth-1)
		}
	}
	return dst
}

const maxDepth = 8

// frame returns the frame of the predicate at token i.
func (g *structure) frame(i int) frame {
	t := &g.tokens[i]
	f := frame{at: i, word: g.word[i], subj: -1, obj: -1}
	if s := g.child(i, "nsubj:pass"); g.child(i, "aux:pass") >= 0 || s >= 0 && (g.child(i, "obl:agent") >= 0 || t.Relation == "conj") {
		f.obj = s
		f.subj = g.child(i, "obl:agent")
		if f.subj < 0 {
			for _, k := range g.children[i] {
				if g.tokens[k].Relation == "obl" && g.caseOf(k) == "by" {
					f.subj = k
				}
			}
		}
		f.passive = f.subj >= 0
	} else {
		f.subj = g.subjectOf(i, 0)
		f.obj = g.child(i, "obj")
		if s >= 0 { // without an auxiliary, more likely an active verb
			f.subj = s
			if k := g.child(i, "obl"); f.obj < 0 && k > i && g.caseOf(k) == "" {
				f.obj = k
			}
		}
		if f.subj < 0 && f.obj >= 0 && t.Relation == "acl" && t.Head < i { // "Acme acquired Globex", parsed like "Acme owning Globex"
			f.subj = t.Head
		}
	}
	if t.Relation == "appos" {
		f.subj = t.Head
	}
	if s := f.subj; s >= 0 && g.tokens[s].Tag == "PRON" {
		f.pronoun = true
	}
	if f.subj >= 0 {
		f.subject = g.subtree(nil, f.subj, maxDepth)
	}
	if f.obj >= 0 {
		f.object = g.subtree(nil, f.obj, maxDepth)
	}
	for _, k := range g.children[i] {
		if k == f.subj || k == f.obj {
			continue
		}
		switch r := g.tokens[k].Relation; {
		case r == "obl", strings.HasPrefix(r, "obl:"), strings.HasPrefix(r, "nmod"), r == "iobj", r == "xcomp", r == "advmod", r == "amod", r == "compound":
			f.others = g.subtree(f.others, k, maxDepth)
		}
	}
	return f
}

// caseOf returns the preposition of token i, or "".
func (g *structure) caseOf(i int) string {
	if k := g.child(i, "case"); k >= 0 {
		return g.tokens[k].Lemma
	}
	return ""
}

// subjectOf returns the token of the subject of predicate i, which may be that of the
// predicate it depends on, or -1.
func (g *structure) subjectOf(i, depth int) int {
	if s := g.child(i, "nsubj", "nsubj:outer"); s >= 0 {
		switch g.tokens[s].Lemma {
		case "who", "which", "that", "whom":
			if strings.HasPrefix(g.tokens[i].Relation, "acl") {
				return g.tokens[i].Head
			}
		case "it", "he", "she", "they":
			// The subject of the clause on which this one depends: "X said it would".
			if h := g.tokens[i].Head; depth == 0 && h >= 0 && (g.tokens[i].Relation == "ccomp" || g.tokens[i].Relation == "advcl") {
				if o := g.subjectOf(h, depth+1); o >= 0 && g.tokens[o].Tag != "PRON" {
					return o
				}
			}
		}
		return s
	}
	if depth > 2 {
		return -1
	}
	switch g.tokens[i].Relation {
	case "conj", "xcomp", "advcl":
		if h := g.tokens[i].Head; h >= 0 && g.part[h] == g.part[i] && g.child(i, "nsubj:pass") < 0 {
			if s := g.child(h, "nsubj:pass"); s >= 0 {
				return s
			}
			return g.subjectOf(h, depth+1)
		}
	}
	return -1
}
