package values

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

var finder = sync.OnceValue(func() *Finder {
	lex, err := lexicon.Load()
	if err != nil {
		panic(err)
	}
	return New(lex)
})

func find(text string) []Value { return finder().Find(text) }

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Numbers.
		"Two of the 3,000 people left.":                       "2, 3000 people",
		"a cost of $3.5 billion":                              "3.5e+09 USD",
		"the firm has 1.500.000 Kunden":                       "1.5e+06 Kunden",
		"1 386 450 habitants":                                 "1.38645e+06 habitants",
		"0." + strings.Repeat("3", 400) + " m":                "0.333333 metre",
		"$12, 450 people, €139, 280 g, $10, 000 in all":       "12 USD, 450 people, 139 EUR, 280 g, 10000 USD",
		"a $100, 000 bond":                                    "100000 USD",
		"sold 1 500 units, 2 500,50 € and 12 000 kg":          "1500 units, 2500.5 EUR, 12000 kg",
		"1 250 000 euros, 1 000 500 and 3 005 000 m":          "1.25e+06 EUR, 1.0005e+06, 3.005e+06 metre",
		"in 2024 500 people and on May 5 200 people":          "2024-01-01..2024-12-31, 500 people, 125 yearless, 200 people",
		"5 100 g bags, chapter 3 200 pages, day 3 200 people": "5, 100 g, 200 pages, 3, 200 people",
		"In Apollo 11 200 people; 1 5000 and 1 500 6":         "11, 200 people, 1, 5000, 1, 500, 6",
		"1\u202f386\u202f450 habitants":                       "1.38645e+06 habitants",
		"3,5 Prozent der Betriebe":                            "3.5 percent",
		"pages 1,2,3":                                         "1, 2, 3",
		"version 1.2.3 and section 4":                         "1.2.3",
		"at 10.0.0.10, v1.2.3, version 3.10":                  "10.0.0.10, 1.2.3, 3.10",
		"the PIN 0042, id 1234567890123456":                   "0042, 1234567890123456",
		"Python 3.10, 10.0 %, 3.50 m":                         "3.1, 10 percent, 3.5 metre",
		".5 mg, (.05) and $.75":                               "0.5 mg, 0.05, 0.75 USD",
		"Is it.5 mg? Wait ...5 mg":                            "",
		"v.5 and the .7z file":                                "",
		"2e-5, 1.5E6 rows, 1e5":                               "2e-05, 1.5e+06 rows, 100000",
		"1e5f, 2E and 3e5-7":                                  "7",
		"Die Stadt hat 3.500 Einwohner":                       "3500 Einwohner",
		"La tour a 1.500 habitants et un port":                "1500 habitants",
		"The tank holds 1.500 litres":                         "1.5 litre",
		"1.500":                                               "1.5",
		"see Passage 2 and step 3":                            "",
		"no one came; one of them left":                       "",
		"born on march 19 or in may or in february":           "78 yearless, 31..59 yearless",
		"first-half sales and the second half":                "1, 50 percent, 2 half",
		"near Eighty-Eight Beach in Fifty Shades":             "88 Beach, 50 Shades",
		"Ninety Mile Beach and Studio Fifty-Four":             "90 mile, 54",
		"It costs Ten Dollars. Forty people came.":            "10 USD, 40 people",
		"only one office":                                     "1 office",
		"only the second half of the season":                  "2 half",
		"a third party":                                       "3 party",
		"one hundred and five thousand two hundred":           "105200",
		"he gave 110% and 5 more":                             "110 percent, 5",
		"the A4 paper, COVID-19 and B2B":                      "",
		"several hundred people":                              "",
		"500 or more people":                                  ">500 people",
		"100+ partners":                                       ">100 partners",
		"no more than 3 bags":                                 "<3 bags",
		"nobody doubts that it is more than 3 m":              ">3 metre",
		"no fewer than three judges":                          ">3 judges",
		"children under 12":                                   "<12",
		"2½ hours":                                            "2.5 hour",
		"half a million people":                               "500000 people",
		"half of the 58 members":                              "50 percent, 58 members",
		"in half an hour":                                     "0.5 hour",
		"a 330-metre tower":                                   "330 metre",
		"50 km/h":                                             "50 km/h",
		"12 square kilometres":                                "12 square km",
		"it weighs 12 pounds":                                 "12 lb",
		"it costs 12 pounds":                                  "12 GBP",
		"a 3-year-old child":                                  "3 year",
		"US$5 million":                                        "5e+06 USD",
		"EUR 12.50":                                           "12.5 EUR",
		"10 to 20 percent":                                    "10..20 percent",
		"rose from 5 to 7 percent":                            "5 percent, 7 percent",
		"between $5 and $7":                                   "5..7 USD",
		"8 hours a day":                                       "8 hour",
		"three times a week, twice a day":                     "3 times, 2 times",
		"once daily, once more, twice as many":                "1 times",
		"three times as many; a tenfold rise":                 "3 times",
		"between 2 and 3 million dollars":                     "2e+06..3e+06 USD",
		"children aged 5 to 11":                               "5..11 year",
		"in her mid-40s, in his 30s":                          "",
		"two-and-a-half-year":                                 "2.5 year",
		"CO2, H2O, GPT-4o, 1e6 and v2.0":                      "1e+06, 2.0",
		"1'234.50 CHF, 2 1/2 hours, 5 mW, 5 MW, 3 6/7 lots":   "1234.5 CHF, 2.5 hour, 5 mW, 5 MW, 3.85714 lots",
		"1.234,56 Euro":                                       "1234.56 EUR",
		"2億5000万円":                                            "2.5e+08 JPY",
		// Dates and times.
		"from 9 to 5 pm, 9–11 am":                    "540, 1020, 540, 660",
		"on Jan 15, 1967 at noon":                    "1967-01-15, 720",
		"on the 15th of January, 1967":               "1967-01-15",
		"on Monday, 17 July 2023, at 5 p.m.":         "2023-07-17, 1020",
		"Monday–Friday; moved from Monday to Friday": "1..5 weekday, 1 weekday, 5 weekday",
		"Mon-Fri, Sat 9:00":                          "1..5 weekday, 6 weekday, 540",
		"the Sun rose on Tue; Sat in the sun":        "2 weekday",
		"dep 08:15,10:02":                            "495, 602",
		"on Fridays at 19:00":                        "5 weekday, 1140",
		"5 pm EST, 17:00 UTC, 5 pm SAT test":         "1020 EST, 1020 UTC, 1020 SAT",
		"à 14h30, 7 h 05 et vers 9 h":                "870, 425, 540",
		"ouvert 14h, 5 h 30 min":                     "14 hour, 5.5 hour",
		"dreißig Tage":                               "30 day",
		"it may 5 times":                             "5 times",
		"they march 12 miles":                        "12 mile",
		"in May 2020 or on 5 May":                    "2020-05-01..2020-05-31, 125 yearless",
		"in the 1960s and the early 1990s":           "1960-01-01..1969-12-31, 1990-01-01..1993-12-31",
		"in 1967 and 1968":                           "1967-01-01..1967-12-31, 1968-01-01..1968-12-31",
		"from 1914 to 1918":                          "1914-01-01..1914-12-31, 1918-01-01..1918-12-31",
		"the 2021/22 season":                         "2021-01-01..2022-12-31",
		"in the 19th century":                        "1801-01-01..1900-12-31",
		"in the twenty-first century":                "2001-01-01..2100-12-31",
		"in 44 BC":                                   "-43-01-01..-43-12-31",
		"in Q3 2022 and H1 2023":                     "2022-07-01..2022-09-30, 2023-01-01..2023-12-31",
		"the third quarter of 2022":                  "2022-07-01..2022-09-30",
		"06/2026, 13/2026 and 1/2":                   "2026-06-01..2026-06-30, 13, 2026-01-01..2026-12-31, 50 percent",
		"1 tsp of salt, 2 tbsp and 3 qt":             "1 teaspoon, 2 tablespoon, 3 quart",
		"in winter 2021":                             "2021-01-01..2021-12-31",
		"in summer, the spring broke":                "",
		"2000 people in 2000":                        "2000 people, 2000-01-01..2000-12-31",
		"1500 metres":                                "1500 metre",
		"five to ten days":                           "5..10 day",
		"am 3. Oktober 1990 um 14 Uhr":               "1990-10-03, 840",
		"2023年8月16日":                                 "2023-08-16",
		"ينتهي القبول في 28 مايو":                    "148 yearless",
		"60日間":                                       "60 day",
		"before 1 September 2023":                    "<2023-09-01",
		"":                                           "",
	} {
		var got []string
		for _, v := range find(text) {
			got = append(got, show(&v))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// show returns the bounds, the unit and the noun of a value.
func show(v *Value) string {
	end := func(x float64) string {
		if v.Kind == Date && v.Unit == "" {
			y, m, d := civil(x)
			return fmt.Sprintf("%d-%02d-%02d", y, m, d)
		}
		if v.factor > 0 {
			x /= v.factor
		}
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	s := end(v.Low)
	switch {
	case v.label == whole:
		s = v.text
	case math.IsInf(v.High, 1):
		s = ">" + s
	case math.IsInf(v.Low, -1):
		s = "<" + end(v.High)
	case !v.Exact():
		s += ".." + end(v.High)
	}
	return strings.Join(strings.Fields(s+" "+v.Unit+" "+v.Noun), " ")
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"1 500 km at 14h30, 40 Gb/s", "1 500" + strings.Repeat(" 000", 110), "about $3.5 million in 2020", "5-7 days", "an hour and a half", "on 3/4/2020 at 9 am", "2023年8月16日", "three times as many", "\xff1,0\xe2"} {
		f.Add(s, "at least 20 members")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := find(a), find(b)
		end := 0
		for _, v := range x {
			if v.Start < end || v.End <= v.Start || v.End > len(a) {
				t.Fatalf("%q: got value at %d to %d after %d", a, v.Start, v.End, end)
			}
			if utf8.ValidString(a) && !utf8.ValidString(a[v.Start:v.End]) {
				t.Fatalf("%q: value %q splits a character", a, a[v.Start:v.End])
			}
			if !(v.Low <= v.High) {
				t.Fatalf("%q: got bounds %v to %v", a, v.Low, v.High)
			}
			end = v.End
			if got := Mentions(&v, &v); got != Equal && got != Entailed {
				t.Fatalf("%q: %v mentions itself: got %v", a, v, got)
			}
			if got := Compare(&v, &v); got != Equal && got != Entailed {
				t.Fatalf("%q: got %v of %v with itself", a, got, v)
			}
		}
		for _, v := range x {
			for _, w := range y {
				if r := Mentions(&v, &w); r == Equal && Similarity(&v, &w) < 0 {
					t.Fatalf("%q, %q: got negative similarity", a, b)
				}
				if there, back := Compare(&v, &w), Compare(&w, &v); (there == Equal) != (back == Equal) || (there == Incomparable) != (back == Incomparable) {
					t.Fatalf("%q, %q: got %v and %v", a, b, there, back)
				}
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"dense", "The museum opened on 22 August 1998 and has 24,300 seats, more than any other in the country. " +
			"Gates open 90 minutes before the start, and a seat costs from 18 to 46 dollars, which most visitors find cheap. " +
			"In the last decade the town grew by a third, as the council says in its report on the plans for the new district. "},
		{"prose", "The council had argued about the plans for the new district for a long while, and most of the people who lived there " +
			"had given up hope of seeing them carried out before their children left school. When the work began in spring 1994, " +
			"nobody could say how it would be paid for, since the old mill and the land around it belonged to somebody else. "},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := strings.Repeat(c.text, 50)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var vs []Value
			words := finder().lex.Tokens(nil, text)
			for b.Loop() {
				vs = finder().Append(vs[:0], text, words)
			}
		})
	}
}
