package lexical

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestYesNoAnswerUsesMatchingClause(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const guide = "Sheep may graze on the upper meadow, but not on the lower one. Drones are forbidden near the nests; kites are not. " +
		"Is the mill open to groups? Yes. Is there a lift? No. Bicycles are not allowed on the dam, except cargo bikes. " +
		"The lower path is unmarked. The bridge holds no more than forty walkers. Tents are welcome if the warden agrees."
	for _, tt := range []struct {
		question, yes, no string // yes and no are the question as a statement
		want              polarity
	}{
		{"May sheep graze on the upper meadow?", "Sheep may graze on the upper meadow.", "Sheep may not graze on the upper meadow.", affirmative},
		{"May sheep graze on the lower meadow?", "Sheep may graze on the lower meadow.", "Sheep may not graze on the lower meadow.", negative},
		{"Are drones forbidden near the nests?", "Drones are forbidden near the nests.", "Drones are not forbidden near the nests.", affirmative},
		{"Are kites forbidden near the nests?", "Kites are forbidden near the nests.", "Kites are not forbidden near the nests.", negative},
		{"Is the mill open to groups?", "The mill is open to groups.", "The mill is not open to groups.", affirmative},
		{"Is there a lift?", "There is a lift.", "There is no lift.", negative},
		{"Are bicycles allowed on the dam?", "Bicycles are allowed on the dam.", "Bicycles are not allowed on the dam.", negative},
		{"Are cargo bikes allowed on the dam?", "Cargo bikes are allowed on the dam.", "Cargo bikes are not allowed on the dam.", affirmative},
		{"Is the lower path marked?", "The lower path is marked.", "The lower path is not marked.", negative},
		{"Does the bridge hold forty walkers?", "The bridge holds forty walkers.", "The bridge does not hold forty walkers.", affirmative},
	} {
		for answer, as := range map[string]string{"Yes.": tt.yes, "No.": tt.no} {
			task := verdict.Task{Question: tt.question, Contexts: []string{guide}, Claims: []extract.Claim{{Text: answer, Statement: as}}}
			v := judge(t, j, task)[0]
			want := verdict.Contradicted
			if answerPolarity(answer) == tt.want {
				want = verdict.Supported
			}
			if v.Label != want {
				t.Errorf("%s %s: got %v, %.2f (%s), want %v", tt.question, answer, v.Label, v.Score, v.Reason, want)
			}
		}
	}
}

func TestConditionHasUnknownPolarity(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	s := newScratch()
	s.index(j.lex, []string{"Tents are welcome."})
	const context = "Tents are welcome only in the garden. The hall is closed."
	if got, _ := j.questionPolarity(s, &s.claims[0], "Are tents welcome?", []string{context}); got != unknown {
		t.Errorf("got %v, want %v", got, unknown)
	}
	if got, _ := j.questionPolarity(s, &s.claims[0], "Is the pump room heated in winter?", []string{context}); got != unknown {
		t.Errorf("different subject: got %v, want %v", got, unknown)
	}
}

// A negation does not contradict the answer if it applies to something else or if the
// question contains it too.
func TestUnrelatedNegationDoesNotContradict(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, tt := range []struct{ question, answer, as, context string }{
		{"Can guests swim without a pass?", "Yes.", "Guests can swim without a pass.", "Guests can swim in the lake without a pass."},
		{"Can the lease be ended early?", "Yes.", "The lease can be ended early.", "The lease can be ended early with no fee."},
		{"Are late forms rejected?", "Yes.", "Late forms are rejected.", "Late forms are rejected without a reply."},
		{"Is the mill open on Sunday?", "Yes.", "The mill is open on Sunday.", "The mill is open on Sunday and closed on Monday."},
		{"Was the warden unable to come?", "Yes.", "The warden was unable to come.", "The warden could not come to the lake."},
		{"Which hut did they sleep in?", "No. 12", "They slept in No. 12.", "They slept in hut No. 12, next to the lake."},
	} {
		task := verdict.Task{Question: tt.question, Contexts: []string{tt.context}, Claims: []extract.Claim{{Text: tt.answer, Statement: tt.as}}}
		if v := judge(t, j, task)[0]; v.Label == verdict.Contradicted {
			t.Errorf("%s %s: got %v (%s), want not contradicted", tt.question, tt.answer, v.Label, v.Reason)
		}
	}
}
