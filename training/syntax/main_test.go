package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

const treebank = `# text = Dogs don't bark.
1	Dogs	dog	NOUN	NNS	_	4	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	VBP	_	4	aux	_	_
3	n't	not	PART	RB	_	4	advmod	_	_
4	bark	bark	VERB	VB	_	0	root	_	SpaceAfter=No
5	.	.	PUNCT	.	_	4	punct	_	_

# text = Geese see dogs
1	Geese	goose	NOUN	NNS	_	2	nsubj	_	_
2	see	see	VERB	VBP	_	0	root	_	_
3	dogs	dog	NOUN	NNS	_	2	obj	_	_

`

func read(t *testing.T, text string) (sentences []*sentence, tags, relations *names, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bank.conllu")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tags, relations = newNames(""), newNames("root")
	sentences, err = readTreebank(path, tags, relations)
	return sentences, tags, relations, err
}

func TestReadTreebank(t *testing.T) {
	sentences, tags, relations, err := read(t, treebank)
	if err != nil || len(sentences) != 2 {
		t.Fatalf("got %d sentences and %v, want 2", len(sentences), err)
	}
	s := sentences[0]
	if want := []string{"Dogs", "do", "n't", "bark", "."}; !slices.Equal(s.forms, want) {
		t.Errorf("got words %q, want %q", s.forms, want)
	}
	if want := []int{6, 4, 4, 4, 6, 4}; !slices.Equal(s.heads, want) {
		t.Errorf("got heads %v, want %v", s.heads, want)
	}
	if got := tags.list[s.tags[3]] + " " + relations.list[s.relations[1]]; got != "VERB|VB nsubj" {
		t.Errorf("got %s, want VERB|VB nsubj", got)
	}
	if got := len(s.spans()); got != 5 {
		t.Errorf("got %d places of words, want 5", got)
	}
	if _, _, _, err := read(t, "1\tx\n"); err == nil || !strings.Contains(err.Error(), ":1: want 10 fields, got 2") {
		t.Errorf("got error %v, want one with the line", err)
	}
}

func TestReadTreebankKeepsUnknownHeadsApart(t *testing.T) {
	sentences, _, relations, err := read(t, "1\tDogs\t_\tNOUN\tNNS\t_\t_\tnsubj\t_\t_\n2\tbark\t_\tVERB\tVBP\t_\t0\troot\t_\t_\n\n")
	if err != nil || len(sentences) != 1 {
		t.Fatalf("got %d sentences and %v, want 1", len(sentences), err)
	}
	s := sentences[0]
	if want := []int{0, 3}; !slices.Equal(s.heads[1:], want) {
		t.Errorf("got heads %v, want %v", s.heads[1:], want)
	}
	if s.relations[1] != unknown || relations.list[s.relations[2]] != "root" {
		t.Errorf("got relations %v, want an unknown one and root", s.relations[1:])
	}
}

func TestPickSentencesTakesOneOfEachText(t *testing.T) {
	got := pickSentences([]string{"Too short. It wasn't the only cat there.", "None here."})
	if want := "It was n't the only cat there .\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTrainingLearnsTheTreebank(t *testing.T) {
	sentences, tags, relations, err := read(t, strings.Repeat(treebank, 5))
	if err != nil {
		t.Fatal(err)
	}
	tagger := trainTagger(sentences, nil, nil, len(tags.list), 8, 0)
	p := newParser(len(relations.list), tagger.classes, 1)
	for _, s := range sentences {
		s.predicted = s.tags
	}
	for range 12 {
		p.epoch(sentences, 0.9)
	}
	p.action.average(actionScale)
	p.label.average(labelScale)
	f := &greedy.File{Tags: tags.list, Relations: relations.list, Classes: formClasses(sentences), Tag: tagger.weights(), Action: p.action.weights(), Label: p.label.weights()}
	m, err := greedy.NewModel(f.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var scratch greedy.Scratch
	for _, s := range sentences[:2] {
		gotTags, gotHeads, gotRelations := m.Parse(s.forms, &scratch)
		wantHeads := make([]int, len(s.forms))
		for i, h := range s.heads[1:] {
			wantHeads[i] = h - 1
			if h > len(s.forms) {
				wantHeads[i] = -1
			}
		}
		if !slices.Equal(gotTags, s.tags) || !slices.Equal(gotHeads, wantHeads) || !slices.Equal(gotRelations, s.relations[1:]) {
			t.Errorf("%s: got %v, %v, %v, want %v, %v, %v", s.text, gotTags, gotHeads, gotRelations, s.tags, wantHeads, s.relations[1:])
		}
	}
}

// TestActionsWithoutCostLeadToTheTree builds random projective trees by random actions,
// and finds each again by actions that cost nothing.
func TestActionsWithoutCostLeadToTheTree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var in greedy.Sentence
	in.Read(strings.Fields("a b c d e f g h"), greedy.NewClasses(nil))
	build := func(choose func(*greedy.State, greedy.Action) bool) []int {
		var st greedy.State
		st.Reset(&in)
		for !st.Done() {
			a := greedy.Action(random.IntN(int(greedy.Actions)))
			if st.Legal(a) && choose(&st, a) {
				st.Do(a, 0)
			}
		}
		return slices.Clone(st.Head[:in.N+1])
	}
	for range 200 {
		want := build(func(*greedy.State, greedy.Action) bool { return true })
		got := build(func(st *greedy.State, a greedy.Action) bool {
			least := in.N
			for b := range greedy.Actions {
				if st.Legal(b) {
					least = min(least, cost(st, want, b))
				}
			}
			if least > 0 {
				t.Fatalf("got cost %d for all actions on the way to %v", least, want)
			}
			return cost(st, want, a) == 0
		})
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestAugmentMakesQuestionsAndRelativeClauses(t *testing.T) {
	const text = `1	She	she	PRON	PRP	_	2	nsubj	_	_
2	left	leave	VERB	VBD	_	0	root	_	_
3	early	early	ADV	RB	_	2	advmod	_	_
4	.	.	PUNCT	.	_	2	punct	_	_

1	We	we	PRON	PRP	_	3	nsubj	_	_
2	can	can	AUX	MD	_	3	aux	_	_
3	see	see	VERB	VB	_	0	root	_	_
4	it	it	PRON	PRP	_	3	obj	_	_
5	.	.	PUNCT	.	_	3	punct	_	_

1	You	you	PRON	PRP	_	2	nsubj	_	_
2	know	know	VERB	VBP	_	0	root	_	_
3	them	they	PRON	PRP	_	2	obj	_	_
4	.	.	PUNCT	.	_	2	punct	_	_

1	Old	old	ADJ	JJ	_	2	amod	_	_
2	men	man	NOUN	NNS	_	3	nsubj	_	_
3	slept	sleep	VERB	VBD	_	0	root	_	_
4	.	.	PUNCT	.	_	3	punct	_	_

`
	sentences, tags, relations, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range augment(sentences, tags, relations) {
		var line strings.Builder
		for i, form := range s.forms {
			head := "root"
			if h := s.heads[i+1]; h <= len(s.forms) {
				head = s.forms[h-1]
			}
			line.WriteString(form + ":" + relations.list[s.relations[i+1]] + ":" + head + " ")
		}
		got = append(got, strings.TrimSpace(line.String()))
	}
	want := []string{
		"Did:aux:leave she:nsubj:leave leave:root:root early:advmod:leave ?:punct:leave",
		"Do:aux:know you:nsubj:know know:root:root them:obj:know ?:punct:know",
		"Old:amod:men men:nsubj:slept ,:punct:left who:nsubj:left left:acl:relcl:men early:advmod:left ,:punct:left slept:root:root .:punct:slept",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
