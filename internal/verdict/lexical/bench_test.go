package lexical

import (
	"strings"
	"testing"
)

func BenchmarkJudge(b *testing.B) {
	j := newJudge(b, Options{})
	fact := "The museum of Dakar closed the stadium on 5 November 1853, and about 31700 people restored it. "
	other := "The company of Lisbon designed the council on 14 January 1858, and 36,700 people filmed it. "
	contexts := []string{strings.Repeat(fact, 2) + other, strings.Repeat(other, 3) + fact}
	task := newTask("What is known of the museum?", contexts, strings.TrimSpace(fact), strings.TrimSpace(other), "The council of Austin restored the stadium on 8 January 1884.")
	n := 0
	for _, c := range contexts {
		n += len(c)
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		judge(b, j, task)
	}
}

func BenchmarkLongContext(b *testing.B) {
	j := newJudge(b, Options{})
	text := strings.Repeat("In 1853 the museum, about 31,700 visitors strong, closed for 12 days; nobody objected to it at all. ", 10_000)
	claims := make([]string, 100)
	for i := range claims {
		claims[i] = "The museum had 31,700 visitors in 1853 and closed for 12 days."
	}
	task := newTask("", []string{text}, claims...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		judge(b, j, task)
	}
}
