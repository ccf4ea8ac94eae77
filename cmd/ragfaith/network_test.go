package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// networkRows is the number of rows sent through a faulty network.
const networkRows = 12

// A network is a test server behind a faulty proxy. It counts requests by row.
type network struct {
	*testServer
	proxy    *toxiproxy.Proxy
	mu       sync.Mutex
	requests map[string]int // by row ID
}

// newNetwork starts a network without faults.
func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{testServer: newTestServer(t), requests: map[string]int{}}
	n.fault = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		n.count(r)
		return false
	}
	n.startProxy(t, "127.0.0.1:0")
	t.Cleanup(func() { n.proxy.Stop() })
	return n
}

// startProxy starts the proxy without faults.
func (n *network) startProxy(t *testing.T, at string) {
	t.Helper()
	zerolog.SetGlobalLevel(zerolog.Disabled) // toxics log on their own
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	n.proxy = toxiproxy.NewProxy(api, "llm", at, n.Listener.Addr().String())
	if err := n.proxy.Start(); err != nil {
		t.Fatal(err)
	}
}

// removeFaults removes all faults and keeps the address.
func (n *network) removeFaults(t *testing.T) {
	t.Helper()
	n.proxy.Stop()
	n.startProxy(t, n.proxy.Listen)
}

// count attributes a request to its row.
func (n *network) count(r *http.Request) {
	body, _ := io.ReadAll(r.Body) // truncated requests name no row
	r.Body = io.NopCloser(bytes.NewReader(body))
	if m := regexp.MustCompile(`row-\d+`).Find(body); m != nil {
		n.mu.Lock()
		n.requests[string(m)]++
		n.mu.Unlock()
	}
}

// requestCounts returns the number of requests for each row.
func (n *network) requestCounts(ids []string) (all []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		all = append(all, n.requests[id])
	}
	return all
}

// writeNetworkRows writes a dataset of networkRows rows and returns its path.
func writeNetworkRows(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for i := range networkRows {
		fmt.Fprintf(&b, `{"id":"row-%d","question":"Which colour?","answer":"The sky is blue today.","contexts":["row-%d: The sky is blue today."]}`+"\n", i, i)
	}
	return tempFile(t, "rows.jsonl", b.String())
}

// withoutRequestCounts normalizes the number of requests in results.
func withoutRequestCounts(results string) string {
	return regexp.MustCompile(`"requests":[1-9]\d*`).ReplaceAllString(results, `"requests":1`)
}

// checkOutcome compares the files of a run with its exit code: 0 if all rows are scored,
// 3 if some failed with a reason, 1 if the run was aborted and finished rows are kept.
// It returns the IDs of scored rows.
func checkOutcome(t *testing.T, got commandResult, out string) (scored []string) {
	t.Helper()
	part := out + ".part"
	path, want := out, networkRows
	if got.code == exitFailure {
		path = part
		if _, err := os.Stat(out); err == nil {
			t.Error("the output file exists")
		}
		if _, err := os.Stat(part); err != nil {
			if !strings.Contains(got.stderr, "giving up on the server") {
				t.Errorf("no finished rows are kept: %s", got.stderr)
			}
			return nil
		}
	}
	failed := 0
	for line := range strings.Lines(readFile(t, path)) {
		switch id := regexp.MustCompile(`row-\d+`).FindString(line); {
		case strings.Contains(line, `"status":"scored"`):
			scored = append(scored, id)
		case strings.Contains(line, `"status":"failed","reason":"verdict"`) && !strings.Contains(line, `"error":null`):
			failed++
		default:
			t.Errorf("row is neither scored nor failed with a reason: %s", line)
		}
	}
	switch n := len(scored) + failed; {
	case got.code == exitOK && failed == 0 && n == want, got.code == exitFailedRows && failed > 0 && n == want:
	case got.code == exitFailure && n <= want:
	default:
		t.Errorf("exit code %d does not match %d scored and %d failed rows; stderr: %s", got.code, len(scored), failed, got.stderr)
	}
	return scored
}

// TestNetworkFaultsLoseAndRepeatNoRow checks that under any network fault each row gets
// a result or a reason, and that resuming without the fault completes the results
// without repeating scored rows.
func TestNetworkFaultsLoseAndRepeatNoRow(t *testing.T) {
	t.Parallel()
	data := writeNetworkRows(t)
	healthy := newTestServer(t)
	uninterrupted := filepath.Join(t.TempDir(), "out.jsonl")
	mustRun(t, t.TempDir(), nil, "score", data, "--judge", "llm", "--base-url", healthy.URL, "--to", "none", "-o", uninterrupted)
	want := readFile(t, uninterrupted)
	const anyFailure = -1
	for name, tt := range map[string]struct {
		toxic string
		since int64 // the request that the fault begins with; 0 for the first
		code  int
	}{
		"latency":                        {`{"type":"latency","attributes":{"latency":30,"jitter":20}}`, 0, exitOK},
		"slow close":                     {`{"type":"slow_close","attributes":{"delay":100}}`, 0, exitOK},
		"2 kB/s":                         {`{"type":"bandwidth","attributes":{"rate":2}}`, 6, exitOK},
		"1 byte/s":                       {`{"type":"slicer","attributes":{"average_size":1,"delay":1000000}}`, 0, anyFailure},
		"silence":                        {`{"type":"timeout","attributes":{"timeout":0}}`, 6, anyFailure},
		"silence, then close":            {`{"type":"timeout","attributes":{"timeout":50}}`, 0, anyFailure},
		"reset":                          {`{"type":"reset_peer","attributes":{"timeout":0}}`, 6, anyFailure},
		"truncated response headers":     {`{"type":"limit_data","attributes":{"bytes":60}}`, 0, anyFailure},
		"occasionally truncated replies": {`{"type":"limit_data","attributes":{"bytes":1500}}`, 0, exitOK},
		"truncated requests":             {`{"type":"limit_data","stream":"upstream","attributes":{"bytes":200}}`, 6, anyFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			since := tt.since
			n, cache := newNetwork(t), t.TempDir()
			addFault := func() {
				if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(tt.toxic)); err != nil {
					t.Error(err)
				}
			}
			if since == 0 {
				addFault()
			}
			var resumed atomic.Bool // without a fault, even if few requests were answered in time before
			n.fault = func(call int64, _ http.ResponseWriter, r *http.Request) bool {
				if n.count(r); call == since && !resumed.Load() {
					addFault()
				}
				return false
			}
			out := filepath.Join(t.TempDir(), "out.jsonl")
			args := []string{"score", data, "--judge", "llm", "--base-url", "http://" + n.proxy.Listen, "--to", "none", "-o", out, "--concurrency", "4", "--resume"}
			var limits []string
			switch {
			case tt.code != anyFailure:
			case since == 0:
				limits = []string{"--timeout", "250ms", "--retries", "1"}
			default: // on a slow machine, too, the requests before the fault are answered in time
				limits = []string{"--timeout", "4s", "--retries", "0"}
			}
			got := runInProcess(t, cache, nil, append(args, limits...)...)
			if tt.code != got.code && (tt.code != anyFailure || got.code == exitOK) {
				t.Errorf("got exit code %d: %s", got.code, got.stderr)
			}
			scored := checkOutcome(t, got, out)
			if since > 0 && len(scored) == 0 {
				t.Errorf("got no scored row before the fault: %s", got.stderr)
			}
			before := n.requestCounts(scored)
			resumed.Store(true)
			n.removeFaults(t)
			got = runInProcess(t, cache, nil, args...)
			if got.code != exitOK || withoutRequestCounts(readFile(t, out)) != want {
				t.Errorf("resumed: exit code: got %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
			}
			if again := n.requestCounts(scored); fmt.Sprint(again) != fmt.Sprint(before) {
				t.Errorf("scored rows were requested again: got %v requests, want %v", again, before)
			}
			if left := tempFiles(t, out); left != nil {
				t.Errorf("got temporary files %v, want none", left)
			}
		})
	}
}

// TestServerRestart stops the server during a run. If the server restarts immediately,
// the run completes. If it restarts later, a resumed run does not repeat finished rows,
// even without a cache.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	data := writeNetworkRows(t)
	for _, later := range []bool{false, true} {
		t.Run(fmt.Sprintf("later=%t", later), func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			clock := &skipClock{ready: make(chan struct{})} // no retry before the restart
			if later {
				close(clock.ready)
			}
			var once sync.Once
			n.fault = func(call int64, _ http.ResponseWriter, r *http.Request) bool {
				n.count(r)
				if call == 6 {
					once.Do(func() {
						n.proxy.Stop()
						if !later {
							n.startProxy(t, n.proxy.Listen)
							close(clock.ready)
						}
					})
				}
				return false
			}
			out := filepath.Join(t.TempDir(), "out.jsonl")
			args := []string{"score", data, "--judge", "llm", "--base-url", "http://" + n.proxy.Listen, "--to", "none", "-o", out, "--concurrency", "2", "--no-cache", "--resume"}
			got := runWithClock(t, clock, t.TempDir(), nil, args...)
			checkExit(t, got, map[bool]int{false: exitOK, true: exitFailure}[later])
			scored := checkOutcome(t, got, out)
			if len(scored) == 0 { // at most five
				t.Errorf("got no scored row before the fault: %s", got.stderr)
			}
			if !later {
				return
			}
			before := n.requestCounts(scored)
			n.startProxy(t, n.proxy.Listen)
			got = runInProcess(t, t.TempDir(), nil, args...)
			checkExit(t, got, exitOK)
			if again := n.requestCounts(scored); fmt.Sprint(again) != fmt.Sprint(before) {
				t.Errorf("scored rows were requested again: got %v requests, want %v", again, before)
			}
			if rest := checkOutcome(t, got, out); len(rest) != networkRows {
				t.Errorf("got %d scored rows, want %d", len(rest), networkRows)
			}
		})
	}
}
