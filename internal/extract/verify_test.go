package extract

import "testing"

func TestRestates(t *testing.T) {
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
		{"City: Paris; Pop: 2", "Paris &#124; 2", true},
		{"It's at http://x.y/?a=1&copy=2 in Paris.", "It&#39;s at http://x.y/?a=1&copy=2 in Paris.", true},
		{"The operator &lt;= isn't ok: use 3 > 2.", "The operator `&lt;=` isn&#39;t ok: use 3 &gt; 2.", true},
		{"It is at the source.", "It is at [1].", true},
		{"It costs $20.", "It costs $10 [1].", false},
		{"It is wet &amp; dry.", "It is dry &amp; wet.", false},
	} {
		if got := Restates(tt.text, tt.sentence); got != tt.want {
			t.Errorf("Restates(%q, %q): got %t, want %t", tt.text, tt.sentence, got, tt.want)
		}
	}
}
