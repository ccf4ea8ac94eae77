package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

// formClasses numbers the sets of tags that forms have: those of at least a tenth of
// the occurrences of a form that occurs three times or more.
func formClasses(sentences []*sentence) map[uint32]uint32 {
	counts := map[uint32]map[uint8]int{}
	for _, s := range sentences {
		for i, form := range s.forms {
			key := greedy.FormKey(form)
			if counts[key] == nil {
				counts[key] = map[uint8]int{}
			}
			counts[key][s.tags[i]]++
		}
	}
	keys := make([]uint32, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	sets, classes := map[string]uint32{}, map[uint32]uint32{}
	for _, key := range keys {
		total := 0
		var set []uint8
		for _, n := range counts[key] {
			total += n
		}
		for tag, n := range counts[key] {
			if n*10 >= total {
				set = append(set, tag)
			}
		}
		if total < 3 || key == 0 {
			continue
		}
		slices.SortFunc(set, func(a, b uint8) int {
			return cmp.Or(counts[key][b]-counts[key][a], int(a)-int(b))
		})
		name := string(set[:min(len(set), 3)])
		if sets[name] == 0 {
			sets[name] = uint32(len(sets) + 1)
		}
		classes[key] = sets[name]
	}
	return classes
}

// addGroups adds the groups of forms to their classes.
func addGroups(classes, groups map[uint32]uint32) map[uint32]uint32 {
	for key, group := range groups {
		classes[key] = greedy.ClassValue(classes[key], group)
	}
	return classes
}

// A tagger is trained by averaging over epochs.
type tagger struct {
	*perceptron
	classes  *greedy.Table
	in       greedy.Sentence
	features []uint32
}

// trainTagger learns from the treebank, and from silver in the first half of the epochs.
func trainTagger(sentences, silver []*sentence, groups map[uint32]uint32, tags, epochs int, seed uint64) *tagger {
	t := &tagger{perceptron: newPerceptron(tags, 2), classes: greedy.NewClasses(addGroups(formClasses(sentences), groups))}
	random := rand.New(rand.NewPCG(seed, 1))
	for epoch := range epochs {
		seen := slices.Clone(sentences)
		if epoch < epochs/2 {
			seen = append(seen, silver...)
		}
		random.Shuffle(len(seen), func(i, j int) { seen[i], seen[j] = seen[j], seen[i] })
		for _, s := range seen {
			t.tag(s, true)
		}
	}
	t.average(tagScale)
	return t
}

// tag returns the tags of a sentence; they are valid until the next call.
func (t *tagger) tag(s *sentence, learn bool) []uint8 {
	t.in.Read(s.forms, t.classes)
	for i, right := range s.tags {
		t.features = t.in.Features(t.features, i+1)
		tag := best(t.scores(t.features), 1)
		if learn {
			if tag != right {
				t.learn(t.features, right, tag)
			}
			t.step++
		}
		t.in.Tags[i+1] = tag
	}
	return t.in.Tags[1 : len(s.forms)+1]
}

// trainTaggers trains taggers in different orders of the sentences.
func trainTaggers(sentences, silver []*sentence, groups map[uint32]uint32, tags int) [2]*tagger {
	var taggers [2]*tagger
	var group sync.WaitGroup
	for i := range taggers {
		group.Go(func() { taggers[i] = trainTagger(sentences, silver, groups, tags, 6, uint64(i)) })
	}
	group.Wait()
	return taggers
}

// sumTaggers adds the weights of taggers.
func sumTaggers(taggers [2]*tagger) greedy.Weights {
	weights := greedy.Weights{}
	for _, t := range taggers {
		weights = sum(weights, t.weights())
	}
	return weights
}

// jackknife sets the predicted tags of each sentence, by a tagger that has not seen it,
// so that what is trained next learns from tags like those that it will get.
func jackknife(sentences, silver []*sentence, groups map[uint32]uint32, tags int) {
	const folds = 4
	split := func(all []*sentence, fold int) (in, out []*sentence) {
		for _, s := range all {
			if s.source%folds == fold {
				in = append(in, s)
			} else {
				out = append(out, s)
			}
		}
		return in, out
	}
	var group sync.WaitGroup
	limit := make(chan struct{}, 2)
	for fold := range folds {
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			hidden, seen := split(sentences, fold)
			hiddenSilver, seenSilver := split(silver, fold)
			t := trainTagger(seen, seenSilver, groups, tags, 4, uint64(fold))
			for _, s := range slices.Concat(hidden, hiddenSilver) {
				s.predicted = slices.Clone(t.tag(s, false))
			}
		})
	}
	group.Wait()
}
