package clusters

import "testing"

func TestLikeWordsShareACluster(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"arthritis", "asthma", true},
		{"monday", "tuesday", true},
		{"asthma", "tuesday", false},
		{"kilometers", "miles", true},
	} {
		a, foundA := Of(tt.a)
		b, foundB := Of(tt.b)
		if got := a/(Fine/Coarse) == b/(Fine/Coarse); got != tt.want || !foundA || !foundB {
			t.Errorf("%s and %s: got clusters %d and %d, want the same: %v", tt.a, tt.b, a, b, tt.want)
		}
	}
	if _, found := Of("Xyzzy"); found {
		t.Error("got a cluster of a word that has none")
	}
}

func TestAllYieldsEachWordOnce(t *testing.T) {
	words := map[string]bool{}
	for word, cluster := range All() {
		if words[word] || cluster < 0 || cluster >= Fine {
			t.Errorf("got %s again or in cluster %d", word, cluster)
		}
		words[word] = true
	}
	if len(words) != Words {
		t.Errorf("got %d words, want %d", len(words), Words)
	}
}
