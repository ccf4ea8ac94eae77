package app

import (
	"slices"

	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

// Values of Options.Profile, each of which reproduces the evaluation of another tool.
const (
	ProfileRagas     = "ragas"
	ProfileRagEvals  = "rag-evals"
	ProfileHHEM      = "hhem"
	ProfileLettuce   = "lettucedetect"
	ProfileMiniCheck = "minicheck"
	ProfileLynx      = "lynx"
	ProfileGuardian  = "granite-guardian"
	ProfileDeepEval  = "deepeval"
)

// A PublishedJudge is a profile with a prompt of its own for verdicts.
type PublishedJudge struct {
	Profile   string
	Style     judge.Style
	EachChunk bool // --evidence chunks judges every context separately; otherwise it is fixed
	Logprobs  bool // scores can be probabilities
}

// Published returns the judge of the profile, or nil if the profile has none.
func (o *Options) Published() *PublishedJudge {
	for _, p := range []PublishedJudge{
		{ProfileMiniCheck, judge.MiniCheck, true, true},
		{ProfileLynx, judge.Lynx, false, false},
		{ProfileGuardian, judge.Guardian, false, true},
		{ProfileDeepEval, judge.DeepEval, false, true},
	} {
		if p.Profile == o.Profile && o.Judge == JudgeLLM {
			return &p
		}
	}
	return nil
}

// Combined reports whether a single request extracts and judges the claims, as in
// rag_evals.
func (o *Options) Combined() bool {
	return o.Profile == ProfileRagEvals && o.Claims == ClaimsLLM && o.Judge == JudgeLLM
}

// wholeAnswers reports whether claims are extracted from the whole answer at once, as
// Ragas and DeepEval do.
func (o *Options) wholeAnswers() bool {
	return slices.Contains([]string{ProfileRagas, ProfileHHEM, ProfileDeepEval}, o.Profile) && o.Claims == ClaimsLLM
}

// roundsScores reports whether scores are rounded half to even before they are compared
// with the threshold, as Ragas does with HHEM.
func (o *Options) roundsScores() bool { return o.Profile == ProfileHHEM && o.Threshold == nil }
