package eval

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCodePointsMatchRunes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "abcdefgh", strings.Repeat("x", 63), "é", "🌕", "\xff", "日本", "\xe2\x80"}
	var p codePoints
	for range 500 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		runes := []rune(text)
		p.reset(text)
		start := random.IntN(len(runes) + 1)
		end := start + random.IntN(len(runes)-start+2)
		got, ok := p.slice(start, end)
		if ok != (end <= len(runes)) || p.len() != len(runes) {
			t.Fatalf("%q from %d to %d: got %v and length %d, want length %d", text, start, end, ok, p.len(), len(runes))
		}
		if ok && utf8.RuneCountInString(got) != end-start || ok && utf8.ValidString(text) && got != string(runes[start:end]) {
			t.Fatalf("%q from %d to %d: got %q, want %q", text, start, end, got, string(runes[start:end]))
		}
	}
}
