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

func classTable(classes map[uint32]uint32) *greedy.Table {
	t := greedy.NewTable(len(classes))
	for key, class := range classes {
		t.Put(key, class)
	}
	return t
}

// A tagger is trained by averaging over epochs.
type tagger struct {
	*perceptron
	classes  *greedy.Table
	in       greedy.Sentence
	features []uint32
}

func trainTagger(sentences []*sentence, tags, epochs int, seed uint64) *tagger {
	t := &tagger{perceptron: newPerceptron(tags, 2), classes: classTable(formClasses(sentences))}
	random := rand.New(rand.NewPCG(seed, 1))
	sentences = slices.Clone(sentences)
	for range epochs {
		random.Shuffle(len(sentences), func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
		for _, s := range sentences {
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

// jackknife sets the predicted tags of each sentence by a tagger that has not seen it,
// so that the parser learns from tags like those that it will get.
func jackknife(sentences []*sentence, tags int) {
	const folds = 8
	var group sync.WaitGroup
	limit := make(chan struct{}, 2)
	for fold := range folds {
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			var others []*sentence
			for i, s := range sentences {
				if i%folds != fold {
					others = append(others, s)
				}
			}
			t := trainTagger(others, tags, 4, uint64(fold))
			for i := fold; i < len(sentences); i += folds {
				sentences[i].predicted = slices.Clone(t.tag(sentences[i], false))
			}
		})
	}
	group.Wait()
}
