package llm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/llm/mocktest"
	"github.com/ragfaith/ragfaith/internal/usage"
)

func mockRow(i int) *Request {
	return &Request{
		Messages: []Message{
			{System, "Give a verdict for each claim."},
			{User, fmt.Sprintf("<context>Row %d is about the tower of Pisa, built in %d.</context>\n<claims>\n0. Row %d is about the tower of Pisa.\n1. Bananas sing opera under water.\n</claims>", i, 1000+i, i)},
		},
		Schema: &Schema{
			Name: "verdicts",
			JSON: json.RawMessage(`{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"verdict":{"type":"string","enum":["supported","not_mentioned"]}},"required":["id","verdict"],"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`),
			Accept: func(v json.RawMessage) error {
				var o struct {
					Verdicts []struct {
						ID      *int   `json:"id"`
						Verdict string `json:"verdict"`
					} `json:"verdicts"`
				}
				if err := json.Unmarshal(v, &o); err != nil {
					return errors.New("want an object with verdicts")
				}
				if len(o.Verdicts) != 2 {
					return fmt.Errorf("want 2 verdicts, got %d", len(o.Verdicts))
				}
				return nil
			},
		},
		MaxTokens: 500,
	}
}

// If a fifth of the calls are rejected, a tenth are malformed and a tenth lack a verdict,
// the results are the same as without faults.
func TestStackToleratesFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	const rows = 100
	run := func(base string) ([rows]string, usage.Usage) {
		s := newStack(t, Options{Client: Config{BaseURL: base, Model: "judge", Timeout: 10 * time.Second}, Retries: 8})
		var out [rows]string
		var wg sync.WaitGroup
		gate := make(chan struct{}, 16)
		for i := range rows {
			wg.Go(func() {
				gate <- struct{}{}
				defer func() { <-gate }()
				// A judge would split the request after three unreadable replies in a
				// row.
				for try := range 4 {
					r := mockRow(i)
					r.Seed = try
					reply, err := s.Complete(t.Context(), r)
					if _, unread := errors.AsType[*ParseError](err); unread {
						continue
					}
					if err != nil {
						t.Errorf("row %d: got %v, want nil", i, err)
						return
					}
					out[i] = string(reply.JSON)
					return
				}
				t.Errorf("row %d: got no reply", i)
			})
		}
		wg.Wait()
		return out, s.Meter.Total()
	}
	bin := mocktest.Build(t)
	clean, u := run(mocktest.Start(t, bin))
	if u.Requests != rows || !strings.Contains(clean[7], `"supported"`) || !strings.Contains(clean[7], `"not_mentioned"`) {
		t.Fatalf("got usage %+v, row 7 %s; want %d requests and both labels", u, clean[7], rows)
	}
	base := mocktest.Start(t, bin, "-fail-rate", "0.2", "-bad-json-rate", "0.1", "-drop-rate", "0.1")
	faulty, u := run(base)
	same := 0
	for i := range clean {
		var a, b any
		_ = json.Unmarshal([]byte(clean[i]), &a)
		_ = json.Unmarshal([]byte(faulty[i]), &b)
		if fmt.Sprint(a) == fmt.Sprint(b) {
			same++
		}
	}
	if same != rows || u.Requests < rows+20 {
		t.Errorf("got %d of %d rows with the same result, usage %+v; want all rows, with retries", same, rows, u)
	}
	stats := mockStats(t, base)
	if stats["requests"] != float64(u.Requests) || stats["sent_429"] == 0.0 || stats["bad_truncated"] == 0.0 || stats["dropped_verdicts"] == 0.0 {
		t.Errorf("got server statistics %v, meter %+v; want equal counts and every kind of fault", stats, u)
	}
}

func mockStats(t *testing.T, base string) map[string]any {
	t.Helper()
	res, err := http.Get(strings.TrimSuffix(base, "/v1") + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}()
	var m map[string]any
	if err := json.NewDecoder(bufio.NewReader(res.Body)).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}
