package main

import (
	"bytes"

	"github.com/ragfaith/ragfaith/internal/llm"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

// A publishedJudge is a profile with a prompt of its own for verdicts.
type publishedJudge struct {
	profile   string
	style     judge.Style
	eachChunk bool // --evidence chunks judges every context separately; otherwise it is fixed
	logprobs  bool // scores can be probabilities
}

// published returns the judge of the profile, or nil if the profile has none.
func (o *scoreOptions) published() *publishedJudge {
	for _, p := range []publishedJudge{
		{profileMiniCheck, judge.MiniCheck, true, true},
		{profileLynx, judge.Lynx, false, false},
		{profileGuardian, judge.Guardian, false, true},
		{profileDeepEval, judge.DeepEval, false, true},
	} {
		if p.profile == o.profile && o.judge == judgeLLM {
			return &p
		}
	}
	return nil
}

// checkPublished returns an error for options that the judge of the profile can't use.
func (o *scoreOptions) checkPublished() error {
	p := o.published()
	if p == nil {
		return nil
	}
	evidence := "joined"
	if p.style == judge.DeepEval {
		evidence = "chunks"
	}
	switch {
	case o.llm.strict:
		return usagef("--strict can't be used with --profile %s, whose prompt decides what counts as support", p.profile)
	case p.style == judge.DeepEval && o.prescreens():
		return usagef("--prescreen can't be used with --profile deepeval, which supports what the contexts do not mention")
	case !p.eachChunk && o.evidence != evidence:
		return usagef("--evidence %s can't be used with --profile %s, which reads all contexts together", o.evidence, p.profile)
	case !p.logprobs && (o.threshold != nil || o.calibration != ""):
		if o.prescreens() {
			return usagef("--prescreen can't be used with --profile %s", p.profile)
		}
		return usagef("--threshold and --calibration can't be used with --profile %s: its scores are 1 or 0", p.profile)
	}
	if body, err := llm.ParseExtraBody(o.llm.extraBody); p.style == judge.Guardian && err == nil && bytes.Contains(body, []byte(`"chat_template_kwargs"`)) {
		return usagef("--extra-body: chat_template_kwargs contains the documents of --profile %s and can't be replaced", p.profile)
	}
	return nil
}
