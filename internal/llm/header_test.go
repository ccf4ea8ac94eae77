package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

const headerToken = "tok-0123456789abcdef"

func headerEnv(name string) (string, bool) {
	v, ok := map[string]string{"TOKEN": headerToken + "\n", "EMPTY": "", "LINES": "a\nb", "A1": "x"}[name]
	return v, ok
}

func TestParseHeaders(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  map[string]string
	}{
		{nil, map[string]string{}},
		{[]string{"x-tenant:a:b"}, map[string]string{"X-Tenant": "a:b"}},
		{[]string{"Authorization: Bearer $TOKEN"}, map[string]string{"Authorization": "Bearer " + headerToken}},
		{[]string{"A: ${TOKEN}s$$A1", "B: $A1-$A1"}, map[string]string{"A": headerToken + "s$A1", "B": "x-x"}},
	} {
		h, err := ParseHeaders(tt.lines, headerEnv)
		got := map[string]string{}
		for name := range h.values {
			got[name] = h.values.Get(name)
		}
		if err != nil || !maps.Equal(got, tt.want) {
			t.Errorf("%q: got %q, %v; want %q", tt.lines, got, err, tt.want)
		}
	}
	for line, want := range map[string]string{
		"Bearer sk-secret-12345":         "1 of 1: want 'Name: value'",
		": sk-secret-12345":              "1 of 1: want 'Name: value'",
		"sk-secret-12345 x: y":           "1 of 1: want 'Name: value'",
		"X: ":                            "X: want a value of one line",
		"X: sk-secret-12345\nY: z":       "X: want a value of one line",
		"X: $LINES":                      "X: want a value of one line",
		"X: sk-secret-12345 $UNSET":      "X: UNSET is not set in the environment",
		"X: $EMPTY":                      "X: EMPTY is not set in the environment",
		"X: sk-secret-12345 ${TOKEN":     "X: want $NAME or ${NAME} for a variable, or $$ for a dollar sign",
		"X: 5$":                          "X: want $NAME or ${NAME} for a variable, or $$ for a dollar sign",
		"host: example.com":              "Host can't be set: ragfaith sets it itself",
		"Proxy-Authorization: Basic abc": "Proxy-Authorization can't be set: ragfaith sets it itself",
	} {
		if _, err := ParseHeaders([]string{line}, headerEnv); err == nil || err.Error() != want {
			t.Errorf("%q: got error %v, want %s", line, err, want)
		}
	}
	if _, err := ParseHeaders([]string{"A: 1", "a: 2"}, headerEnv); err == nil || err.Error() != "A is set twice" {
		t.Errorf("got error %v, want one about a duplicate", err)
	}
}

func newHeaders(t *testing.T, lines ...string) Headers {
	t.Helper()
	h, err := ParseHeaders(lines, headerEnv)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAuthorizationHeaderReplacesKey(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	for _, tt := range []struct{ base, path string }{
		{srv.URL + "/v1", "/v1/chat/completions"},
		{srv.URL + "/openai/deployments/judge", "/openai/deployments/judge/chat/completions"},
		{srv.URL + "/openai/v1?api-version=preview", "/openai/v1/chat/completions"},
	} {
		c := newTestClient(t, Config{BaseURL: tt.base, APIKey: secret, Headers: newHeaders(t, "Authorization: Bearer $TOKEN", "X-Tenant: a")})
		mustComplete(t, c, newRequest(verdicts()))
		s := got()[len(got())-1]
		if a := s.header.Values("Authorization"); s.path != tt.path || len(a) != 1 || a[0] != "Bearer "+headerToken || s.header.Values("Api-Key") != nil || s.header.Get("X-Tenant") != "a" {
			t.Errorf("got path %s, headers %v; want path %s with only the token", s.path, s.header, tt.path)
		}
	}
}

// A server that repeats a header in a reply or an error reveals nothing.
func TestHeaderValuesAreRedacted(t *testing.T) {
	srv, _ := newTestServer(t, func(n int, s sent, w http.ResponseWriter) {
		if n == 1 {
			writeReply(w, s.header.Get("Authorization")+" "+s.header.Get("Cookie"), "stop")
			return
		}
		writeError(w, 400, "invalid "+headerToken+" in "+s.header.Get("Cookie"), "")
	})
	h := newHeaders(t, "Authorization: Bearer $TOKEN", "Cookie: session=0123456789abcdefXYZ")
	config := Config{BaseURL: srv.URL, Model: "m", Headers: h}
	c := newTestClient(t, config)
	r := newRequest(nil)
	reply := mustComplete(t, c, r)
	_, failure := c.Complete(t.Context(), r)
	encoded := must(json.Marshal(config))
	for _, text := range []string{reply.Text, failure.Error(), fmt.Sprintf("%v %+v %#v", config, c, h), string(encoded)} {
		if strings.Contains(text, "0123456789abcdef") {
			t.Errorf("secret found in %s", text)
		}
	}
}

func TestHeadersStayOnTheirHost(t *testing.T) {
	answer := func(_ int, s sent, w http.ResponseWriter) {
		if strings.HasSuffix(s.path, "/embeddings") {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1]}]}`)
			return
		}
		writeReply(w, validReply, "stop")
	}
	srv, got := newTestServer(t, answer)
	other, gotOther := newTestServer(t, answer)
	h := newHeaders(t, "Authorization: Bearer $TOKEN", "X-Tenant: a")
	s := newStack(t, Options{Client: Config{BaseURL: srv.URL + "/v1", Headers: h}})
	for _, tt := range []struct {
		base, key, authorization, tenant string
		got                              func() []sent
	}{
		{"", "", "Bearer " + headerToken, "a", got},
		{srv.URL + "/embed/v1", "", "Bearer " + headerToken, "a", got},
		{srv.URL + "/embed/v1", "own", "Bearer own", "a", got},
		{other.URL, "", "", "", gotOther},
		{other.URL, "own", "Bearer own", "", gotOther},
	} {
		e, _, err := s.Embedder(Config{BaseURL: tt.base, Model: "e", APIKey: tt.key})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Embed(t.Context(), []string{"text " + tt.base + tt.key}); err != nil {
			t.Fatal(err)
		}
		last := tt.got()[len(tt.got())-1].header
		if last.Get("Authorization") != tt.authorization || last.Get("X-Tenant") != tt.tenant {
			t.Errorf("%s: got headers %v, want Authorization %q and X-Tenant %q", tt.base, last, tt.authorization, tt.tenant)
		}
	}
}
