package lemma

import "testing"

func TestRulesFindLemmas(t *testing.T) {
	table := New("make\nplan\nhope\nhop\nsing\nsinge\nvisit\nagree\nfill\nuse\nhouse\npass\nV was be\nN children child\nJ better good\n")
	tests := []struct{ form, tag, want string }{
		{"Making", "VBG", "make"},
		{"planned", "VBD", "plan"},
		{"hoping", "VBG", "hope"},
		{"hopping", "VBG", "hop"},
		{"singing", "VBG", "sing"},
		{"visited", "VBN", "visit"},
		{"filled", "VBD", "fill"},
		{"agreed", "VBD", "agree"},
		{"tries", "VBZ", "try"},
		{"watches", "VBZ", "watch"},
		{"uses", "VBZ", "use"},
		{"passes", "VBZ", "pass"},
		{"houses", "NNS", "house"},
		{"boxes", "NNS", "box"},
		{"policies", "NNS", "policy"},
		{"children", "NNS", "child"},
		{"happier", "JJR", "happy"},
		{"biggest", "JJS", "big"},
		{"better", "JJR", "good"},
		{"better", "VB", "better"},
		{"was", "VBD", "be"},
		{"Paris", "NNP", "paris"},
		{"states", "NNPS", "state"},
		{"bless", "VB", "bless"},
		{"s", "NNS", "s"},
		{"ed", "VBD", "ed"},
		{"", "NN", ""},
	}
	for _, tt := range tests {
		if got := table.Of(tt.form, tt.tag); got != tt.want {
			t.Errorf("%s/%s: got %s, want %s", tt.form, tt.tag, got, tt.want)
		}
	}
}
