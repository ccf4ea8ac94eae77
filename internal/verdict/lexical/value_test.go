package lexical

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

func read(l *lexicon.Lexicon, text string) []value {
	return values(nil, len(text)+1, l, text, l.Tokens(nil, text))
}

func TestValuesOfAText(t *testing.T) {
	t.Parallel()
	l, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"on Jan 15, 1967 at noon":            "1967-1-15",
		"on January 15 , 1967 at noon":       "1967-1-15",
		"on the 15th of January, 1967":       "1967-1-15",
		"born 14 March 1879":                 "1879-3-14",
		"am 20. März 1998":                   "1998-3-20",
		"le 20 mars 1998":                    "1998-3-20",
		"el 14 de marzo de 1879":             "1879-3-14",
		"1.500.000 Einwohner":                "1.5e+06",
		"1967-01-15T10:00":                   "1967-1-15 10 0",
		"by 31.12.1999":                      "1999-12-31",
		"by 12/31/1999":                      "1999-12-31",
		"in March 2020":                      "2020-3-0",
		"on 5 May":                           "0-5-5",
		"it may 5 times":                     "5",
		"in the 1960s":                       "1960s",
		"in 1967 and 1968":                   "1967 1968",
		"3,000 people":                       "3000",
		"three thousand people":              "3000",
		"two hundred and five":               "200 5",
		"twenty-one years":                   "21 year",
		"five hundred thousand":              "500000",
		"$3.5 billion":                       "3.5e+09 dollar",
		"$3.5bn in cash":                     "3.5e+09 dollar",
		"12% of 40 percent":                  "12 percent 40 percent",
		"5 km and 5km":                       "5 km 5 km",
		"at -12 degrees":                     "-12",
		"pages 10-12":                        "10 12",
		"a 330-metre tower":                  "330 metre",
		"see Passage 2 and step 3":           "",
		"version 1.2.3":                      "1 2 3",
		"one or two":                         "1 2",
		"nothing of the kind, hundred times": "",
	} {
		var got []string
		for _, v := range read(l, text) {
			switch v.kind {
			case date:
				got = append(got, fmt.Sprintf("%d-%d-%d", v.year, v.month, v.day))
			case decade:
				got = append(got, fmt.Sprintf("%ds", v.year))
			case number:
				got = append(got, strings.TrimSpace(fmt.Sprintf("%.6g %s", v.num, l.Units[v.unit].Name)))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %s, want %s", text, s, want)
		}
	}
}

func TestSignificantDigits(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"78,000": 2, "78": 2, "100": 1, "0": 1, "000": 1, "": 1, "0.05": 1, "1.50": 3, "10.0": 3, "1,500.000": 7,
		"5.": 1, "50.": 2, "three": 1, "3.5bn": 2, "1905": 4, "0120": 2,
	} {
		if got := significant(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestWhatOneValueSaysOfAnother(t *testing.T) {
	t.Parallel()
	l, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim, context string
		want           bool
	}{
		{"15 January 1967", "1967-01-15", true},
		{"January 1967", "15 January 1967", true},
		{"1967", "15 January 1967", true},
		{"in the 1960s", "in 1967", true},
		{"in the 19th century", "in 1853", true},
		{"in the 19th century", "in 1953", false},
		{"14 March 1879", "20 March 1879", false},
		{"3/4/2020", "4 March 2020", true},
		{"3/4/2020", "3 April 2020", true},
		{"3/4/2020", "5 April 2020", false},
		{"5 km", "5,000 metres", true},
		{"5 km", "5 miles", false},
		{"330 metres", "1,083 feet", true},
		{"5 percent", "5 dollars", false},
		{"5", "5 dollars", true},
		{"about 31,700 people", "31,682 people", true},
		{"31,700 people", "31,682 people", false},
		{"more than 3,000 people", "3,412 people", true},
		{"more than 3,000 people", "2,900 people", false},
		{"two hours", "120 minutes", true},
		{"1.500 Mitarbeiter", "1500 Mitarbeiter", true},
		{"1500", "1.500 Mitarbeiter", true},
		{"1.500 Mitarbeiter", "1600 Mitarbeiter", false},
		{"1.5", "1500", false},
	} {
		checkHolds(t, l, c.claim, c.context, c.want)
	}
}

// checkHolds reads the one value of each text and fails t where that of the
// context does not say that of the claim as want has it.
func checkHolds(t *testing.T, l *lexicon.Lexicon, claim, context string, want bool) {
	t.Helper()
	a, b := read(l, claim), read(l, context)
	if len(a) != 1 || len(b) != 1 {
		t.Errorf("%q has %d values, %q %d", claim, len(a), context, len(b))
		return
	}
	if got := a[0].holds(&b[0], l) > 0; got != want {
		t.Errorf("%q of %q: %v", claim, context, got)
	}
}

func TestNumbersOfTextThatWasCutIntoWords(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	v := judge(t, j, task("", []string{"One bookie has taken five bets for more than $ 10, 000 on the party."}, "One bookie has taken five bets for more than $10,000 on the party."))[0]
	if v.Label.String() != "supported" {
		t.Errorf("%v: %s", v.Label, v.Reason)
	}
}
