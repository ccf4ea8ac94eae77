package extract

import "testing"

func TestAClaimRestatesItsSentence(t *testing.T) {
	for _, tt := range []struct {
		text, sentence string
		want           bool
	}{
		{"It is dry.", "It is dry.", true},
		{"It is dry.", " It is dry.", true},
		{"It is wet.", "It is dry.", false},
		{"It is dry", "It is dry.", false},
		{"", "It is dry.", false},
		{"It is dry.", "It is **dry**.", true},
		{"It is wet.", "It is **dry**.", false},
		{"dry It is.", "It is **dry**.", false},
		{"a: 1; b: 2", "| 1 | 2 |", true},
	} {
		if got := Restates(tt.text, tt.sentence); got != tt.want {
			t.Errorf("Restates(%q, %q): got %v, want %v", tt.text, tt.sentence, got, tt.want)
		}
	}
}
