package clusters

import (
	"maps"
	"testing"
)

func TestLikeWordsShareACluster(t *testing.T) {
	clusters := maps.Collect(All())
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"arthritis", "asthma", true},
		{"monday", "tuesday", true},
		{"asthma", "tuesday", false},
		{"kilometers", "miles", true},
	} {
		a, foundA := clusters[tt.a]
		b, foundB := clusters[tt.b]
		if got := a/(Fine/Coarse) == b/(Fine/Coarse); got != tt.want || !foundA || !foundB {
			t.Errorf("%s and %s: got clusters %d and %d, want the same: %v", tt.a, tt.b, a, b, tt.want)
		}
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
