package main

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// writePrescreenRows writes n rows of one claim each, which a third of the time is the
// context, unrelated to it, or partly stated by it. The labels of the latter are mixed.
func writePrescreenRows(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		answer, label := "The sky is blue today.", 1
		switch i % 3 {
		case 1:
			answer, label = "Elephants migrate through Kenya.", 0
		case 2:
			answer, label = "The sky is blue today over Hamburg, Bremen, Kiel and Flensburg.", i/3%2
			if i%4 == 0 {
				answer = "The sky is blue today over Kiel."
			}
		}
		fmt.Fprintf(&b, `{"id":%d,"question":"What of %d?","label":%d,"answer":%q,"contexts":["The sky is blue today.","Page %d."]}`+"\n", i, i, label, answer, i)
	}
	return tempFile(t, "rows.jsonl", b.String())
}

// writeBounds scores labelled rows with the given flags, and returns a calibration.
func writeBounds(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	results, file := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "cal.json")
	for _, args := range [][]string{
		append([]string{"score", writePrescreenRows(t, 240), "--judge", "lexical", "-q", "--to", "none", "--keep", "label", "-o", results, "--summary", filepath.Join(dir, "r.summary.json")}, flags...),
		{"calibrate", results, "--label", "label", "-q", "--to", "none", "-o", file},
	} {
		mustRun(t, dir, nil, args...)
	}
	checkSchema(t, "calibration.schema.json", readFile(t, file))
	return file
}

// claimsOf decodes the claims of JSONL results.
func claimsOf(t *testing.T, results string) (claims []resultClaim) {
	t.Helper()
	for _, row := range decodeLines[resultRow](t, results) {
		claims = append(claims, row.Claims...)
	}
	return claims
}

func TestPrescreenAsksTheModelOnlyAboutUnclearClaims(t *testing.T) {
	t.Parallel()
	const rows = 60
	for _, tt := range []struct {
		flags, calibration string
		decided, requests  int
		slow               bool
	}{
		{"", "", 40, 20, false},
		{"--votes 3", "", 40, 60, false},
		{"--prescreen embedded", "--judge embedded", 40, 20, false},
		// The model makes unclear claims like clear ones, so that only those about elephants
		// can be decided. It finds a claim in each row first.
		{"--claims llm", "--claims llm", 20, 100, false},
		{"--profile ragas", "--profile ragas --judge lexical", 20, 100, true},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			if tt.slow && testing.Short() {
				t.Skip("loads a model, or repeats another case")
			}
			t.Parallel()
			server, dir := newTestServer(t), t.TempDir()
			if strings.Contains(tt.calibration, "llm") || strings.Contains(tt.calibration, "ragas") {
				tt.calibration += " --base-url " + server.URL
			}
			cal := writeBounds(t, strings.Fields(tt.calibration)...)
			server.calls.Store(0)
			out, summary := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "s.json")
			args := []string{"score", writePrescreenRows(t, rows), "--judge", "llm", "--prescreen", "lexical", "--calibration", cal, "--audit", "0", "--no-cache", "--base-url", server.URL}
			args = append(args, strings.Fields(tt.flags)...)
			got := mustRun(t, dir, nil, append(args, "--to", "none", "-o", out, "-o", out+".parquet", "-o", out+".html", "-o", out+".md", "--summary", summary)...)
			if n := int(server.calls.Load()); n != tt.requests {
				t.Errorf("got %d requests, want %d", n, tt.requests)
			}
			decided := 0
			for _, c := range claimsOf(t, readFile(t, out)) {
				if c.Prescreened {
					decided++
				}
				if c.Prescreened == strings.HasSuffix(c.Reason, "It says so.") || c.OfflineVerdict != "" {
					t.Errorf("got %+v, want the reason of the model unless the claim was decided offline", c)
				}
			}
			if decided != tt.decided {
				t.Errorf("got %d claims decided offline, want %d", decided, tt.decided)
			}
			checkSchema(t, "result.schema.json", strings.Split(strings.TrimSpace(readFile(t, out)), "\n")...)
			checkSchema(t, "summary.schema.json", readFile(t, summary))
			line := fmt.Sprintf("%d of %d claims decided offline", decided, rows)
			for _, text := range []string{got.stderr, readFile(t, out+".md"), readFile(t, out+".html")} {
				if !strings.Contains(text, line) {
					t.Errorf("got no line %q in %.400s", line, text)
				}
			}
			// Parquet holds the same rows.
			again := runInProcess(t, dir, nil, "report", out+".parquet", "--to", "none", "-q", "-o", filepath.Join(dir, "again.jsonl"))
			if again.code != exitOK || readFile(t, filepath.Join(dir, "again.jsonl")) != readFile(t, out) {
				t.Errorf("report: got exit code %d and other rows; stderr: %s", again.code, again.stderr)
			}
			if strings.Contains(tt.calibration, "llm") || strings.Contains(tt.calibration, "ragas") {
				return // a dry run judges sentences instead
			}
			dry := runInProcess(t, dir, nil, append(args, "--dry-run")...)
			for _, want := range []string{fmt.Sprintf("\ndecided offline   %10d", decided), fmt.Sprintf("\nrequests          %10d", tt.requests)} {
				if !strings.Contains(dry.stdout, want) {
					t.Errorf("dry run: got %s, want %q", dry.stdout, want)
				}
			}
		})
	}
}

// TestPrescreenResultsDoNotDependOnTheRun checks that concurrency, batches and resuming do
// not change which claims are decided or audited.
func TestPrescreenResultsDoNotDependOnTheRun(t *testing.T) {
	t.Parallel()
	cal, data := writeBounds(t), writePrescreenRows(t, 300)
	flags := []string{"--judge", "llm", "--prescreen", "lexical", "--calibration", cal, "--audit", "20%", "--seed", "3"}
	want := onlineRun(t, data, append(flags, "--concurrency", "1")...)
	audited := 0
	for _, c := range claimsOf(t, want) {
		if c.OfflineVerdict != "" {
			audited++
		}
	}
	if audited < 20 || audited > 60 {
		t.Errorf("got %d of 200 decided claims audited, want about 40", audited)
	}
	if got := onlineRun(t, data, append(flags, "--concurrency", "16")...); got != want {
		t.Error("results depend on the concurrency")
	}
	if got := onlineRun(t, data, append(flags, "--seed", "4")...); got == want {
		t.Error("another seed audits the same claims")
	}
	s, out := newBatchServer(t, nil), filepath.Join(t.TempDir(), "out.jsonl")
	got := runInProcess(t, t.TempDir(), nil, append([]string{"score", data, "--to", "none", "-o", out, "--base-url", s.url, "--batch", "--batch-poll", "1ms"}, flags...)...)
	if seen := s.Seen(); got.code != exitOK || readFile(t, out) != want || seen.Batches != 1 || seen.Batched != 100+audited {
		t.Errorf("batch: got exit code %d with %+v, want equal results with %d requests; stderr: %s", got.code, seen, 100+audited, got.stderr)
	}

	// A run that ends with an error is resumed: its summary is that of all rows.
	server, dir := newTestServer(t), t.TempDir()
	server.fault = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
		if n > 50 {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return n > 50
	}
	out = filepath.Join(dir, "out.jsonl")
	args := append([]string{"score", data, "--to", "none", "-o", out, "--summary", filepath.Join(dir, "s.json"), "--base-url", server.URL, "--no-cache"}, flags...)
	mustExit(t, runInProcess(t, dir, nil, args...), exitFailure)
	server.fault = nil
	checkExit(t, runInProcess(t, dir, nil, append(args, "--resume", "--audit", "0")...), exitUsage, "--audit was 0.2, is 0")
	if got := runInProcess(t, dir, nil, append(args, "--resume")...); got.code != exitOK || readFile(t, out) != want {
		t.Errorf("resumed: got exit code %d, want %d and equal results; stderr: %s", got.code, exitOK, got.stderr)
	}
	prescreen, _ := readJSON[map[string]any](t, filepath.Join(dir, "s.json"))["prescreen"].(map[string]any)
	if decided := float64(200 - audited); prescreen["decided"] != decided || prescreen["audited"] != float64(audited) {
		t.Errorf("got %v, want %v decided and %d audited", prescreen, decided, audited)
	}
}

// TestAuditOfPrescreen checks that the verdict of the model counts for audited claims, and
// that a model which often disagrees causes a warning.
func TestAuditOfPrescreen(t *testing.T) {
	t.Parallel()
	cal, data := writeBounds(t), writePrescreenRows(t, 90)
	for _, tt := range []struct {
		name     string
		supports bool // the model supports the claims about elephants
		warning  string
	}{
		{"agreement", false, ""},
		{"disagreement", true, "warning: --prescreen: the model agrees with 50% of the audited verdicts"},
	} {
		server, dir := newTestServer(t), t.TempDir()
		if tt.supports {
			server.fault = func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
				content := `{"verdicts":[{"claim_id":0,"chunk_ids":[0],"quote":"","reason":"It says so.","verdict":"supported"}]}`
				fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, content)
				return true
			}
		}
		out := filepath.Join(dir, "out.jsonl")
		got := runInProcess(t, dir, nil, "score", data, "--to", "none", "-o", out, "--summary", filepath.Join(dir, "s.json"), "--base-url", server.URL,
			"--judge", "llm", "--prescreen", "lexical", "--calibration", cal, "--audit", "1")
		if got.code != exitOK || strings.Contains(got.stderr, "warning: --prescreen") != (tt.warning != "") || !strings.Contains(got.stderr, tt.warning) {
			t.Errorf("%s: got exit code %d, stderr %s, want %q", tt.name, got.code, got.stderr, tt.warning)
		}
		audited := 0
		for _, c := range claimsOf(t, readFile(t, out)) {
			if c.Prescreened || c.Reason != "It says so." || tt.supports && c.Verdict != "supported" {
				t.Errorf("%s: got %+v, want the verdict of the model", tt.name, c)
			}
			if c.OfflineVerdict != "" {
				audited++
			}
		}
		if audited != 60 {
			t.Errorf("%s: got %d audited claims, want 60", tt.name, audited)
		}
		checkSchema(t, "summary.schema.json", readFile(t, filepath.Join(dir, "s.json")))
	}
}

// TestPrescreenLeavesForeignContextsToTheModel checks a row about which the bounds say nothing,
// even if they decide every claim.
func TestPrescreenLeavesForeignContextsToTheModel(t *testing.T) {
	t.Parallel()
	cal := writeBounds(t)
	bounds := regexp.MustCompile(`("(?:supported|unsupported)": \{\s*"bound": )[0-9.]+`)
	writeFile(t, cal, bounds.ReplaceAllString(readFile(t, cal), "${1}0.4"))
	row := `{"answer":"The tower by the port is closed to all visitors during the summer.","contexts":["Der Turm wurde 1889 gebaut, und er ist von Mai bis Oktober für die Besucher geöffnet."]}`
	server := newTestServer(t)
	got := runInProcess(t, t.TempDir(), nil, "score", tempFile(t, "rows.jsonl", row), "--to", "jsonl", "--judge", "llm", "--prescreen", "lexical", "--calibration", cal, "--audit", "0", "--base-url", server.URL)
	mustExit(t, got, exitOK)
	if server.calls.Load() != 1 || strings.Contains(got.stdout, "prescreened") || strings.Contains(got.stdout, `"verdict":"unjudged"`) {
		t.Errorf("got %d requests and %s, want 1 and the verdict of the model", server.calls.Load(), got.stdout)
	}
}

func TestPrescreenUsageErrors(t *testing.T) {
	t.Parallel()
	dir, cal, data := t.TempDir(), writeBounds(t), writePrescreenRows(t, 3)
	few, old := filepath.Join(dir, "few.json"), filepath.Join(dir, "old.json")
	_, results := writeLabelledRows(t)
	mustRun(t, dir, nil, "calibrate", results, "--label", "label", "-q", "--to", "none", "-o", few)
	content := readFile(t, cal)
	start := strings.Index(content, `"prescreen": {`)
	writeFile(t, old, content[:start]+content[start+strings.Index(content[start:], "\n  },\n")+len("\n  },\n"):])
	const advice = `score labelled rows with --judge lexical --keep LABEL`
	for _, tt := range []struct{ args, want string }{
		{"--claims llm --prescreen lexical", "--prescreen needs --judge llm"},
		{"--judge llm --audit 0.1", "--audit needs --prescreen"},
		{"--judge llm --prescreen lexical", "--prescreen needs the bounds in --calibration FILE.json: " + advice},
		{"--judge llm --prescreen lexical --calibration " + few, "few.json: no bounds: supported: "},
		{"--profile lynx --prescreen lexical --calibration " + cal, "--prescreen can't be used with --profile lynx"},
		{"--judge llm --prescreen lexical --calibration " + old, "old.json: no bounds: it is from an earlier version"},
		{"--judge llm --prescreen lexical --evidence joined --calibration " + cal, "was made for another judge: --evidence is joined"},
		{"--judge llm --prescreen lexical --claims llm --dry-run --calibration " + cal, "was made for another judge: --claims is llm"},
		{"--profile rag-evals --prescreen lexical --calibration " + cal, "--prescreen can't be used with --profile rag-evals"},
		{"--judge llm --prescreen lexical --threshold 0.7 --calibration " + cal, "--threshold can't be used with --prescreen"},
	} {
		server := newTestServer(t)
		got := runInProcess(t, dir, nil, append([]string{"score", data, "--base-url", server.URL, "--to", "none"}, strings.Fields(tt.args)...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, tt.want) || server.calls.Load() != 0 {
			t.Errorf("%s: got exit code %d, stderr %s, want %d and %q", tt.args, got.code, got.stderr, exitUsage, tt.want)
		}
	}
	// The threshold of a calibration without bounds can still be used.
	checkExit(t, runInProcess(t, dir, nil, "score", data, "-q", "--to", "none", "--judge", "lexical", "--calibration", old), exitOK)
}
