package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// networkRows is the number of rows sent through a faulty network.
const networkRows = 40

// A networkFault breaks a request in place of the server.
type networkFault func(w http.ResponseWriter, r *http.Request)

func resetConnection(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // sends a reset
		}
		_ = conn.Close()
	}
}

func truncateReply(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "500")
	_, _ = io.WriteString(w, `{"choices":[{"mess`)
	panic(http.ErrAbortHandler)
}

// stayingSilent answers nothing until the client gives up.
func stayingSilent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TestNetworkFaultsLoseAndRepeatNoRow checks that under any network fault each row gets a
// result or the run ends, and that resuming without the fault completes the results without
// requesting scored rows again, even without a cache.
func TestNetworkFaultsLoseAndRepeatNoRow(t *testing.T) {
	t.Parallel()
	var rows bytes.Buffer
	for i := range networkRows {
		fmt.Fprintf(&rows, `{"id":"row-%d","question":"Which colour?","answer":"The sky is blue today.","contexts":["row-%d: The sky is blue today."]}`+"\n", i, i)
	}
	data := tempFile(t, "rows.jsonl", rows.String())
	want := onlineRun(t, data, "--judge", "llm")
	occasionally := func(n int64, attempt int) bool { return n%3 == 0 && attempt == 1 }
	brieflyDown := func(n int64, _ int) bool { return n > 5 && n < 9 }
	down := func(n int64, _ int) bool { return n > 5 }
	for name, tt := range map[string]struct {
		fault networkFault
		when  func(n int64, attempt int) bool // attempt: of a row
		code  int
	}{
		"occasional resets":              {resetConnection, occasionally, exitOK},
		"occasionally truncated replies": {truncateReply, occasionally, exitOK},
		"restart":                        {resetConnection, brieflyDown, exitOK},
		"resets":                         {resetConnection, down, exitFailure},
		"truncated replies":              {truncateReply, down, exitFailure},
		"silence":                        {stayingSilent, down, exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t)
			var mu sync.Mutex
			requests := map[string]int{} // by row ID
			var resumed atomic.Bool
			s.fault = func(n int64, w http.ResponseWriter, r *http.Request) bool {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				mu.Lock()
				row := regexp.MustCompile(`row-\d+`).FindString(string(body))
				requests[row]++
				faulty := tt.when(n, requests[row]) && !resumed.Load()
				mu.Unlock()
				if faulty {
					tt.fault(w, r)
				}
				return faulty
			}
			out := filepath.Join(t.TempDir(), "out.jsonl")
			args := []string{"score", data, "--judge", "llm", "--base-url", s.URL, "--no-cache", "--to", "none", "-o", out, "--concurrency", "2", "--resume"}
			if tt.code == exitFailure {
				args = append(args, "--timeout", "2s", "--retries", "1")
			}
			checkExit(t, runInProcess(t, t.TempDir(), nil, args...), tt.code)
			if tt.code == exitFailure {
				var scored []string
				for _, r := range decodeLines[resultRow](t, readFile(t, out+".part")) {
					if r.Status == "scored" {
						scored = append(scored, r.ID)
					}
				}
				if len(scored) == 0 { // at most five
					t.Fatal("got no scored row before the fault")
				}
				resumed.Store(true)
				clear(requests)
				checkExit(t, runInProcess(t, t.TempDir(), nil, args...), exitOK)
				for id := range requests {
					if slices.Contains(scored, id) {
						t.Errorf("scored row %s was requested again", id)
					}
				}
			}
			if withoutRequestCounts(readFile(t, out)) != want {
				t.Error("results differ from those without a fault")
			}
			if left := tempFiles(t, out); left != nil {
				t.Errorf("got temporary files %v, want none", left)
			}
		})
	}
}

// withoutRequestCounts normalizes the number of requests in results.
func withoutRequestCounts(results string) string {
	return regexp.MustCompile(`"requests":[1-9]\d*`).ReplaceAllString(results, `"requests":1`)
}
