package segment

import (
	"fmt"
	"strings"
	"testing"
)

func benchmarkText(b *testing.B, text, lang string) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Sentences(text, lang)
	}
}

const english1k = "The Curiosity rover landed on Mars in Aug. 2012 after a journey of 8.5 months. Dr. Smith, who led the team at the U.S. " +
	"laboratory, said it was \"a great day.\" Mission control reported the first picture at 5:32 a.m. Pacific time. The wheels are 50 cm wide, i.e. " +
	"twice as large as before, and carry a mass of 899 kg! What did they find? In the years that followed it climbed 625 m of Mount Sharp. [2]\n\n" +
	"Key results include:\n\n1. **Water**: the crater once held a lake.\n2. **Organics**: complex molecules were found in rocks.\n" +
	"- Radiation on the way was measured for the first time.\n\nThe mission goes on to this day (NASA, 2021). It was built by the Jet Propulsion Lab. " +
	"More than 100 papers have been written about it, among them several in Nature and Science. The next rover carries a helicopter.\n"

func BenchmarkSentencesEnglish(b *testing.B) {
	benchmarkText(b, strings.Repeat(english1k, 1000), "")
}

// Throughput should be the same for both lengths. The repetitions would expose quadratic
// time; only some languages have rules for quotations and clauses.
func BenchmarkSentencesIsLinear(b *testing.B) {
	languages := map[string]string{"„a ": "sk", "‘a ": "ru", "«": "ru", "\" ": "it", "'a ": "de", "،a ": "ar", "12. A ": "de"}
	for _, unit := range []string{
		".", "a. ", "A. ", "\n", "`", "```\n", "!", ". ", "\"", "*", "(", "[", "「", "…", "。", "1. ", "1. A 2. ", "- ", "a", " ", "|", "#", "> ",
		"> > ", ">", "x\n", "a, ", ".[1]", ". (A", ". [", ".)", ". )", ":", ": 1", ".\"", "\u3000", "\xff", "• ", "e.g. ", "a.a", "I. T", "~~~~\n`", ". :)", "-\n", "....A ", "..\n", ". - ", "A.B ", "://", "http://a.b ", "00/00/00 00:00 AM ", "____________________ ", "Regards, A", "a.pdf - ", "“a ", "```  ", "    x = 1\n", "a|b\n", "?a ", ".1 ", "X. If ",
	} {
		languages[unit] = ""
	}
	for unit, lang := range languages {
		for _, size := range []int{1 << 17, 1 << 20} {
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) { benchmarkText(b, strings.Repeat(unit, size/len(unit)), lang) })
		}
	}
}
