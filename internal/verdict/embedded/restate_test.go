package embedded

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
)

func newFinder(t *testing.T) func(text string) []values.Value {
	t.Helper()
	lex, err := lexicon.Load()
	if err != nil {
		t.Fatal(err)
	}
	return values.New(lex).Find
}

func TestRestateWritesValuesAsThePassageDoes(t *testing.T) {
	t.Parallel()
	find := newFinder(t)
	for _, tt := range []struct{ passage, claim, want string }{
		{"The museum has 1,250 paintings.", "It holds 1250 paintings.", "It holds 1,250 paintings."},
		{"The tunnel is 12 km long.", "The tunnel is 12,000 metres long.", "The tunnel is 12 km long."},
		{"It lands at 15:25 on 14 May 1961.", "It lands at 3:25 pm on 1961-05-14.", "It lands at 15:25 on 14 May 1961."},
		{"Check-in is from 3:00 PM.", "It starts at 15:00.", "It starts at 3:00 PM."},
		{"The trail is 5 km long.", "It is about 3 miles long.", "It is about 5 km long."},
		{"The trail is 5 km long.", "It is 3 miles long.", "It is 3 miles long."},
		{"It costs GBP 5.99.", "It costs £5.99.", "It costs GBP 5.99."},
		{"It lasts 24 months.", "It lasts two years.", "It lasts 24 months."},
		{"It opens at 12:00.", "It opens at noon.", "It opens at 12:00."},
		{"It takes a 9-day trip.", "It takes 9 days.", "It takes 9 days."},                            // in the same digits
		{"It has four doors.", "It has 4 doors.", "It has 4 doors."},                                  // read without help
		{"The tunnel is 12 km long.", "The tunnel is 13,000 m long.", "The tunnel is 13,000 m long."}, // another value
		{"At most 12 km are paved.", "12,000 metres are paved.", "12,000 metres are paved."},          // a limit
		{"3 out of 4 members voted for it.", "6 out of 8 members voted for it.", "6 out of 8 members voted for it."},
		{"It weighs 1.250 kg.", "It weighs 1250 kg.", "It weighs 1250 kg."},
		{"It took place on 03/04/2020.", "It took place on 04/03/2020.", "It took place on 04/03/2020."},
		{"The club has 2,000 members.", "The club was founded in 2000.", "The club was founded in 2000."},
		{"Of 12 km, 12,000 m are paved.", "12,000 metres are paved.", "12,000 metres are paved."},
	} {
		if got := apply(tt.claim, restate(tt.claim, tt.passage, find(tt.claim), find(tt.passage))); got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.claim, tt.passage, got, tt.want)
		}
	}
}

func TestOriginalUndoesEdits(t *testing.T) {
	t.Parallel()
	edits := []edit{{3, 9, "12 km"}, {12, 13, "1,000"}} // "is 12,000, m 5 days" becomes "is 12 km, m 1,000 days"
	for _, tt := range [][2][2]int{
		{{0, 2}, {0, 2}}, {{3, 5}, {3, 9}}, {{6, 8}, {3, 9}}, {{8, 9}, {9, 10}}, {{11, 12}, {12, 13}}, {{16, 17}, {13, 14}},
	} {
		if got := original(tt[0], edits); got != tt[1] {
			t.Errorf("%v: got %v, want %v", tt[0], got, tt[1])
		}
	}
}

// The network does not know that 12,000 metres are 12 km; the values that it reads are those of the passage, and its marks those of the claim.
func TestValuesInOtherNotationsAreRead(t *testing.T) {
	t.Parallel()
	const passage = "The new tunnel is 12 km long and took six years to dig."
	o := Options{Lexical: unclear(2), Values: newFinder(t)}
	const wrong = "The new tunnel, 12,000 metres long, has collapsed."
	got := judgeAnswer(t, o, "", []string{passage}, "The new tunnel is 12,000 metres long.", wrong)
	if got[0].Score < 0.7 || got[1].Score > 0.3 {
		t.Errorf("got scores %v and %v, want more than 0.7 and less than 0.3", got[0].Score, got[1].Score)
	}
	if spans := got[1].Unsupported; len(spans) == 0 || wrong[spans[len(spans)-1].Start:spans[len(spans)-1].End] != "has collapsed" {
		t.Errorf("got marks %v, want “has collapsed” last", spans)
	}
}
