package lexical

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestOnlyValuesAndNegationsContradict(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, tt := range []struct {
		name, context, claim string
		want                 basis
	}{
		{"verbatim", "The pump runs at night.", "The pump runs at night.", basisVerbatim},
		{"stated", "At night the pump runs.", "The pump runs at night.", basisStated},
		{"close", "The old pump in the cellar runs mostly at night.", "The old pump in the cellar runs loudly at night.", basisClose},
		{"number", "The pump moves 40 litres a minute.", "The pump moves 60 litres a minute.", basisValue},
		{"negation", "The pump does not run at night.", "The pump runs at night.", basisNegation},
		{"opposite", "The request was approved by the board.", "The request was rejected by the board.", basisNegation},
		{"a negative noun", "An institutional failure at the paper resulted in a flawed article.", "The paper published a flawed article as a result.", basisWords},
		{"missing words", "The pump runs at night.", "The pump was built by volunteers from Leeds.", basisMissing},
		{"no word in common", "The pump runs at night.", "Volunteers sang.", basisNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := j.getScratch()
			defer j.putScratch(s)
			task := newTask("", []string{tt.context}, tt.claim)
			s.reset()
			if err := j.match(t.Context(), s, task.Claims, task.Contexts); err != nil {
				t.Fatal(err)
			}
			v, b := j.decide(s, &s.claims[0], task.Contexts)
			if b != tt.want {
				t.Errorf("%q: got basis %d, score %.2f (%s), want %d", tt.claim, b, v.Score, v.Reason, tt.want)
			}
			want := verdict.NotMentioned
			switch tt.want {
			case basisValue, basisNegation:
				want = verdict.Contradicted
			case basisClose, basisStated, basisVerbatim:
				want = verdict.Supported
			case basisNone, basisMissing, basisWords:
			}
			if got := j.conclude(s, &s.claims[0], task.Contexts); got.Label != want || len(got.Evidence) > 0 && got.Evidence[0].Role != verdict.RoleOf(want) {
				t.Errorf("%q: got %v with evidence %+v, want %v", tt.claim, got.Label, got.Evidence, want)
			}
		})
	}
}

func TestClaimDiffersFromWhatItRepeats(t *testing.T) {
	t.Parallel()
	const context = "The old pump in the cellar delivers 60 litres a minute. The number of its workshop is 555-0198, or repair@pump.org."
	for claim, want := range map[string]bool{
		"The old pump in the cellar delivers 40 litres a minute.":         true,
		"The old pump in the cellar doesn't deliver 60 litres a minute.":  true,
		"The old pump in the cellar delivers 60 litres a minute.":         false,
		"The number of its workshop is 555-0199.":                         true,
		"Write to its workshop at repair@pumps.org.":                      true,
		"The number of its workshop is 555-0198.":                         false,
		"Its old pump delivers barely more than 40 litres in one minute.": false,
	} {
		v := judge(t, newJudge(t, Options{}), newTask("", []string{context}, claim))[0]
		if v.Differs != want || want && v.Label == verdict.Supported {
			t.Errorf("%q: got %v, differs %v (%s), want %v", claim, v.Label, v.Differs, v.Reason, want)
		}
	}
}

func TestConfidenceFollowsTheScore(t *testing.T) {
	t.Parallel()
	for b := basisNone; b <= basisVerbatim; b++ {
		last := 0.0
		for i := range 100 {
			score := float64(i) / 200 // not supported
			if b.label().String() == "supported" {
				score = 1 - score
			}
			c := b.confidence(score)
			if c <= 0 || c >= 1 {
				t.Fatalf("basis %d, score %v: got confidence %v", b, score, c)
			}
			if b < basisValue && c >= 0.7 {
				t.Errorf("basis %d, score %v: got confidence %v, want less than 0.7 for other words", b, score, c)
			}
			if b != basisWords && i > 0 && c > last {
				t.Errorf("basis %d, score %v: got confidence %v, want at most %v, that of a clearer score", b, score, c, last)
			}
			last = c
		}
	}
}
