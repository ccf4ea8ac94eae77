package main

import (
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
	"github.com/ragfaith/ragfaith/internal/syntax/words"
)

// unknown is the relation, and 0 the head, of a word about which parsers disagree.
// Nothing is learned about it.
const unknown = 255

// pickSentences returns a sentence of every fourth text, with tags.
func pickSentences(texts []string, t *tagger) []*sentence {
	var all []*sentence
	for i := 0; i < len(texts); i += 4 {
		spans := segment.Sentences(texts[i], "en")
		if len(spans) == 0 {
			continue
		}
		at := spans[i/4%len(spans)]
		s := &sentence{text: texts[i][at.Start:at.End]}
		for _, w := range words.Split(s.text) {
			s.forms = append(s.forms, s.text[w.Start:w.End])
		}
		if len(s.forms) < 5 || len(s.forms) > 40 {
			continue
		}
		s.tags = make([]uint8, len(s.forms))
		s.predicted = slices.Clone(t.tag(s, false))
		all = append(all, s)
	}
	return all
}

// parseSilver sets the heads and relations on which a parser that reads from left to
// right and one that reads from right to left agree (Sagae and Tsujii 2007).
func parseSilver(sentences []*sentence, forward, backward *parser) {
	reversed := reverseAll(sentences)
	var group sync.WaitGroup
	group.Go(func() { forward.parseAll(sentences) })
	group.Go(func() { backward.parseAll(reversed) })
	group.Wait()
	for i, other := range reverseAll(reversed) {
		s := sentences[i]
		for word := range s.heads {
			switch {
			case s.heads[word] != other.heads[word]:
				s.heads[word], s.relations[word] = 0, unknown
			case s.relations[word] != other.relations[word]:
				s.relations[word] = unknown
			}
		}
	}
}

// parseAll sets heads and relations by averaged weights.
func (p *parser) parseAll(sentences []*sentence) {
	for _, s := range sentences {
		p.in.Read(s.forms, p.classes)
		copy(p.in.Tags[1:], s.predicted)
		st := &p.state
		st.Reset(&p.in)
		for !st.Done() {
			p.features = st.ActionFeatures(p.features)
			scores := p.action.scores(p.features)
			next := greedy.Actions
			for a := range greedy.Actions {
				if st.Legal(a) && (next == greedy.Actions || scores[a] > scores[next]) {
					next = a
				}
			}
			relation := uint8(0)
			if next != greedy.Shift {
				if h, d := st.Arc(next); h <= st.N {
					p.features = st.LabelFeatures(p.features, h, d)
					relation = best(p.label.scores(p.features), 1)
				}
			}
			st.Do(next, relation)
		}
		s.heads, s.relations = slices.Clone(st.Head[:st.N+1]), slices.Clone(st.Rel[:st.N+1])
	}
}

// reverseAll returns the sentences with their words in reverse order.
func reverseAll(sentences []*sentence) []*sentence {
	all := make([]*sentence, len(sentences))
	for i, s := range sentences {
		n := len(s.forms)
		r := &sentence{forms: slices.Clone(s.forms), predicted: slices.Clone(s.predicted), heads: slices.Clone(s.heads), relations: slices.Clone(s.relations)}
		slices.Reverse(r.forms)
		slices.Reverse(r.predicted)
		if r.heads != nil {
			slices.Reverse(r.heads[1:])
			slices.Reverse(r.relations[1:])
		}
		for word, h := range r.heads {
			if word > 0 && h > 0 && h <= n {
				r.heads[word] = n + 1 - h
			}
		}
		all[i] = r
	}
	return all
}
