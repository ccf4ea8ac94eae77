package greedy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// file is a small model with weights of each sign.
func file() *File {
	weights := func(classes uint8) Weights {
		w := Weights{key1(0, 0): {{Class: 1, Value: -256}, {Class: classes - 1, Value: 255}}}
		for i := range uint32(50) {
			w[i*i+1] = []Weight{{Class: uint8(i) % classes, Value: int16(i) - 30}}
		}
		return w
	}
	return &File{
		Tags: []string{"", "NOUN|NN", "VERB|VB"}, Relations: []string{"root", "nsubj", "obj"},
		Classes: map[uint32]uint32{FormKey("Dog"): ClassValue(7, 9)}, Tag: weights(3), Action: weights(3), Label: weights(3),
	}
}

func TestModelFileKeepsWeights(t *testing.T) {
	f := file()
	m, err := NewModel(f.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Tags, f.Tags) || !slices.Equal(m.Relations, f.Relations) {
		t.Errorf("got %v, %v, want %v, %v", m.Tags, m.Relations, f.Tags, f.Relations)
	}
	if got := newWord("dOG", m.classes); got.class != 7 || got.group != 9 || got.theme == 0 || got.topic == 0 {
		t.Errorf("got %+v, want class 7, group 9 and clusters", got)
	}
	for key, weights := range f.Action {
		var want [Actions]int32
		for _, w := range weights {
			want[w.Class] += int32(w.Value)
		}
		if got := m.action.actions([]uint32{key, 12345678}); got != want {
			t.Errorf("feature %d: got actions %v, want %v", key, got, want)
		}
		var got [Actions]int32
		if m.label.scores([]uint32{key, 12345678}, got[:]); got != want {
			t.Errorf("feature %d: got %v, want %v", key, got, want)
		}
	}
}

func TestDamagedModelFilesAreErrors(t *testing.T) {
	data := file().Bytes()
	for n := range data {
		if _, err := NewModel(data[:n]); err == nil {
			t.Errorf("got no error for the first %d of %d bytes", n, len(data))
		}
	}
	if _, err := NewModel(append(slices.Clone(data), 0)); err == nil {
		t.Error("got no error for an additional byte")
	}
}

func TestTableFindsValues(t *testing.T) {
	inverse := inverse // not a constant: products overflow
	random := rand.New(rand.NewPCG(1, 1))
	want := map[uint32]uint32{0: 1}
	for range 3000 {
		want[random.Uint32()] = random.Uint32() | 1
		want[random.Uint32N(1<<20)*inverse] = random.Uint32() | 1 // few large buckets
		want[random.Uint32N(1<<20)<<12*inverse] = random.Uint32() | 1
	}
	var keys, values []uint32
	for key, value := range want {
		keys, values = append(keys, key), append(values, value)
	}
	table := NewTable(keys, values)
	for key := range want {
		// Other keys of the same bucket and the next ones, most of them without a value
		asked := []uint32{key, key + inverse, key - inverse, key + inverse<<16, key ^ 1<<31}
		var found []uint32
		for _, key := range asked {
			if got := table.Find(key); got != want[key] {
				t.Fatalf("key %d: got %d, want %d", key, got, want[key])
			}
			if want[key] != 0 {
				found = append(found, want[key])
			}
		}
		if got := table.lookup(asked, new([maxFeatures]uint32)); !slices.Equal(got, found) {
			t.Fatalf("keys %d: got %d, want %d", asked, got, found)
		}
	}
}

func TestMarksBetweenWordsAreCounted(t *testing.T) {
	var in Sentence
	in.Read(strings.Fields("dogs , cats , , , , and ( that ) birds"), NewClasses(nil))
	var st State
	st.Reset(&in)
	for _, tt := range []struct {
		a, b int
		want uint32
	}{
		{1, 3, 1},
		{1, 2, 0},
		{0, 3, 0},
		{3, 9, 3 | 1<<2},
		{8, 12, 2<<4 | 1<<6},
	} {
		if got := st.between(tt.a, tt.b); got != tt.want {
			t.Errorf("between words %d and %d: got %b, want %b", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestEveryPathOfActionsEndsInATree takes legal actions at random.
func TestEveryPathOfActionsEndsInATree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var in Sentence
	var st State
	for n := range 30 {
		in.Read(strings.Fields(strings.Repeat("dog ", n)), NewTable(nil, nil))
		for range 20 {
			st.Reset(&in)
			for !st.Done() {
				a := Action(random.IntN(int(Actions)))
				if !st.Legal(a) {
					continue
				}
				st.ActionFeatures(nil)
				if a != Shift {
					h, d := st.Arc(a)
					st.LabelFeatures(nil, h, d)
				}
				st.Do(a, 1)
			}
			roots := 0
			for word := 1; word <= n; word++ {
				steps := 0
				for at := word; at != n+1; at = st.Head[at] {
					if steps++; steps > n {
						t.Fatalf("got a cycle in %v", st.Head)
					}
				}
				if st.Head[word] == n+1 {
					roots++
				}
			}
			if want := min(n, 1); roots != want {
				t.Fatalf("got %d roots of %d words, want %d", roots, n, want)
			}
		}
	}
}
