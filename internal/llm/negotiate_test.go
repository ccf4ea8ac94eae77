package llm

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// formatsOf returns the formats of the requests.
func formatsOf(all []sent) (formats []string) {
	for _, s := range all {
		formats = append(formats, s.format())
	}
	return formats
}

func TestFormatChangeNeedsConfirmation(t *testing.T) {
	const schema, mode = "json_schema", "json_object"
	for name, tt := range map[string]struct {
		status         int
		message, param string
		refused        []int    // requests, from 1
		want           []string // formats of up to four calls with Retry
	}{
		"500 mentions JSON":              {500, "could not decode JSON of the upstream", "", []int{1}, []string{schema, schema, schema, schema, schema}},
		"every call fails":               {500, "could not decode JSON of the upstream", "", []int{1, 2, 3, 4, 5, 6}, []string{schema, schema, schema, schema, schema, schema, schema}},
		"500 names the schema":           {500, "json_schema: backend lost", "", []int{1}, []string{schema, schema, schema, schema, schema}},
		"500 names the schema twice":     {500, "json_schema is not supported", "", []int{1, 2}, []string{schema, schema, mode, mode, mode, mode}},
		"501 twice":                      {501, "there is no json_schema here", "", []int{1, 2}, []string{schema, schema, mode, mode, mode, mode}},
		"404 for the format twice":       {404, "No endpoints found that support json_schema", "", []int{1, 2}, []string{schema, schema, mode, mode, mode, mode}},
		"400 names the schema":           {400, "json_schema is not supported", "", []int{1}, []string{schema, schema, schema, schema, schema}},
		"400 twice":                      {400, "json_schema is not supported", "", []int{1, 2}, []string{schema, schema, mode, mode, mode, mode}},
		"400 without reason":             {400, "", "", []int{1}, []string{schema, schema, schema, schema, schema}},
		"both without reason":            {400, "", "", []int{1, 2, 3, 4}, []string{schema, schema, mode, mode, "", "", "", ""}},
		"both by parameter":              {422, "extra fields not permitted", "response_format", []int{1, 2, 3, 4}, []string{schema, schema, mode, mode, "", "", "", ""}},
		"twice after a success":          {400, "json_schema is not supported", "", []int{2, 3, 5, 6}, []string{schema, schema, schema, mode, schema, schema, mode, schema}},
		"three times after a success":    {400, "json_schema is not supported", "", []int{2, 3, 5, 6, 8, 9}, []string{schema, schema, schema, mode, schema, schema, mode, schema, schema, mode}},
		"without reason after a success": {400, "", "", []int{2, 3}, []string{schema, schema, schema, schema}},
		"503 names the schema":           {503, "json_schema is not supported", "", []int{1, 2}, []string{schema, schema, schema, schema, schema}},
		"429 names the schema":           {429, "json_schema is not supported", "", []int{1, 2}, []string{schema, schema, schema, schema, schema}},
	} {
		t.Run(name, func(t *testing.T) {
			srv, got := newTestServer(t, func(n int, s sent, w http.ResponseWriter) {
				if slices.Contains(tt.refused, n) {
					w.Header().Set("Retry-After-Ms", "0")
					writeError(w, tt.status, tt.message, tt.param)
					return
				}
				writeReply(w, validReply, "stop")
			})
			c := newTestClient(t, Config{BaseURL: srv.URL})
			c.sender.retries = 1
			for range 4 {
				reply, err := c.Complete(t.Context(), newRequest(verdicts()))
				s := got()[len(got())-1]
				inPrompt, want := strings.Contains(s.raw, `\"additionalProperties\":false`), s.format() != schema
				if err == nil && (reply.Downgraded != want || inPrompt != want) {
					t.Errorf("got a downgraded reply: %t, schema in the prompt: %t; want %t", reply.Downgraded, inPrompt, want)
				}
			}
			if formats := formatsOf(got()); !slices.Equal(formats, tt.want) {
				t.Errorf("sent %q, want %q", formats, tt.want)
			}
			if changed := len(c.Downgrades()) > 0; changed != (tt.want[len(tt.want)-1] != schema) {
				t.Errorf("got downgrades %+v, want any: %t", c.Downgrades(), !changed)
			}
		})
	}
}

// One of many concurrent calls finds the form; the others are rejected at most once.
func TestConcurrentCallsNegotiateOnce(t *testing.T) {
	const calls = 16
	var notices []string
	for name, parameter := range map[string]string{"format": "response_format", "temperature": "temperature"} {
		srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
			if s.body[parameter] != nil {
				writeError(w, 400, parameter+" is not supported", parameter)
				return
			}
			writeReply(w, validReply, "stop")
		})
		c := newTestClient(t, Config{BaseURL: srv.URL})
		c.notify = func(text string) { notices = append(notices, text) }
		inParallel(calls, func(int) {
			if _, err := c.Complete(t.Context(), newRequest(verdicts())); err != nil {
				t.Error(err)
			}
		})
		if n := len(got()); n > 2*calls+3 { // the negotiating call: schema twice, JSON mode twice
			t.Errorf("%s: got %d requests for %d calls, want at most %d", name, n, calls, 2*calls+3)
		}
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "in the prompt alone") {
		t.Errorf("got notices %q, want one of a downgrade to the prompt", notices)
	}
}

func TestNamedLimit(t *testing.T) {
	for message, want := range map[string]int{
		"max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.":                                4096,
		"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model":       8192,
		"max_tokens: 65536 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku":                                          8192,
		"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]":                                                                         8192,
		"Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive).": 65536,
		"max_completion_tokens is too large: 200,000. This model supports up to 100,000 tokens":                                                        100_000,
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.":                                   0,
	} {
		if got := limitInMessage(message); got != want {
			t.Errorf("%s: got %d, want %d", message, got, want)
		}
	}
}
