package values

import "testing"

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, stated string // the first value of each is compared
		want          Relation
	}{
		// Numbers, notation and rounding.
		{"3,000 people", "three thousand people", Equal},
		{"3.9 million packs", "3,898,747 packs", Entailed},
		{"3.5 million packs", "3,898,747 packs", Contradicted},
		{"about 31,700 people", "31,682 people", Entailed},
		{"31,700 people", "31,682 people", Contradicted},
		{"some 614,000 units", "613,900 units", Entailed},
		{"nearly 20,000 tonnes", "19,640 tonnes", Entailed},
		{"nearly 20,000 tonnes", "20,400 tonnes", Contradicted},
		{"just over 40 seats", "41 seats", Entailed},
		{"just over 40 seats", "39 seats", Contradicted},
		{"a dozen eggs", "12 eggs", Equal},
		{"two dozen eggs", "24 eggs", Equal},
		{"a couple of days", "2 days", Equal},
		{"twenty-one ships", "21 ships", Equal},
		{"one hundred and five ships", "105 ships", Equal},
		{"the third attempt", "the 3rd attempt", Equal},
		{"the third attempt", "the fourth attempt", Contradicted},
		{"the twelfth night", "twelve nights", Incomparable},
		{"18", "81", Contradicted},
		{"2.4", "2.38", Entailed},
		{"2.38", "2.4", Undecided},
		{"530 000 km", "530,000 km", Equal},
		{"a litre and a half", "1.5 litres", Equal},
		{"12 m2", "12 m²", Equal},
		{"3/4 litre", "0.75 litres", Equal},
		{"approx. 20,000 tonnes", "19,900 tonnes", Entailed},
		{"18 degrees below zero", "-18 °C", Equal},
		{"-5 °C", "minus 5 degrees Celsius", Equal},

		// Bounds and ranges.
		{"at least 20 members", "25 members", Entailed},
		{"at least 20 members", "20 members", Entailed},
		{"at least 20 members", "19 members", Contradicted},
		{"more than 30 members", "34 members", Entailed},
		{"more than 30 members", "30 members", Contradicted},
		{"more than 3,000 members", "over 3,400 members", Entailed},
		{"at least 14 days", "at least 30 days", Contradicted},
		{"up to 60 hours", "up to 40 hours", Contradicted},
		{"at most four zones", "up to four zones", Equal},
		{"at least four zones", "up to four zones", Contradicted},
		{"no fewer than 8 judges", "a minimum of 8 judges", Equal},
		{"fewer than 12 people", "11 people", Entailed},
		{"fewer than 12 people", "12 people", Contradicted},
		{"20 or more people", "at least 20 people", Equal},
		{"5-7 days", "five to seven days", Equal},
		{"between 5 and 7 days", "from 5 to 7 days", Equal},
		{"between 5 and 10 days", "7 days", Entailed},
		{"between 5 and 10 days", "12 days", Contradicted},
		{"6 days", "5–7 days", Undecided},
		{"up to 50 tablets", "6 tablets", Undecided},
		{"up to 50 tablets", "5 to 6 tablets", Undecided},
		{"up to 6 tablets", "5 to 6 tablets", Entailed},
		{"a maximum of 5 books", "5 books", Entailed},
		{"at least 3 seats", "5 seats", Entailed},
		{"not $40", "$40", Contradicted},
		{"not $40", "$50", Entailed},
		{"$40", "anything but $40", Contradicted},
		{"C$40", "US$40", Incomparable},
		{"a weekly fee of $40", "an annual fee of $40", Incomparable},

		// Shares.
		{"half of the staff", "50% of the staff", Equal},
		{"a third of the staff", "33% of the staff", Entailed},
		{"a quarter of the staff", "25 percent of the staff", Equal},
		{"two thirds of the staff", "67% of the staff", Entailed},
		{"one in five adults", "20% of adults", Equal},
		{"three out of four adults", "75 per cent of adults", Equal},
		{"more than half of the adults", "62% of adults", Entailed},
		{"more than half of the adults", "48% of adults", Contradicted},
		{"rose 5 percentage points", "rose 5%", Incomparable},
		{"10 percent", "10 dollars", Incomparable},

		// Money.
		{"$3.5 billion", "3.5bn dollars", Equal},
		{"€530,000,000", "530 million euros", Equal},
		{"5,000 dollars", "$5,000", Equal},
		{"$49", "€49", Incomparable},
		{"1,386,450 pounds", "£1,386,450", Equal},
		{"about $2.7 billion", "$2,748,310,000", Entailed},
		{"50 cents", "$0.50", Equal},

		// Measures.
		{"912,000 metres", "912 km", Equal},
		{"9,120 metres", "912 km", Contradicted},
		{"2.35 kg", "2,350 g", Equal},
		{"330 metres", "1,083 feet", Entailed},
		{"about 3 miles", "5 km", Entailed},
		{"5 km", "5 miles", Contradicted},
		{"5 km", "5 kg", Incomparable},
		{"68 °F", "20 °C", Equal},
		{"10 mph", "16 km/h", Entailed},

		// Durations.
		{"90 minutes", "an hour and a half", Equal},
		{"an hour and a quarter", "75 minutes", Equal},
		{"an hour and three quarters", "75 minutes", Contradicted},
		{"half an hour", "30 minutes", Equal},
		{"one and a half years", "18 months", Equal},
		{"a day and a half", "36 hours", Equal},
		{"two weeks", "14 days", Equal},
		{"a fortnight", "14 days", Equal},
		{"more than 240 minutes", "over 4 hours", Equal},
		{"2 hours 30 minutes", "150 minutes", Equal},
		{"a decade", "ten years", Equal},
		{"a year", "365 days", Entailed},
		{"a three-day trip", "72 hours", Equal},

		// Times of day.
		{"at 09:00", "at 9 am", Equal},
		{"at 1 pm", "at 13:00", Equal},
		{"at noon", "at 12:00", Equal},
		{"at midnight", "at 00:00", Equal},
		{"at 10 am", "at 13:00", Contradicted},
		{"at 7 o'clock", "at 7:00 a.m.", Equal},

		// Dates.
		{"14 March 1879", "1879-03-14", Equal},
		{"March 14th, 1879", "14.03.1879", Equal},
		{"on March the 14th", "on Tuesday the 14th of March", Equal},
		{"on 3/4/2020", "4 March 2020", Equal},
		{"on 3/4/2020", "3 April 2020", Equal},
		{"on 3/4/2020", "5 April 2020", Contradicted},
		{"in spring 2021", "in April 2021", Entailed},
		{"in 2021", "on 5 April 2021", Entailed},
		{"on 5 April 2021", "in 2021", Undecided},
		{"in the 1990s", "in 1994", Entailed},
		{"in the 19th century", "in 1853", Entailed},
		{"in the nineteenth century", "in 1953", Contradicted},
		{"in Q3 2022", "in August 2022", Entailed},
		{"in early 2020", "in February 2020", Entailed},
		{"in late 2020", "in February 2020", Contradicted},
		{"in mid-2020", "in June 2020", Entailed},
		{"on a Monday", "on 17 July 2023", Entailed},
		{"on a Tuesday", "on 17 July 2023", Contradicted},
		{"before 1 December 2023", "before 1 September 2023", Contradicted},
		{"after 2015", "in 2017", Entailed},
		{"24 December", "24 December 2023", Entailed},
		{"25 December", "24 December 2023", Contradicted},
		{"on the first of May", "on 1 May", Equal},
		{"in 44 BC", "in 44 AD", Contradicted},
		{"am 20. März 1998", "20 March 1998", Equal},
		{"el 14 de abril de 2022", "el 14 de agosto de 2022", Contradicted},
		{"2023年8月16日", "16 August 2023", Equal},
		{"2023年6月16日", "2023年8月16日", Contradicted},
		{"bis zu 60 Stunden", "bis zu 40 Stunden", Contradicted},

		{"fell by a third", "fell by 33%", Entailed},
	} {
		a, b := Find(c.claim), Find(c.stated)
		if len(a) == 0 || len(b) == 0 {
			t.Errorf("got values %v of %q and %v of %q, want 1 of each", a, c.claim, b, c.stated)
			continue
		}
		if got := Compare(&a[0], &b[0]); got != c.want {
			t.Errorf("claim %q (%v), stated %q (%v): got %v, want %v", c.claim, a[0], c.stated, b[0], got, c.want)
		}
	}
}
