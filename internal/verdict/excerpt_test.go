package verdict

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	for _, c := range []struct {
		text string
		at   int
		want string
	}{
		{"Water damage is covered.", 0, "“Water damage is covered.”"},
		{"  Water\n\tdamage\r\nis covered. ", 0, "“Water damage is covered.”"},
		{"Water\x00 da\u200bmage \x1b[31mis\u202e covered", 0, "“Water damage [31mis covered”"},
		{"a \xff b", 0, "“a \ufffd b”"},
		{"1. Water damage [3] is covered.²", 0, "“1. Water damage [3] is covered.²”"},
		{long + "needle " + long, len(long), "“…" + strings.Repeat("word ", 6) + "needle " + strings.TrimSpace(strings.Repeat("word ", 19)) + "…”"},
		{long, 0, "“" + strings.TrimSpace(strings.Repeat("word ", 28)) + "…”"},
		{long, 1 << 20, "“…" + strings.TrimSpace(strings.Repeat("word ", 28)) + "”"},
		{"", 0, "“”"},
	} {
		if got := Excerpt(c.text, c.at); got != c.want {
			t.Errorf("%q at %d: got %s, want %s", c.text, c.at, got, c.want)
		}
	}
}

func TestInMarker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, part string
		want       bool
	}{
		{"3. Rinse 4 glasses.", "3", true},
		{"3. Rinse 4 glasses.", "4", false},
		{"- 12) Rinse", "12", true},
		{"It costs 12) Rinse", "12", false},
		{"Rinse it [3] twice", "3", true},
		{"Rinse it [1, 23] twice", "23", true},
		{"Rinse it [Doc. 7] twice", "7", true},
		{"Rinse it [for $7] twice", "7", false},
		{"[1] It has 7 rooms", "7", false},
		{"14. März 1998", "14", false},
		{"1998. It was", "1998", false},
	} {
		i := strings.Index(c.text, c.part)
		if got := InMarker(c.text, i, i+len(c.part)); got != c.want {
			t.Errorf("%q in %q: got %t, want %t", c.part, c.text, got, c.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("Water [3] damage\n1. is² covered.", 3)
	f.Add("\xff\u202e東京", 100)
	f.Add("[[[[1", -1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		got := Excerpt(text, at)
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "“"), "”")
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) || utf8.RuneCountInString(inner) > excerptLength+2 {
			t.Errorf("%q at %d: got %q, want a line of valid UTF-8 of limited length", text, at, got)
		}
		at = min(max(at, 0), len(text))
		InMarker(text, at, len(text))
	})
}
