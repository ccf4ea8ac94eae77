package quantity

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

func loadLexicon(t *testing.T) *lexicon.Lexicon {
	t.Helper()
	l, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func parse(l *lexicon.Lexicon, text string) []Value {
	return Append(nil, len(text)+1, l, text, l.Tokens(nil, text))
}

func TestAppendParsesNumbersAndDates(t *testing.T) {
	t.Parallel()
	l := loadLexicon(t)
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
		for _, v := range parse(l, text) {
			switch v.Kind {
			case Date:
				got = append(got, fmt.Sprintf("%d-%d-%d", v.year, v.month, v.day))
			case Decade:
				got = append(got, fmt.Sprintf("%ds", v.year))
			case Number:
				got = append(got, strings.TrimSpace(fmt.Sprintf("%.6g %s", v.Num, l.Units[v.Unit].Name)))
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
		if got := significantDigits(s); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	l := loadLexicon(t)
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
		checkMatch(t, l, c.claim, c.context, c.want)
	}
}

// checkMatch parses one value from each text and compares them.
func checkMatch(t *testing.T, l *lexicon.Lexicon, claim, context string, want bool) {
	t.Helper()
	a, b := parse(l, claim), parse(l, context)
	if len(a) != 1 || len(b) != 1 {
		t.Errorf("got %d values of %q and %d of %q, want 1 of each", len(a), claim, len(b), context)
		return
	}
	if got := a[0].Match(&b[0], l) > 0; got != want {
		t.Errorf("claim %q, context %q: got match %v, want %v", claim, context, got, want)
	}
}

func TestMatchComparesShares(t *testing.T) {
	t.Parallel()
	l := loadLexicon(t)
	for _, c := range []struct {
		claim, context string
		want           bool
	}{
		{"20% of them", "a fifth of them", true},
		{"20% of them", "one in five", true},
		{"20% of them", "one-fifth", true},
		{"a fifth of them", "20 percent", true},
		{"a fifth of them", "25 percent", false},
		{"50%", "half of the town", true},
		{"half of the town", "50%", true},
		{"75%", "three quarters", true},
		{"75%", "3 out of 4", true},
		{"75%", "3/4", true},
		{"33%", "a third of them", true},
		{"66.7%", "two-thirds", true},
		{"two thirds", "67 percent", true},
		{"two thirds", "70 percent", false},
		{"two thirds", "one third of", false},
		{"more than half of them", "62%", true},
		{"20 people", "a fifth of them", false},
		{"five people", "five out of six", true},
	} {
		checkMatch(t, l, c.claim, c.context, c.want)
	}
	for _, s := range []string{"the fifth attempt", "a third party", "the second half of the season", "the fourth quarter of 2020", "two tenths of a second", "one in three weeks", "five in 2020"} {
		for _, v := range parse(l, s) {
			if v.Fraction {
				t.Errorf("%q: got share %v, want none", s, v.Num)
			}
		}
	}
}
