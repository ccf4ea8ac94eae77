package main

import (
	"net/http"
	"regexp"
	"time"

	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

// A testCase is a server with quirks.
type testCase struct {
	name   string
	args   string
	second bool // measure a second run, over other questions with the cache of the first
	quirks func() []quirktest.Quirk
}

// cases returns the rows of the table.
func cases() []testCase {
	list := func(quirks ...quirktest.Quirk) func() []quirktest.Quirk {
		return func() []quirktest.Quirk { return quirks }
	}
	reasons := func(low, high int) func() []quirktest.Quirk {
		return list(quirktest.Reasons(quirktest.Reasoner{Tokens: quirktest.Tokens(low, high), Field: true}))
	}
	prefilled := func(low, high int) func() []quirktest.Quirk {
		return list(quirktest.Reasons(quirktest.Reasoner{Tokens: quirktest.Tokens(low, high), Text: quirktest.Tags("", "</think>"), Silent: true}))
	}
	slot := func(gone bool) func() []quirktest.Quirk {
		return func() []quirktest.Quirk { return []quirktest.Quirk{quirktest.Slots(1, 200*time.Millisecond, gone)} }
	}
	return []testCase{
		{name: "no quirks", quirks: list()},
		{name: "1,000 reasoning tokens", quirks: reasons(1000, 1000)},
		{name: "2,500 reasoning tokens", quirks: reasons(2500, 2500)},
		{name: "2,500 reasoning tokens, second run", second: true, quirks: reasons(2500, 2500)},
		{name: "8,000 reasoning tokens", quirks: reasons(8000, 8000)},
		{name: "500 to 6,000 reasoning tokens", quirks: reasons(500, 6000)},
		{name: "2,500 reasoning tokens, opening tag in the prompt template, not counted", quirks: prefilled(2500, 2500)},
		{name: "OpenAI's reasoning models: 2,500 tokens; no temperature, no max_tokens", quirks: list(
			quirktest.NoMaxTokens(), quirktest.NoTemperature(), quirktest.Reasons(quirktest.Reasoner{Tokens: quirktest.Tokens(2500, 2500)}))},
		{name: "silently truncates prompts at 2,048 tokens", quirks: list(quirktest.Window(2048))},
		{name: "rejects requests over 2,600 tokens with 429", quirks: list(quirktest.TooLarge(2600))},
		{name: "daily quota spent after 20 requests", quirks: list(quirktest.After(20, quirktest.SpentQuota()))},
		{name: "credit spent after 20 requests", quirks: list(quirktest.After(20, quirktest.SpentCredit()))},
		{name: "after 20 requests 429 with Retry-After of an hour", quirks: list(quirktest.After(20, quirktest.LongWait(time.Hour)))},
		{name: "one slot, 0.2 s per reply, `--timeout 1.5s`", args: "--timeout 1500ms", quirks: slot(false)},
		{name: "the same, cancelled requests are answered too", args: "--timeout 1500ms", quirks: slot(true)},
		{name: "reports no tokens", quirks: list(quirktest.NoUsage())},
		{name: "verdicts as numbers, booleans and words", quirks: list(quirktest.Forms(
			[]string{`"1"`, `1.0`, `true`, `"yes"`, `"Supported"`, `"TRUE"`, `1`, `"faithful"`},
			[]string{`"0"`, `0.0`, `false`, `"No"`, `"Not supported"`, `"FALSE"`, `0`, `"unfaithful"`}))},
		{name: "gives log probabilities", quirks: list(quirktest.Logprobs(regexp.MustCompile(`"?[a-z]+|_[a-z]+|.`)))},
		{name: "rejects log probabilities", quirks: list(quirktest.NoLogprobs("logprobs"))},
		{name: "the third reply is a 500", quirks: list(quirktest.Once(3, quirktest.Answer{Status: http.StatusInternalServerError, Message: "internal error"}))},
		{name: "one reply in eight is a 500", quirks: func() []quirktest.Quirk {
			return []quirktest.Quirk{quirktest.Failing(8, quirktest.Answer{Status: http.StatusInternalServerError, Message: "internal error"})}
		}},
		{name: "rejects JSON schemas and JSON mode", quirks: list(quirktest.NoFormat(http.StatusBadRequest, "response_format is not supported", "json_schema", "json_object"))},
		{name: "writes prose, never JSON", quirks: list(quirktest.Prose())},
	}
}
