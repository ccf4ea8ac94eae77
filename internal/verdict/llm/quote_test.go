package llm

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuotesAreExactOrDropped(t *testing.T) {
	const chunk = "Ünder the “Act of 1990”,\n  the firm’s net\u00a0income rose 4\u2009% — to €5 million; it’s co\u00adoperative. İstanbul ẞ."
	for _, tt := range []struct{ quote, want string }{
		{"the firm’s net\u00a0income rose", "the firm’s net\u00a0income rose"},
		{"the firm's net income rose", "the firm’s net\u00a0income rose"},
		{"THE \"ACT OF 1990\", the firm's", "the “Act of 1990”,\n  the firm’s"},
		{"“the firm’s net income”", "the firm’s net\u00a0income"},
		{"- to €5 million", "— to €5 million"},
		{"it's cooperative", "it’s co\u00adoperative"},
		{"...net income rose 4 % …", "net\u00a0income rose 4\u2009%"},
		{"Under the … the firm's net income rose … million", "the firm’s net\u00a0income rose"},
		{"istanbul", "İstanbul"},
		{"İSTANBUL", "İstanbul"},
		{"rose 5 %", ""},
		{"", ""},
		{" ", ""},
		{"—", ""},
		{"…", ""},
		{"Act of 1991", ""},
		{strings.Repeat("x", 1000), ""},
	} {
		start, end, ok := find(chunk, tt.quote)
		if ok != (tt.want != "") || chunk[start:end] != tt.want {
			t.Errorf("%q: got %q, want %q", tt.quote, chunk[start:end], tt.want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("The “Act of 1990”", "the \"act")
	f.Add("a\u00adb\xff c", "AB")
	f.Add("İİİ x", "i̇i̇ X")
	f.Fuzz(func(t *testing.T, chunk, quote string) {
		start, end, ok := find(chunk, quote)
		if !ok {
			return
		}
		if start < 0 || end > len(chunk) || start >= end {
			t.Fatalf("got range %d:%d, want one inside %d bytes", start, end, len(chunk))
		}
		if utf8.ValidString(chunk) && !utf8.ValidString(chunk[start:end]) {
			t.Errorf("got quote %q, want whole characters", chunk[start:end])
		}
	})
}

func TestReasonIsOneLine(t *testing.T) {
	if got := reasonLine(" a\r\n\x1b[31mb\u202e\u200b\tc\x00 "); got != "a [31mb c" {
		t.Errorf("got %q, want %q", got, "a [31mb c")
	}
	if got := reasonLine(strings.Repeat("ä", 600)); utf8.RuneCountInString(got) != maxReason+1 {
		t.Errorf("got %d runes, want %d", utf8.RuneCountInString(got), maxReason+1)
	}
}
