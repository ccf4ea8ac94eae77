package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// The bodies are those of real servers, shortened.
func TestRejectionsOfRealServers(t *testing.T) {
	const (
		wait = iota
		tooLong
		tooLarge
		spent
		other
	)
	for name, tt := range map[string]struct {
		status int
		header string // Retry-After
		body   string
		want   int
		wait   time.Duration
		limit  int
	}{
		"OpenAI, tokens per minute": {429, "", `{"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1.2s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, wait, 1200 * time.Millisecond, 0},
		"OpenAI, request too large": {429, "", `{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, tooLarge, 0, 30000},
		"OpenAI, requests per day":  {429, "", `{"error":{"message":"Rate limit reached for gpt-4o-mini in organization org-x on requests per day (RPD): Limit 10000, Used 10000, Requested 1. Please try again in 8.64s.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, spent, 0, 0},
		"OpenAI, credit":            {429, "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, spent, 0, 0},
		"Azure":                     {429, "", `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-08-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 9 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."}}`, wait, 9 * time.Second, 0},
		"Azure, a day":              {429, "", `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 86400 seconds."}}`, spent, 0, 0},
		"Anthropic":                 {429, "12", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute"}}`, wait, 12 * time.Second, 0},
		"Anthropic, credit":         {400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, spent, 0, 0},
		"Gemini, per minute":        {429, "", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier","quotaValue":"250000"}]},{"retryDelay": "26s"}]}}]`, wait, 26 * time.Second, 0},
		"Gemini, per day":           {429, "", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay": "47s"}]}}]`, spent, 0, 0},
		"Groq, request too large":   {413, "", "{\"error\":{\"message\":\"Request too large for model `llama-3.3-70b-versatile` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14,137, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", tooLarge, 0, 12000},
		"Groq, tokens per day":      {429, "578", "{\"error\":{\"message\":\"Rate limit reached for model `m` in organization `o` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", spent, 0, 0},
		"Groq, tokens per minute":   {429, "", "{\"error\":{\"message\":\"Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5213, Requested 1999. Please try again in 1m12.5s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing\",\"code\":\"rate_limit_exceeded\"}}", wait, 72500 * time.Millisecond, 0},
		"Mistral":                   {429, "", `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}`, wait, 0, 0},
		"OpenRouter, per day":       {429, "", `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}`, spent, 0, 0},
		"OpenRouter, per minute":    {429, "", `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`, wait, 0, 0},
		"OpenRouter, credit":        {402, "", `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666.","code":402}}`, spent, 0, 0},
		"Together, credit":          {402, "", `{"error":{"message":"Credit limit exceeded, please navigate to billing to update your limits.","type":"credit_limit"}}`, spent, 0, 0},
		"Moonshot, balance":         {429, "", `{"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended, please check your plan and billing details"}}`, spent, 0, 0},
		"Cohere, trial":             {429, "", `{"message":"You are using a Trial key, which is limited to 1000 API calls / month."}`, spent, 0, 0},
		"GitHub, day":               {429, "", `{"error":{"code":"RateLimitReached","message":"Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 43000 seconds before retrying."}}`, spent, 0, 0},
		"Bedrock, day":              {429, "", `{"message":"Too many tokens per day, please wait before trying again."}`, spent, 0, 0},
		"Cloudflare, day":           {429, "", `{"errors":[{"message":"you have used up your daily free allocation of 10,000 neurons"}]}`, spent, 0, 0},
		"OpenAI, context":           {400, "", `{"error":{"message":"This model's maximum context length is 16,385 tokens. However, your messages resulted in 20000 tokens.","code":"context_length_exceeded"}}`, tooLong, 0, 16385},
		"llama.cpp, context":        {500, "", `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`, tooLong, 0, 256},
		"Anthropic, context":        {400, "", `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`, tooLong, 0, 200000},
		"Gemini, context":           {400, "", `{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).","type":"invalid_request_error"}}`, tooLong, 0, 1048575},
		"Mistral, context":          {400, "", `{"error":{"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error"}}`, tooLong, 0, 32768},
		"a wait of an hour":         {429, "3600", `{}`, spent, 0, 0},
		"overloaded for an hour":    {503, "3600", `{}`, spent, 0, 0},
		"a reset in an hour":        {429, "", `{}`, wait, 0, 0},
		"a quoted request":          {400, "", `{"detail":[{"msg":"bad","input":"Your credit balance is too low, insufficient_quota per day"}]}`, other, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := &StatusError{Status: tt.status, header: http.Header{}}
			if tt.header != "" {
				e.header.Set("Retry-After", tt.header)
			}
			e.parseBody(tt.body)
			err := classify(e)
			long, isLong := errors.AsType[*ContextLengthError](err)
			got := other
			switch {
			case isLong:
				if got = tooLong; long.PerMinute {
					got = tooLarge
				}
				if long.Limit != tt.limit {
					t.Errorf("got %+v, want a limit of %d tokens", long, tt.limit)
				}
			case permanentRejection(e, time.Now()) != nil:
				got = spent
			case IsTransient(err):
				got = wait
				if d, _ := retryAfter(e, time.Now()); d != tt.wait {
					t.Errorf("got a wait of %v, want %v", d, tt.wait)
				}
			}
			if got != tt.want {
				t.Errorf("got %d, want %d for %v", got, tt.want, err)
			}
		})
	}
}

// A server that only answers 429 ends the run after a bounded time, with one
// request from each worker and a few probes.
func TestOnly429EndsRun(t *testing.T) {
	for name, tt := range map[string]struct {
		header []string
		limit  time.Duration
		probes int
	}{
		"no delay":        {nil, 100 * time.Second, 9},
		"delay":           {[]string{"Retry-After", "20"}, 110 * time.Second, 5},
		"delay too short": {[]string{"Retry-After-Ms", "1"}, 100 * time.Second, 9},
		"five minutes":    {[]string{"Retry-After", "300"}, 11 * time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := NewClock(time.Now)
				var notices []time.Duration
				start := time.Now()
				s := testSender(Options{Clock: clock, Concurrency: 16, Retries: 5, Notify: func(string) { notices = append(notices, time.Since(start)) }})
				var calls atomic.Int64
				server := completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
					calls.Add(1)
					_ = clock.Sleep(ctx, 100*time.Millisecond)
					return nil, withUsage(status(429, tt.header...), usage.Usage{Requests: 1})
				})
				c := &metered{through(s, server, 0), &Meter{}}
				inParallel(16, func(int) {
					for range 3 {
						_, err := c.Complete(t.Context(), newRequest(nil))
						checkDown(t, err)
					}
				})
				if n := int(calls.Load()); n > 16+tt.probes || c.meter.Total().Requests != n {
					t.Errorf("got %d requests and counted %d, want at most %d", n, c.meter.Total().Requests, 16+tt.probes)
				}
				if d := time.Since(start); d > tt.limit {
					t.Errorf("took %v, want at most %v", d, tt.limit)
				}
				if len(notices) != 1 || notices[0] > noticeableWait {
					t.Errorf("got notices after %v, want one within %v", notices, noticeableWait)
				}
				if err := s.breaker.downErr; err == nil || !strings.Contains(err.Error(), "it has rejected all requests for ") {
					t.Errorf("got %v, want how long it rejected requests", err)
				}
			})
		})
	}
}

// A reply that can't be used shows that the server does not reject all requests.
func TestUnusableReplyIsNo429(t *testing.T) {
	for _, unusable := range []error{&LengthError{Limit: 1}, &ParseError{Reason: "no JSON"}, &RefusalError{Reason: "refusal"}} {
		s := testSender(Options{Concurrency: 4, Retries: 5})
		calls := 0
		c := through(s, completerFunc(func(context.Context, *Request) (*Reply, error) {
			if calls++; calls%3 == 0 {
				return nil, unusable
			}
			return nil, status(429, "Retry-After", "30")
		}), 0)
		for range 5 {
			if _, err := c.Complete(t.Context(), newRequest(nil)); !errors.Is(err, unusable) {
				t.Errorf("got %v, want %v", err, unusable)
			}
		}
		if s.slots.rejected != 0 {
			t.Errorf("%T: got %d rejections since the last reply, want none", unusable, s.slots.rejected)
		}
	}
}

// A request that alone exceeds the limit per minute is sent with fewer output tokens, or
// split. Later requests are fitted before they are sent.
func TestRequestsFitLimitPerMinute(t *testing.T) {
	const limit = 6000
	var sentTokens []int
	srv, _ := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		requested := len(s.body["messages"].([]any)[0].(map[string]any)["content"].(string))*10/36 + int(s.body["max_tokens"].(float64))
		if sentTokens = append(sentTokens, requested); requested > limit {
			writeError(w, 413, fmt.Sprintf("Request too large on tokens per minute (TPM): Limit %d, Requested %d", limit, requested), "")
			return
		}
		writeReply(w, "ok", "stop")
	})
	c := newTestClient(t, Config{BaseURL: srv.URL})
	for _, tt := range []struct {
		prompt, maxTokens int
		requests          int
		err               bool
	}{
		{5000, 500, 1, false},
		{5000, 3000, 2, false}, // learned, and sent with 1000 output tokens
		{3000, 4096, 2, false}, // our count is too low
		{2000, 3000, 1, false},
		{7000, 4096, 0, true},
		{5900, 4096, 1, true}, // less than 256 output tokens
	} {
		sentTokens = nil
		reply, err := c.Complete(t.Context(), &Request{Messages: []Message{{User, strings.Repeat("x", tt.prompt*36/10)}}, MaxTokens: tt.maxTokens})
		used := UsageOf(err)
		if err == nil {
			used = reply.Usage
		}
		if (err != nil) != tt.err || err != nil && !IsTooLong(err) || len(sentTokens) != tt.requests || used.Requests != tt.requests {
			t.Errorf("%+v: got %v after requests of %d tokens, usage %+v", tt, err, sentTokens, used)
		}
	}
}
