package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

// A parser learns actions with a dynamic oracle and exploration (Goldberg and Nivre
// 2013), and relations of correct arcs.
type parser struct {
	action, label *perceptron
	classes       *greedy.Table
	in            greedy.Sentence
	state         greedy.State
	features      []uint32
	random        *rand.Rand
}

func newParser(relations int, classes *greedy.Table, seed uint64) *parser {
	return &parser{action: newPerceptron(int(greedy.Actions), 4), label: newPerceptron(relations, 3), classes: classes, random: rand.New(rand.NewPCG(seed, 2))}
}

// trainParsers trains models in different orders of the sentences. They see silver only in
// the first half of the epochs, so that the treebank weighs more.
func trainParsers(n, relations int, classes *greedy.Table, sentences, silver []*sentence) []*parser {
	parsers := make([]*parser, n)
	var group sync.WaitGroup
	for i := range parsers {
		group.Go(func() {
			p := newParser(relations, classes, uint64(i))
			for epoch := range epochs {
				explore, seen := 0.9, sentences
				if epoch == 0 {
					explore = 0
				}
				if epoch < epochs/2 {
					seen = slices.Concat(sentences, silver)
				}
				p.epoch(seen, explore)
			}
			p.action.average(actionScale)
			p.label.average(labelScale)
			parsers[i] = p
		})
	}
	group.Wait()
	return parsers
}

// sumParsers adds the weights of parsers.
func sumParsers(parsers []*parser) (action, label greedy.Weights) {
	action, label = greedy.Weights{}, greedy.Weights{}
	for _, p := range parsers {
		action, label = sum(action, p.action.weights()), sum(label, p.label.weights())
	}
	return action, label
}

// epoch trains on all sentences once, in random order. explore is the probability of
// following the action that the parser prefers.
func (p *parser) epoch(sentences []*sentence, explore float64) {
	sentences = slices.Clone(sentences)
	p.random.Shuffle(len(sentences), func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
	for _, s := range sentences {
		if p.random.Float64() < 0.1 {
			s = s.withoutEnd()
		}
		p.in.Read(s.forms, p.classes)
		copy(p.in.Tags[1:], s.predicted)
		p.learn(s, explore)
	}
}

// withoutEnd returns a sentence without the punctuation at its end, as headings and
// list items are.
func (s *sentence) withoutEnd() *sentence {
	n := len(s.forms)
	if n < 2 || !strings.ContainsAny(s.forms[n-1], ".!?:;") || slices.Contains(s.heads[1:], n) {
		return s
	}
	short := &sentence{forms: s.forms[:n-1], predicted: s.predicted[:n-1], heads: slices.Clone(s.heads[:n]), relations: s.relations[:n]}
	for i, h := range short.heads {
		if h == n+1 {
			short.heads[i] = n
		}
	}
	return short
}

func (p *parser) learn(s *sentence, explore float64) {
	st := &p.state
	st.Reset(&p.in)
	for !st.Done() {
		p.features = st.ActionFeatures(p.features)
		scores := p.action.scores(p.features)
		least := len(s.heads)
		var costs [greedy.Actions]int
		for a := range greedy.Actions {
			if st.Legal(a) {
				costs[a] = cost(st, s.heads, a)
				least = min(least, costs[a])
			}
		}
		next, right := greedy.Actions, greedy.Actions
		for a := range greedy.Actions {
			if !st.Legal(a) {
				continue
			}
			if next == greedy.Actions || scores[a] > scores[next] {
				next = a
			}
			if costs[a] == least && (right == greedy.Actions || scores[a] > scores[right]) {
				right = a
			}
		}
		if costs[next] != least {
			p.action.learn(p.features, uint8(right), uint8(next))
			if p.random.Float64() >= explore {
				next = right
			}
		}
		p.action.step++
		st.Do(next, p.relation(s, next))
	}
}

// relation returns the relation of the arc of an action: the correct one if the arc is,
// learning from a mistake, otherwise the one that is predicted.
func (p *parser) relation(s *sentence, a greedy.Action) uint8 {
	if a == greedy.Shift {
		return 0
	}
	h, d := p.state.Arc(a)
	if h == p.state.N+1 {
		return 0
	}
	p.features = p.state.LabelFeatures(p.features, h, d)
	relation := best(p.label.scores(p.features), 1)
	if s.heads[d] != h || s.relations[d] == unknown {
		return relation
	}
	if right := s.relations[d]; relation != right {
		p.label.learn(p.features, right, relation)
	}
	p.label.step++
	return s.relations[d]
}

// cost returns how many correct arcs an action makes impossible.
func cost(s *greedy.State, heads []int, a greedy.Action) int {
	n := 0
	count := func(lost bool) {
		if lost {
			n++
		}
	}
	if a == greedy.Shift {
		for i, word := range s.Stack {
			count(heads[word] == s.Next)
			count(s.Next <= s.N && heads[s.Next] == word && i < len(s.Stack)-1)
		}
		return n
	}
	top := s.Stack[len(s.Stack)-1]
	for word := s.Next; word <= s.N; word++ {
		count(heads[word] == top)
	}
	if a == greedy.Left {
		count(heads[top] > s.Next)
		count(len(s.Stack) > 1 && heads[top] == s.Stack[len(s.Stack)-2])
	} else {
		count(heads[top] >= s.Next)
	}
	return n
}
