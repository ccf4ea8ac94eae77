package values

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Numbers.
		"Two of the 3,000 people left.":             "2 3,000 people",
		"a cost of $3.5 billion":                    "$3.5 billion",
		"the firm has 1.500.000 Kunden":             "1.5 million Kunden",
		"1 386 450 habitants":                       "1 386 450 habitants",
		"1\u202f386\u202f450 habitants":             "1,386,450 habitants",
		"3,5 Prozent der Betriebe":                  "3.5%",
		"pages 1,2,3":                               "1 2 3",
		"version 1.2.3 and section 4":               "",
		"see Passage 2 and step 3":                  "",
		"no one came; one of them left":             "",
		"born on march 19 or in may or in february": "19 March February",
		"first-half sales and the second half":      "1st 2nd half",
		"near Eighty-Eight Beach in Fifty Shades":   "",
		"Ninety Mile Beach and Studio Fifty-Four":   "",
		"It costs Ten Dollars. Forty people came.":  "$10 40 people",
		"only one office":                           "1 office",
		"only the second half of the season":        "2nd half",
		"a third party":                             "3rd party",
		"one hundred and five thousand two hundred": "105,200",
		"he gave 110% and 5 more":                   "110% 5",
		"the A4 paper, COVID-19 and B2B":            "",
		"several hundred people":                    "",
		"500 or more people":                        "at least 500 people",
		"100+ partners":                             "at least 100 partners",
		"no more than 3 bags":                       "at most 3 bags",
		"no fewer than three judges":                "at least 3 judges",
		"children under 12":                         "less than 12",
		"2½ hours":                                  "2 hours 30 minutes",
		"half a million people":                     "500,000 people",
		"half of the 58 members":                    "50% 58 members",
		"in half an hour":                           "30 minutes|0.5 hours",
		"a 330-metre tower":                         "330 metres",
		"50 km/h":                                   "50 km/h",
		"12 square kilometres":                      "12 square km",
		"it weighs 12 pounds":                       "12 lb",
		"it costs 12 pounds":                        "£12",
		"a 3-year-old child":                        "3 years",
		"US$5 million":                              "$5 million",
		"EUR 12.50":                                 "€12.50",
		"10 to 20 percent":                          "10% to 20%",
		"rose from 5 to 7 percent":                  "5% 7%",
		"between $5 and $7":                         "$5 to $7",
		"8 hours a day":                             "8 hours",
		"three times a week, twice a day":           "3 times",
		"three times as many; a tenfold rise":       "3 10",
		"between 2 and 3 million dollars":           "$2 million to $3 million",
		"children aged 5 to 11":                     "5 years to 11 years",
		"in her mid-40s, in his 30s":                "",
		"two-and-a-half-year":                       "2.5 years",
		"CO2, H2O, GPT-4o, 1e6 and v2.0":            "",
		"1.234,56 Euro":                             "€1,234.56",
		"2億5000万円":                                  "¥250 million",
		// Dates and times.
		"from 9 to 5 pm, 9–11 am":            "09:00 17:00 09:00 11:00",
		"at 0900 hours":                      "09:00",
		"on Jan 15, 1967 at noon":            "15 January 1967 12:00",
		"on the 15th of January, 1967":       "15 January 1967",
		"on Monday, 17 July 2023, at 5 p.m.": "17 July 2023 17:00",
		"on Fridays at 19:00":                "Friday 19:00",
		"it may 5 times":                     "5 times",
		"they march 12 miles":                "12 miles",
		"in May 2020 or on 5 May":            "May 2020 5 May",
		"in the 1960s and the early 1990s":   "1960s 1990 to 1993",
		"in 1967 and 1968":                   "1967 1968",
		"from 1914 to 1918":                  "1914 1918",
		"the 2021/22 season":                 "2021 to 2022",
		"in the 19th century":                "1801 to 1900",
		"in the twenty-first century":        "2001 to 2100",
		"in 44 BC":                           "44 BC",
		"in Q3 2022 and H1 2023":             "July 2022 to September 2022 January 2023 to June 2023",
		"in winter 2021":                     "December 2021 to February 2022",
		"in summer, the spring broke":        "June to August",
		"2000 people in 2000":                "2,000 people 2000",
		"1500 metres":                        "1,500 metres",
		"at half past six":                   "06:30",
		"at ten to nine":                     "08:50",
		"five to ten days":                   "5 days to 10 days",
		"am 3. Oktober 1990 um 14 Uhr":       "3 October 1990 14:00",
		"2023年8月16日":                         "16 August 2023",
		"ينتهي القبول في 28 مايو":            "28 May",
		"60日間":                               "60 days",
		"before 1 September 2023":            "before 1 September 2023",
		"":                                   "",
	} {
		var got []string
		for _, v := range Find(text) {
			s := v.String()
			if v.Noun != "" && v.Kind != Multiple {
				s += " " + v.Noun
			}
			got = append(got, s)
		}
		ok := false
		for w := range strings.SplitSeq(want, "|") {
			ok = ok || strings.Join(got, " ") == w
		}
		if !ok {
			t.Errorf("%q: got %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestFindReadsTextsLongerThanItsWindow(t *testing.T) {
	t.Parallel()
	const n = 1000
	text := strings.Repeat("Of the many words, about $3.5 million, at least 20 members and 90 minutes were stated. ", n)
	vs := Find(text)
	if len(vs) != 3*n {
		t.Fatalf("got %d values, want %d", len(vs), 3*n)
	}
	for i := range vs {
		if got, want := vs[i].String(), vs[i%3].String(); got != want {
			t.Fatalf("value %d: got %v, want %v", i, got, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"about $3.5 million in 2020", "5-7 days", "an hour and a half", "on 3/4/2020 at 9 am", "2023年8月16日", "three times as many", "\xff1,0\xe2"} {
		f.Add(s, "at least 20 members")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Find(a), Find(b)
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
			_ = v.String()
			if len(v.AppendKeys(nil, true)) == 0 || len(v.AppendKeys(nil, false)) == 0 {
				t.Fatalf("%q: got no keys for %v", a, v)
			}
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
			for b.Loop() {
				vs = Append(vs[:0], text)
			}
		})
	}
}
