// Package ensemble combines several judges: the score of a claim is the mean of theirs.
package ensemble

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A Judger judges the claims of a task.
type Judger interface {
	Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
}

// A Member is a judge with its name in results.
type Member struct {
	Name  string
	Judge Judger
}

// A Judge asks all members about every claim. It is safe for concurrent use if they are.
// A claim is supported if its mean score is at least Threshold, which must be that of all
// members.
type Judge struct {
	Members   []Member
	Threshold float64
}

// Judge returns a verdict for each claim, in the order of the claims. Label, reason and
// evidence are those of the member with the highest score for a supported claim, or else
// with the lowest. Members that leave a claim unjudged do not count. The mark MarkDisagreed is set if some members support a claim and
// others do not. Judge returns an error if one of the members does.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	var out verdict.Judgement
	byClaim := make([][]verdict.Verdict, len(task.Claims)) // one for each member
	for _, m := range j.Members {
		judged, err := m.Judge.Judge(ctx, task)
		out.Usage, out.Marks = out.Usage.Add(judged.Usage), verdict.AddMarks(out.Marks, judged.Marks...)
		if err != nil {
			return out, fmt.Errorf("judge %s: %w", m.Name, err)
		}
		verdicts := make(map[int]verdict.Verdict, len(judged.Verdicts))
		for _, v := range judged.Verdicts {
			verdicts[v.ClaimID] = v
		}
		if len(verdicts) != len(task.Claims) || len(judged.Verdicts) != len(task.Claims) {
			return out, fmt.Errorf("judge %s: got %d verdicts on %d claims", m.Name, len(judged.Verdicts), len(task.Claims))
		}
		for i := range task.Claims {
			v, ok := verdicts[task.Claims[i].ID]
			if !ok {
				return out, fmt.Errorf("judge %s: claim %d has no verdict", m.Name, task.Claims[i].ID)
			}
			byClaim[i] = append(byClaim[i], v)
		}
	}
	for _, verdicts := range byClaim {
		v, agreed := j.combine(verdicts)
		if !agreed {
			out.Marks = verdict.AddMarks(out.Marks, verdict.MarkDisagreed)
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

// combine returns the common verdict on a claim, and whether the members agree.
func (j *Judge) combine(verdicts []verdict.Verdict) (combined verdict.Verdict, agreed bool) {
	sum, lowest, highest, supporters := 0.0, -1, -1, 0
	var scores []verdict.JudgeScore
	var list []string
	for i := range verdicts {
		v := &verdicts[i]
		if v.Label == verdict.Unjudged {
			continue
		}
		sum += v.Score
		if lowest < 0 || v.Score < verdicts[lowest].Score {
			lowest = i
		}
		if highest < 0 || v.Score > verdicts[highest].Score {
			highest = i
		}
		if v.Label == verdict.Supported {
			supporters++
		}
		scores = append(scores, verdict.JudgeScore{Judge: j.Members[i].Name, Score: v.Score, Label: v.Label})
		list = append(list, fmt.Sprintf("%s %.2f", j.Members[i].Name, v.Score))
	}
	if len(scores) == 0 {
		return verdicts[0], true
	}
	mean, lead := sum/float64(len(scores)), lowest
	if mean >= j.Threshold {
		lead = highest
	}
	v := verdicts[lead]
	v.Score, v.Confidence, v.Judges = mean, 0, scores // scores of different judges have no common scale
	agreed = supporters == 0 || supporters == len(scores)
	if !agreed {
		v.Reason = fmt.Sprintf("judges disagree (%s); %s", strings.Join(list, ", "), v.Reason)
	}
	return v, agreed
}
