package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// rowsWithMarkers contain citations and list markers.
const rowsWithMarkers = `{"id":"cited","answer":"The hotel on the lake has 20 guest rooms [7]. The hotel on the lake has a garden [7].","contexts":["The hotel [14] on the lake has guest rooms [14]. It has lifts."]}
{"id":"listed","answer":"1. The hotel on the lake has 20 guest rooms.\n2. The hotel on the lake has 30 boats.","contexts":["Hotels:\n14. The hotel on the lake has guest rooms."]}
{"id":"bracket","answer":"The hotel on the lake has guest rooms [fn 20, 30] and boats.","contexts":["The hotel on the lake has lifts."]}
`

// forEachClaim calls check for every judged claim of the rows in testdata and, if set, in
// the directory RAGFAITH_TEST_DATA.
func forEachClaim(t *testing.T, check func(r *resultRow, c *resultClaim)) {
	t.Helper()
	marked := tempFile(t, "marked.jsonl", rowsWithMarkers)
	argSets := [][]string{{testdataDir + "rows.jsonl"}, {testdataDir + "examples.jsonl"}, {testdataDir + "probes.jsonl"}, {marked}}
	if dir := os.Getenv("RAGFAITH_TEST_DATA"); dir != "" {
		argSets = append(argSets, []string{filepath.Join(dir, "suite-dev.jsonl.zst")}, []string{filepath.Join(dir, "mtrag-human-dev.jsonl.zst")},
			[]string{filepath.Join(dir, "grounded-train.jsonl.zst"), "--map", "answer=hypothesis", "--map", "contexts=premise", "--limit", "5000"})
	}
	for _, datasetArgs := range argSets {
		args := append([]string{"--judge", "lexical", "--to", "jsonl"}, datasetArgs...)
		stdout := scoreCached(t, filepath.Base(datasetArgs[0]), args...)
		claims := 0
		for _, r := range decodeLines[resultRow](t, stdout) {
			for i := range r.Claims {
				if r.Claims[i].Verdict != "" {
					claims++
					check(&r, &r.Claims[i])
				}
			}
		}
		t.Logf("%s: %d claims", filepath.Base(datasetArgs[0]), claims)
	}
}

// scoreCache stores results by run name, because several tests check the same rows.
var scoreCache = struct {
	sync.Mutex
	results map[string]string
}{results: map[string]string{}}

// scoreCached returns the results of scoring rows with the given arguments. It scores each
// name once.
func scoreCached(t *testing.T, name string, args ...string) string {
	t.Helper()
	scoreCache.Lock()
	defer scoreCache.Unlock()
	results, ok := scoreCache.results[name]
	if !ok {
		results = mustExit(t, scoreInProcess(t, nil, args...), exitOK, exitFailedRows).stdout
		scoreCache.results[name] = results
	}
	return results
}

var (
	missingValueRE = regexp.MustCompile(`^“([^”]*)” is not in the contexts(?: \(nearest: “([^”]*)”\))?;`)

	missingWordsRE = regexp.MustCompile(`; not in the contexts: ([^”]*)$`)
)

// normalizeForSearch converts text to lower case and removes accents, hyphens, apostrophes,
// and separators in numbers.
func normalizeForSearch(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("'’‐‑-", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	return regexp.MustCompile(`(\d)[., ]+(\d)`).ReplaceAllString(text, "$1$2")
}

func TestReasonsListOnlyMissingWords(t *testing.T) {
	t.Parallel()
	checked := 0
	forEachClaim(t, func(r *resultRow, c *resultClaim) {
		contexts := strings.Join(r.Contexts, "\n")
		lower, plain := strings.ToLower(contexts), normalizeForSearch(contexts)
		var missing []string
		if m := missingValueRE.FindStringSubmatch(c.Reason); m != nil {
			missing = append(missing, m[1])
		}
		if m := missingWordsRE.FindStringSubmatch(c.Reason); m != nil {
			missing = append(missing, strings.Split(m[1], ", ")...)
		}
		for _, w := range missing {
			checked++
			w = strings.TrimSuffix(w, "…")
			if strings.Contains(lower, strings.ToLower(w)) {
				t.Errorf("%s: %q is in the contexts: %s", r.ID, w, c.Reason)
			}
			word := regexp.MustCompile(`(^|[^\pL\pN\pM])` + regexp.QuoteMeta(normalizeForSearch(w)) + `($|[^\pL\pN\pM])`)
			if word.MatchString(plain) {
				t.Errorf("%s: contexts contain a variant of %q: %s", r.ID, w, c.Reason)
			}
		}
	})
	if checked < 100 {
		t.Errorf("got %d words and numbers reported as missing, want at least 100", checked)
	}
}

func TestClaimsHaveEvidence(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	forEachClaim(t, func(r *resultRow, c *resultClaim) {
		want := map[string]string{"supported": "", "contradicted": "contradicts", "not_mentioned": "nearest"}[c.Verdict]
		count[c.Verdict]++
		if len(c.Evidence) == 0 {
			t.Errorf("%s: %s claim %q has no evidence: %s", r.ID, c.Verdict, c.Text, c.Reason)
		}
		for _, e := range c.Evidence {
			if e.Role != want {
				t.Errorf("%s: evidence of a %s claim has the role %q, want %q", r.ID, c.Verdict, e.Role, want)
			}
			if text := []rune(r.Contexts[e.Chunk]); e.Quote == "" || string(text[e.Start:e.End]) != e.Quote {
				t.Errorf("%s: quote %q is not at %d:%d of chunk %d", r.ID, e.Quote, e.Start, e.End, e.Chunk)
			}
		}
		if len(c.Evidence) > 0 && !strings.Contains(c.Reason, "chunk ") {
			t.Errorf("%s: reason does not cite a chunk: %s", r.ID, c.Reason)
		}
		const maxReason = 1200
		if n := utf8.RuneCountInString(c.Reason); n == 0 || n > maxReason || !utf8.ValidString(c.Reason) || strings.ContainsFunc(c.Reason, unicode.IsControl) {
			t.Errorf("%s: invalid reason of %d characters: %q", r.ID, n, c.Reason)
		}
	})
	t.Logf("verdicts: %v", count)
	if count["not_mentioned"] == 0 || count["contradicted"] == 0 {
		t.Errorf("got verdicts %v, want contradicted and not_mentioned", count)
	}
}
