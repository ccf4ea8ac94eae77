package view

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Schema is the URL of the JSON Schema of JSON.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/compare.schema.json"

// schemaVersion is the version of the format.
const schemaVersion = 1

type jsonComparison struct {
	Schema      string                 `json:"$schema"`
	Version     int                    `json:"version"`
	Ragfaith    string                 `json:"ragfaith"`
	Baseline    jsonSide               `json:"baseline"`
	Candidate   jsonSide               `json:"candidate"`
	Warnings    []compare.Warning      `json:"warnings"`
	Rows        jsonRows               `json:"rows"`
	Units       string                 `json:"units"`
	Difference  report.SummaryInterval `json:"difference"`
	Permutation jsonTest               `json:"permutation"`
	Wilcoxon    jsonTest               `json:"wilcoxon"`
	Detectable  report.Number          `json:"detectable"`
	By          *jsonBy                `json:"by,omitempty"`
	Claims      jsonClaims             `json:"claims"`
	Gate        *jsonGate              `json:"gate"`
	RowGate     *jsonRowGate           `json:"row_gate"`
	Passed      bool                   `json:"passed"`
	Changed     int                    `json:"changed"`
	Changes     []jsonChange           `json:"changes"`
}

type jsonSide struct {
	File       string        `json:"file"`
	Rows       int           `json:"rows"`
	Scored     int           `json:"scored"`
	NoClaims   int           `json:"no_claims"`
	Unjudged   int           `json:"unjudged,omitempty"`
	Failed     int           `json:"failed"`
	Skipped    int           `json:"skipped,omitempty"`
	Duplicates int           `json:"duplicates"`
	Mean       report.Number `json:"mean"`
	Claims     int           `json:"claims"`
	Supported  int           `json:"supported"`
}

type jsonTransition struct {
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	compare.RowIDs
}

type jsonRows struct {
	Paired        int              `json:"paired"`
	Compared      int              `json:"compared"`
	Better        int              `json:"better"`
	Worse         int              `json:"worse"`
	Same          int              `json:"same"`
	SameAnswers   int              `json:"same_answers"`
	OnlyBaseline  compare.RowIDs   `json:"only_baseline"`
	OnlyCandidate compare.RowIDs   `json:"only_candidate"`
	Unscored      []jsonTransition `json:"unscored"`
	Regressed     compare.RowIDs   `json:"regressed"`
}

type jsonTest struct {
	P       report.Number `json:"p"`
	Greater report.Number `json:"greater"`
	Less    report.Number `json:"less"`
	Exact   bool          `json:"exact"`
}

type jsonBy struct {
	Column string      `json:"column"`
	Groups []jsonGroup `json:"groups"`
}

type jsonGroup struct {
	Value      *string                `json:"value"`
	Other      bool                   `json:"other"`
	Rows       int                    `json:"rows"`
	Baseline   report.Number          `json:"baseline"`
	Candidate  report.Number          `json:"candidate"`
	Difference report.SummaryInterval `json:"difference"`
}

type jsonOnly struct {
	Total     int `json:"total"`
	Supported int `json:"supported"`
}

type jsonClaims struct {
	Matched       int      `json:"matched"`
	Lost          int      `json:"lost"`
	Gained        int      `json:"gained"`
	OnlyBaseline  jsonOnly `json:"only_baseline"`
	OnlyCandidate jsonOnly `json:"only_candidate"`
}

type jsonGate struct {
	MaxDrop report.Number `json:"max_drop"`
	Drop    report.Number `json:"drop"`
	P       report.Number `json:"p"`
	Alpha   report.Number `json:"alpha"`
	Passed  bool          `json:"passed"`
	Text    string        `json:"text"`
	Note    string        `json:"note"`
}

type jsonRowGate struct {
	MaxRegressedRows int    `json:"max_regressed_rows"`
	Required         int    `json:"required"`
	Passed           bool   `json:"passed"`
	Text             string `json:"text"`
}

type jsonChange struct {
	ID             string        `json:"id"`
	Question       string        `json:"question"`
	BaselineIndex  int           `json:"baseline_index"`
	CandidateIndex int           `json:"candidate_index"`
	Baseline       report.Number `json:"baseline"`
	Candidate      report.Number `json:"candidate"`
	Difference     report.Number `json:"difference"`
	OnlyBaseline   int           `json:"only_baseline"`
	OnlyCandidate  int           `json:"only_candidate"`
	Flipped        []jsonFlip    `json:"flipped"`
}

type jsonFlip struct {
	Baseline  jsonClaim `json:"baseline"`
	Candidate jsonClaim `json:"candidate"`
}

type jsonClaim struct {
	ID      int           `json:"id"`
	Text    string        `json:"text"`
	Verdict string        `json:"verdict"`
	Score   report.Number `json:"score"`
	Reason  string        `json:"reason"`
}

// JSON writes c as an indented object. version is the version of ragfaith.
func JSON(w io.Writer, c *compare.Comparison, version string) error {
	j := jsonComparison{
		Schema: Schema, Version: schemaVersion, Ragfaith: version,
		Baseline: side(&c.Baseline), Candidate: side(&c.Candidate), Warnings: append([]compare.Warning{}, c.Warnings...),
		Rows: jsonRows{
			c.Paired, c.Compared, c.Better, c.Worse, c.Same, c.SameAnswers,
			rowIDs(c.OnlyBaseline), rowIDs(c.OnlyCandidate),
			[]jsonTransition{},
			rowIDs(c.Regressed),
		},
		Units: "rows", Difference: report.NewSummaryInterval(&c.Stats.Difference),
		Permutation: test(c.Stats.Permutation), Wilcoxon: test(c.Stats.Wilcoxon), Detectable: report.Number(c.Stats.Detectable),
		Claims: jsonClaims{
			c.Claims.Matched, c.Claims.Lost, c.Claims.Gained,
			jsonOnly{c.Claims.OnlyBaseline, c.Claims.OnlyBaselineSupported},
			jsonOnly{c.Claims.OnlyCandidate, c.Claims.OnlyCandidateSupported},
		},
		Passed: c.Passed(), Changed: c.Changed, Changes: []jsonChange{},
	}
	if c.Cluster {
		j.Units = "groups"
	}
	if c.ByColumn != "" {
		j.By = &jsonBy{c.ByColumn, []jsonGroup{}}
	}
	for i := range c.By {
		g := &c.By[i]
		group := jsonGroup{nil, g.Other, g.Rows, report.Number(g.Baseline), report.Number(g.Candidate), report.NewSummaryInterval(&g.Difference)}
		if g.Value != "" {
			group.Value = &g.Value
		}
		j.By.Groups = append(j.By.Groups, group)
	}
	for _, t := range c.Unscored {
		j.Rows.Unscored = append(j.Rows.Unscored, jsonTransition{string(t.From), string(t.To), rowIDs(t.Rows)})
	}
	if g := c.Gate; g != nil {
		j.Gate = &jsonGate{
			report.Number(g.MaxDrop), report.Number(g.Drop), report.Number(g.P), report.Number(g.Alpha), g.Passed, g.Text, g.Note,
		}
	}
	if g := c.RowGate; g != nil {
		j.RowGate = &jsonRowGate{g.Max, g.Required, g.Passed, g.Text}
	}
	for i := range c.Changes {
		j.Changes = append(j.Changes, change(&c.Changes[i]))
	}
	content, err := report.IndentJSON(j)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func side(s *compare.Side) jsonSide {
	return jsonSide{s.Name, s.Rows, s.Scored, s.NoClaims, s.Unjudged, s.Failed, s.Skipped, s.Duplicates.Count, report.Number(s.Mean), s.Claims, s.Supported}
}

// rowIDs returns r with a list that is not nil, which would be null.
func rowIDs(r compare.RowIDs) compare.RowIDs {
	r.First = append([]string{}, r.First...)
	return r
}

func test(t stats.Test) jsonTest {
	return jsonTest{report.Number(t.TwoSided), report.Number(t.Greater), report.Number(t.Less), t.Exact}
}

func change(c *compare.Change) jsonChange {
	_, _, was, is := c.Count()
	j := jsonChange{
		c.Candidate.ID, c.Candidate.Question, c.Baseline.Index, c.Candidate.Index,
		report.Number(c.Baseline.Faithfulness), report.Number(c.Candidate.Faithfulness), report.Number(c.Difference), was, is,
		[]jsonFlip{},
	}
	for _, m := range c.Claims {
		if c.Lost(m) || c.Gained(m) {
			j.Flipped = append(j.Flipped, jsonFlip{claim(c.Baseline, m.Baseline), claim(c.Candidate, m.Candidate)})
		}
	}
	return j
}

func claim(r *result.Row, i int) jsonClaim {
	c := &r.Claims[i]
	return jsonClaim{c.ID, c.Judged(), string(c.Verdict), report.Number(c.Score), c.Reason}
}
