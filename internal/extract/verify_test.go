package extract

import (
	"slices"
	"strings"
	"testing"
)

// Restates reports whether text may be a claim that [Sentences] extracts from
// sentence. It does not depend on details of Markdown parsing, which may change
// between versions. If the sentence contains Markdown, HTML or possible
// citations, text may be any subsequence of it. If the sentence may be a table
// row, any text is accepted.
func Restates(text, sentence string) bool {
	if text == sentence || text == strings.TrimSpace(sentence) {
		return true
	}
	marked := strings.ContainsAny(sentence, "*_`[~<\\\n\t") || strings.Contains(sentence, "  ") || slices.ContainsFunc([]byte(sentence), mayStartCut) || strings.Contains(sentence, `":`) // JSON
	if marked {
		sentence = expandEntities(sentence)
		text = strings.ReplaceAll(text, sourcePlaceholder, "")
	}
	if strings.IndexByte(sentence, '|') >= 0 { // a claim has column headings
		return true
	}
	if !marked {
		return false
	}
	for i := range len(text) {
		if text[i] == ' ' {
			continue
		}
		at := strings.IndexByte(sentence, text[i])
		if at < 0 {
			return false
		}
		sentence = sentence[at+1:]
	}
	return true
}

// expandEntities inserts the decoded character after each HTML entity and JSON
// escape in s, since a claim may contain either form.
func expandEntities(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		char, n := "", 0
		switch s[i] {
		case '&':
			char, n = htmlEntity(s, i)
		case '\\':
			char, n = jsonEscape(s, i)
		}
		if n > 0 {
			b.WriteString(s[i+1 : i+n])
			b.WriteString(char)
			i += n - 1
		}
	}
	return b.String()
}

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
