package segment

import (
	"fmt"
	"testing"
)

func TestWordSetLookup(t *testing.T) {
	s, want := newWordSet(), map[string]uint64{}
	for i := range 6000 { // enough to make the table grow
		word := fmt.Sprintf("%x", i*7) + "abcdefghijklmnopqrst"[:i%20]
		word = word[:min(len(word), maxWord)]
		want[word] |= 1 << (i % 60)
		s.add(word, 1<<(i%60))
	}
	s.add("", 1)
	s.add("the", 1)
	s.add("the", 4)
	want["the"] = 5
	for word, set := range want {
		var buf [maxWord]byte
		for i := range buf {
			buf[i] = 'x' // remains of a longer word
		}
		if got := s.lookup(&buf, copy(buf[:], word)); got != set {
			t.Fatalf("%q: got %b, want %b", word, got, set)
		}
		for _, other := range []string{word + "q", "q" + word, word[:len(word)-1]} {
			if n := copy(buf[:], other); n > 0 && len(other) <= maxWord && s.lookup(&buf, n) != want[other] {
				t.Fatalf("%q: got %b, want %b", other, s.lookup(&buf, n), want[other])
			}
		}
	}
}
