package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A change modifies a row without changing its meaning, so its score must not change.
type change func(answer string, contexts []string) (string, []string)

// before and after insert a mark before and after the final period of an answer.
func before(mark string) change {
	return func(a string, c []string) (string, []string) {
		body := strings.TrimRight(a, ".")
		return body + mark + a[len(body):], c
	}
}

func after(mark string) change {
	return func(a string, c []string) (string, []string) { return a + mark, c }
}

func wrapped(begin, end string) change {
	return func(a string, c []string) (string, []string) { return begin + a + end, c }
}

// framed prepends an introduction to an answer and lower-cases its first word unless it
// is a name.
func framed(frame string) change {
	notNames := map[string]bool{"The": true, "A": true, "An": true, "This": true, "It": true, "He": true, "She": true, "They": true, "In": true, "There": true, "To": true, "You": true, "Yes": true}
	return func(a string, c []string) (string, []string) {
		if first, _, _ := strings.Cut(a, " "); notNames[first] {
			a = strings.ToLower(a[:1]) + a[1:]
		}
		return frame + a, c
	}
}

func inAnswer(pattern, with string) change {
	re := regexp.MustCompile(pattern)
	return func(a string, c []string) (string, []string) { return re.ReplaceAllString(a, with), c }
}

func inContexts(edit func(string) string) change {
	return func(a string, c []string) (string, []string) {
		out := make([]string, len(c))
		for i := range c {
			out[i] = edit(c[i])
		}
		return a, out
	}
}

func replaced(pattern, with string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(s string) string { return re.ReplaceAllString(s, with) }
}

// changes returns all changes by name.
func changes() map[string]change {
	all := map[string]change{
		"reasoning":                  wrapped("<reasoning>\nPassage 2 has 7 of them.\n</reasoning>\n", ""),
		"end of reasoning":           wrapped("They ask for it. I look at the 3 passages.\n</think>\n\n", ""),
		"a tag":                      wrapped("<answer>", "</answer>"),
		"tags":                       wrapped("<div class=\"a\"><h2>Answer</h2><p>", "</p></div>"),
		"tagged sources":             after("\n<sources>1, 2</sources>"),
		"JSON":                       jsonAnswer,
		"an ordered list":            wrapped("<ol><li>", "</li></ol>"),
		"emoji":                      wrapped("✅ ", " 🎉"),
		"soft hyphens":               inAnswer(`([a-z]{4})([a-z]{4})`, "$1\u00ad$2"),
		"thin spaces":                inAnswer(`(\d) (\w)`, "$1\u2009$2"),
		"word joiners":               inAnswer(` `, " \u2060"),
		"entities":                   inAnswer(`'`, "&#39;"),
		"a citation inside":          inAnswer(`, `, " [2], "),
		"a citation without a space": inAnswer(`(\pL{4}) and `, "$1[2] and "),
		"a superscript inside":       inAnswer(`(\pL{4}), `, "$1<sup>2</sup>, "),
		"CRLF in contexts":           inContexts(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }),
		"bold contexts":              inContexts(replaced(`\b([A-Z]\w{3,})\b`, "**$1**")),
		"HTML contexts": inContexts(func(s string) string {
			return "<html><body><p>" + strings.ReplaceAll(s, "&", "&amp;") + "</p></body></html>"
		}),
		"hidden in context": inContexts(func(s string) string { return strings.ReplaceAll(s, " ", " \u200b") }),
		"soft in contexts":  inContexts(replaced(`([a-z]{4})([a-z]{4})`, "$1\u00ad$2")),
		"ligatures":         inContexts(func(s string) string { return strings.NewReplacer("fi", "ﬁ", "fl", "ﬂ").Replace(s) }),
		"narrow contexts":   inContexts(replaced(`(.{50,60}) `, "$1\n")),
		"quoted contexts":   inContexts(func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }),
		"a page footer":     inContexts(func(s string) string { return s + "\n\nPage 3 of 12\n" }),
		"a source line":     inContexts(func(s string) string { return "Source: https://docs.example.com/a\n" + s }),
	}
	for _, mark := range []string{
		"[3]", "[2, 4]", "[1-3]", "[Doc. 2]", "(ref. 4)", "[source: FAQ]", "(Doc 2, p. 5)", "[web:1]", "(pp. 3-5)", "[Handbook, section 4]", "(WHO, 2020)",
		"[a3f8c2d1]", "[chunk_12]", "[#3]", "(see [2])", "［1］", "〔1〕", "[report_final.docx, p. 7]", "(Source: Handbook)", "(Miller & Jones, 2019; Smith, 2020)",
		"[turn0search3]", "[1](https://x.example/y)", "([faq.md](https://x.example/faq.md))", "【4:0†source】", "<ref>1</ref>", "²", "[^note]",
	} {
		all["before the period: "+mark] = before(" " + mark)
		all["after the period: "+mark] = after(" " + mark)
	}
	for _, list := range []string{
		"\n\nSources: [1] a.pdf, [2] b.pdf", "\n\n---\nSources\n- a.pdf\n- b.pdf", "\n\n## References\n\n- [Handbook](https://x.example/h)", "\n\n[1]: https://x.example/a\n[2]: https://x.example/b",
		"\n\nReferences:\nSmith, J. (2020). Energy prices. Journal of Energy, 12(3), 4-9.", "\n\n[^1]: Handbook, p. 4", "\n\n(Source: Handbook, section 4)",
		"\n\nNote: this information comes solely from the documents above.", "\n\n*Disclaimer: This is an AI-generated summary and may contain errors.*", "\n\n_This is not legal advice._",
		" If you need anything else, just ask.", " Would you like me to explain further?", " Happy to help with anything else!", "\n\nI hope that answers your question.", " Just let me know!",
	} {
		all["appended: "+strings.TrimSpace(list)] = after(list)
	}
	for _, frame := range []string{
		"According to the retrieved documents, ", "As stated in the passages, ", "Per the sources, ", "The context states that ", "Based on the information provided, ",
		"Based on the search results, ", "According to the handbook, ", "It is stated in the context that ",
	} {
		all["frame: "+frame] = framed(frame)
	}
	for _, label := range []string{"Final answer: ", "**Short answer:** ", "TL;DR: ", "In summary, ", "Response: ", "Here's what I found: ", "Certainly! ", "### Answer\n\n", "> ", "* ", "a) "} {
		all["label: "+label] = wrapped(label, "")
	}
	return all
}

func jsonAnswer(a string, c []string) (string, []string) {
	b, err := json.Marshal(map[string]any{"answer": a, "confidence": 0.9, "sources": []string{"plans.pdf"}})
	if err != nil {
		return a, c
	}
	return "```json\n" + string(b) + "\n```", c
}

// TestScoresIgnoreMeaninglessChanges checks that at most 1% of the scores of real rows
// change over all changes, and for any single one those of at most one row, and one more for each 25.
func TestScoresIgnoreMeaninglessChanges(t *testing.T) {
	t.Parallel()
	skipShort(t)
	t.Run("lexical", func(t *testing.T) { t.Parallel(); testChanges(t, "lexical", 60) })
	t.Run("embedded", func(t *testing.T) { t.Parallel(); testChanges(t, "embedded", 5) })
}

// testChanges changes the first n suitable rows of testdata.
func testChanges(t *testing.T, judge string, n int) {
	t.Helper()
	const maxTotal, perRow = 0.01, 25
	type row struct {
		ID       string   `json:"id"`
		Question string   `json:"question"`
		Answer   string   `json:"answer"`
		Contexts []string `json:"contexts"`
	}
	var out strings.Builder
	write := func(r row) {
		b := must(json.Marshal(r))
		out.Write(append(b, '\n'))
	}
	all, used := changes(), 0
	for _, r := range decodeLines[row](t, readFile(t, testdataDir+"rows.jsonl")) {
		// Answers end with a period and have no citations yet.
		r.Answer = strings.TrimSpace(r.Answer)
		if used == n || !strings.HasSuffix(r.Answer, ".") || strings.ContainsAny(r.Answer, "[\n|") {
			continue
		}
		used++
		id := r.ID
		r.ID = id + "\tunchanged"
		write(r)
		for name, change := range all {
			changed := row{ID: id + "\t" + name, Question: r.Question}
			changed.Answer, changed.Contexts = change(r.Answer, r.Contexts)
			write(changed)
		}
	}
	results := mustExit(t, scoreInProcess(t, nil, tempFile(t, "changed.jsonl", out.String()), "--judge", judge, "--to", "jsonl"), exitOK)
	scores := map[string]map[string]string{}
	for idAndName, score := range scoresIn(t, results.stdout) {
		id, name, _ := strings.Cut(idAndName, "\t")
		if scores[id] == nil {
			scores[id] = map[string]string{}
		}
		scores[id][name] = "null"
		if score != nil {
			scores[id][name] = fmt.Sprint(*score)
		}
	}
	changed, total := 0, 0
	for name := range all {
		n := 0
		for _, by := range scores {
			total++
			if by[name] != by["unchanged"] {
				n++
			}
		}
		changed += n
		if want := 1 + len(scores)/perRow; n > want {
			t.Errorf("%q changes %d of %d scores, want at most %d", name, n, len(scores), want)
		}
	}
	t.Logf("%d rows, %d changes: %d of %d scores changed", len(scores), len(all), changed, total)
	if len(scores) < min(n, 25) || float64(changed) > maxTotal*float64(total) {
		t.Errorf("%d of %d scores of %d rows changed, want at most %.0f%%", changed, total, len(scores), 100*maxTotal)
	}
}
