package main

import (
	"slices"
	"strings"
)

// The treebank has few questions, and few subjects with relative clauses between commas,
// which are frequent in encyclopedias. augment makes such sentences of its trees.
func augment(sentences []*sentence, tags, relations *names) []*sentence {
	var all []*sentence
	var clauses []clause // with a pronoun as subject
	for i, s := range sentences {
		c, found := newClause(s, tags, relations)
		if !found {
			continue
		}
		if q := c.question(tags, relations); q != nil && i%2 == 0 {
			q.source = s.source
			all = append(all, q)
		}
		if c.subject == 1 && len(s.forms) <= 14 && strings.HasPrefix(tags.list[s.tags[0]], "PRON|PRP") {
			clauses = append(clauses, c)
		} else if c.subject <= 5 && i%3 == 0 && len(clauses) > 0 && strings.Contains(tags.list[s.tags[c.head-1]], "N|NN") {
			r := c.withRelative(clauses[i%len(clauses)], tags, relations)
			r.source = s.source
			all = append(all, r)
		}
	}
	return all
}

// A clause is a sentence that begins with its subject.
type clause struct {
	*sentence
	root    int // these count from 1
	head    int // of the subject
	subject int // words in the subject
	aux     int // the first auxiliary or copula, 0 if there is none
}

func newClause(s *sentence, tags, relations *names) (c clause, found bool) {
	n := len(s.forms)
	c = clause{sentence: s, root: slices.Index(s.heads[1:], n+1) + 1}
	for word := 1; word <= n; word++ {
		relation := relations.list[s.relations[word]]
		switch {
		case s.heads[word] != c.root:
		case strings.HasPrefix(relation, "nsubj") && c.head == 0:
			c.head = word
		case (strings.HasPrefix(relation, "aux") || relation == "cop") && c.aux == 0:
			c.aux = word
		}
	}
	if c.head == 0 || c.head > c.root || n < 4 || tags.list[s.tags[n-1]] != "PUNCT|." || s.forms[n-1] != "." {
		return c, false
	}
	// The subject is what comes before the first word of the root's other parts.
	for c.subject < n && c.within(c.subject+1, c.head) {
		c.subject++
	}
	for word := c.subject + 1; word <= n; word++ {
		if c.within(word, c.head) {
			return c, false
		}
	}
	return c, c.subject > 0 && (c.aux == 0 || c.aux > c.subject)
}

// within reports whether a word is below another one or the same.
func (s *sentence) within(word, top int) bool {
	for steps := 0; steps <= len(s.forms) && word <= len(s.forms); steps++ {
		if word == top {
			return true
		}
		word = s.heads[word]
	}
	return false
}

// builder makes a sentence of words of others.
type builder struct {
	out  sentence
	tags *names
}

func (b *builder) word(form, lemma string, tag uint8, head int, relation uint8) {
	b.out.forms = append(b.out.forms, form)
	b.out.lemmas = append(b.out.lemmas, lemma)
	b.out.tags = append(b.out.tags, tag)
	b.out.heads = append(b.out.heads, head)
	b.out.relations = append(b.out.relations, relation)
}

// copy adds a word of s; its head is moved by place, which maps words of s to words of
// the new sentence.
func (b *builder) copy(s *sentence, word int, place func(int) int) {
	form := s.forms[word-1]
	if word == 1 && len(b.out.forms) > 0 && !strings.HasPrefix(b.tags.list[s.tags[0]], "PROPN") && form != "I" {
		form = strings.ToLower(form)
	}
	b.word(form, s.lemmas[word-1], s.tags[word-1], place(s.heads[word]), s.relations[word])
}

func newBuilder(tags *names) *builder {
	return &builder{tags: tags, out: sentence{heads: []int{0}, relations: []uint8{0}}}
}

func title(form string) string { return strings.ToUpper(form[:1]) + form[1:] }

// question moves the auxiliary before the subject, or adds a form of do. It returns nil
// if the clause has neither an auxiliary nor a finite verb.
func (c clause) question(tags, relations *names) *sentence {
	b := newBuilder(tags)
	n := len(c.forms)
	if strings.HasPrefix(c.forms[max(c.aux, 1)-1], "'") {
		return nil // "'s"
	}
	do, tag := "", tags.list[c.tags[c.root-1]]
	if c.aux == 0 {
		do = map[string]string{"VERB|VBD": "Did", "VERB|VBZ": "Does", "VERB|VBP": "Do"}[tag]
		if do == "" || c.lemmas[c.root-1] == "be" {
			return nil
		}
	}
	place := func(word int) int {
		switch {
		case word == c.aux:
			return 1
		case word > n:
			return word + min(len(do), 1)
		case do != "" || word < c.aux:
			return word + 1
		}
		return word
	}
	if do != "" {
		b.word(do, "do", tags.of("AUX|"+strings.TrimPrefix(tag, "VERB|")), place(c.root), relations.of("aux"))
	} else {
		b.copy(c.sentence, c.aux, place)
		b.out.forms[0] = title(b.out.forms[0])
	}
	for word := 1; word <= n; word++ {
		if word == c.aux {
			continue
		}
		b.copy(c.sentence, word, place)
		if word == c.root && do != "" {
			b.out.forms[len(b.out.forms)-1] = c.lemmas[word-1]
			b.out.tags[len(b.out.tags)-1] = tags.of("VERB|VB")
		}
	}
	b.out.forms[len(b.out.forms)-1] = "?"
	return &b.out
}

// withRelative adds ", who ...," with the predicate of another clause to the subject.
func (c clause) withRelative(other clause, tags, relations *names) *sentence {
	b := newBuilder(tags)
	added := len(other.forms) + 1 // without its period, and with two commas
	outer := func(word int) int {
		if word > c.subject {
			return word + added
		}
		return word
	}
	inner := func(word int) int {
		if word == len(other.forms)+1 {
			return c.head
		}
		return c.subject + 1 + word
	}
	comma := func() {
		b.word(",", ",", tags.of("PUNCT|,"), inner(other.root), relations.of("punct"))
	}
	for word := 1; word <= c.subject; word++ {
		b.copy(c.sentence, word, outer)
	}
	comma()
	for word := 1; word < len(other.forms); word++ {
		b.copy(other.sentence, word, inner)
		last := len(b.out.forms)
		if word == 1 {
			b.out.forms[last-1], b.out.lemmas[last-1], b.out.tags[last-1] = "who", "who", tags.of("PRON|WP")
		}
		if word == other.root {
			b.out.relations[last] = relations.of("acl:relcl")
		}
	}
	comma()
	for word := c.subject + 1; word <= len(c.forms); word++ {
		b.copy(c.sentence, word, outer)
	}
	return &b.out
}
