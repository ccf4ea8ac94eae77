package quirktest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// post sends a claim about a chunk and returns the status and the reply.
func post(ctx context.Context, url, chunk, claim string) (status int, content string, tokens int) {
	user := encode(map[string]any{
		"chunks": []any{map[string]any{"id": 0, "text": chunk}}, "claims": []any{map[string]any{"id": 0, "text": claim}},
	})
	body := encode(map[string]any{"messages": []any{map[string]any{"role": "user", "content": user}}, "max_tokens": 100})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, err.Error(), 0
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error(), 0
	}
	defer res.Body.Close()
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
		Usage   struct {
			PromptTokens int `json:"prompt_tokens"`
		}
	}
	_ = json.NewDecoder(res.Body).Decode(&reply)
	if len(reply.Choices) > 0 {
		content = reply.Choices[0].Message.Content
	}
	return res.StatusCode, content, reply.Usage.PromptTokens
}

func start(t *testing.T, quirks ...Quirk) (*Server, string) {
	s := New(quirks...)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

func TestSlotsServeOneCallAtATime(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	running, most := 0, 0
	add := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		running += n
		most = max(most, running)
	}
	s, url := start(t, Slots(1, time.Millisecond, false), func(next Handler) Handler {
		return func(c *Call) *Answer {
			add(1)
			defer add(-1)
			return next(c)
		}
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if status, _, _ := post(t.Context(), url, "sky", fmt.Sprint("claim ", i%4)); status != http.StatusOK {
				t.Errorf("status: got %d, want %d", status, http.StatusOK)
			}
		})
	}
	wg.Wait()
	if got := s.Stats(); most != 1 || got.Requests != 8 || got.Repeated != 4 || got.MaxInFlight < 2 {
		t.Errorf("got %d calls at a time, want 1; %+v", most, got)
	}
}

func TestSlotsDropCancelledCalls(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		arrived := make(chan bool, 5)
		s, url := start(t, When(func(*Call) bool { arrived <- true; return false }, nil), Slots(1, 50*time.Millisecond, deaf))
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 4 {
			wg.Go(func() { post(ctx, url, "sky", strconv.Itoa(i)) })
		}
		for range 4 {
			<-arrived
		}
		cancel()
		wg.Wait()
		if status, _, _ := post(t.Context(), url, "sky", "last"); status != http.StatusOK {
			t.Errorf("status: got %d, want %d", status, http.StatusOK)
		}
		if answered := s.Stats().CompletionTokens > 2*len(`{"verdicts":[{"chunk_ids":[],"claim_id":0,"quote":"","reason":"r","verdict":"supported"}]}`)/4; answered != deaf {
			t.Errorf("deaf: %t: cancelled calls answered: got %t, want %t", deaf, answered, deaf)
		}
	}
}

func TestWindowHidesBeginningOfContexts(t *testing.T) {
	t.Parallel()
	chunk := "Rivers cross meadows. " + strings.Repeat("x ", 400) + "Towers overlook harbours."
	for claim, want := range map[string]string{"Rivers cross meadows.": "not_mentioned", "Towers overlook harbours.": `"supported"`} {
		_, url := start(t, Window(100))
		if _, reply, tokens := post(t.Context(), url, chunk, claim); !strings.Contains(reply, want) || tokens != 100 {
			t.Errorf("%s: got %s with %d tokens, want %s with 100", claim, reply, tokens, want)
		}
	}
}

func TestLimitsRejectCalls(t *testing.T) {
	t.Parallel()
	_, url := start(t, Once(2, Answer{Status: 500}), After(3, SpentQuota()))
	for i, want := range []int{200, 500, 200, 429, 429} {
		if got, _, _ := post(t.Context(), url, "sky", strconv.Itoa(i)); got != want {
			t.Errorf("call %d: got %d, want %d", i+1, got, want)
		}
	}
	_, url = start(t, TooLarge(200), NoUsage())
	for size, want := range map[int]int{40: 200, 4000: 429} {
		if got, _, tokens := post(t.Context(), url, strings.Repeat("x", size), "claim"); got != want || tokens != 0 {
			t.Errorf("%d bytes: got %d with %d tokens, want %d with 0", size, got, tokens, want)
		}
	}
}
