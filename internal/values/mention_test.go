package values

import "testing"

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, stated string // the first value of each is compared
		want          Relation
	}{
		{"January 1967", "on 15 January 1967", Entailed},
		{"15 January 1967", "in January 1967", Undecided},
		{"15 January 1967", "in 1967", Incomparable},
		{"in 1967", "on 15 January", Incomparable},
		{"on Monday", "on 17 July 2023", Incomparable},
		{"in the 19th century", "in 1853", Entailed},
		{"in the 19th century", "in 1953", Contradicted},
		{"before 2015", "in 2015", Equal},
		{"before 2015", "in 2011", Contradicted},
		{"until 3 May", "from 3 May", Equal},
		{"twice a day", "two times a day", Equal},
		{"twice daily", "once daily", Contradicted},
		{"twice daily", "twice a week", Incomparable},
		{"5 km", "5", Entailed},
		{"5 km", "5 dollars", Incomparable},
		{"$50 m", "£50million", Incomparable},
		{"£ 50 m", "£50million", Equal},
		{"$1bn", "$1.5bn", Contradicted},
		{"20 people", "more than 20 people", Equal},
		{"25 people", "more than two dozen people", Contradicted},
		{"more than 3,000 people", "3,412 people", Entailed},
		{"more than 3,000 people", "2,900 people", Contradicted},
		{"at most 50 people", "3 people", Contradicted},
		{"5-7 days", "five to seven days", Equal},
		{"5-7 days", "5 days", Contradicted},
		{"7 days", "5-7 days", Equal},
		{"6 days", "5-7 days", Contradicted},
		{"$10,000", "$10, 000 on the party", Equal},
		{"1.500 Mitarbeiter", "1500 Mitarbeiter", Equal},
		{"1500", "1.500 Mitarbeiter", Equal},
		{"1.5", "1500", Incomparable},
		{"a fifth of them", "20 people", Incomparable},
		{"five people", "five out of six people", Entailed},
	} {
		a, b := find(c.claim), find(c.stated)
		if len(a) == 0 || len(b) == 0 {
			t.Errorf("got values %v of %q and %v of %q, want 1 of each", a, c.claim, b, c.stated)
			continue
		}
		if got := Mentions(&a[0], &b[0]); got != c.want {
			t.Errorf("claim %q (%v), stated %q (%v): got %v, want %v", c.claim, a[0], c.stated, b[0], got, c.want)
		}
	}
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, nearer, farther string
	}{
		{"12 km", "12 miles", "40 km"},
		{"$49", "$45", "$4"},
		{"$49", "€49", "$4"},
		{"14 March 1879", "20 March 1879", "20 April 1955"},
		{"1989", "1998", "1066"},
		{"12 km", "13", "13 people"},
	} {
		v, a, b := find(c.claim), find(c.nearer), find(c.farther)
		if x, y := Similarity(&v[0], &a[0]), Similarity(&v[0], &b[0]); x < y || x+y > 0 && x == y {
			t.Errorf("%q: got similarity %.2f of %q and %.2f of %q, want the first to be higher", c.claim, x, c.nearer, y, c.farther)
		}
	}
}
