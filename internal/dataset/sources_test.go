package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRowsSetsSources(t *testing.T) {
	for text, want := range map[string][]Source{
		`["a", "b"]`:                    nil,
		`"a"`:                           nil,
		`[{"text": "a", "score": 0.5}]`: nil,
		`[{"text": "a", "id": 7, "title": "Plans"}, "b"]`:                                              {{ID: "7", Title: "Plans"}, {}},
		`[{"page_content": "a", "metadata": {"source": "docs/plans.pdf", "page": 3}}]`:                 {{URL: "docs/plans.pdf"}},
		`[{"content": "a", "meta": {"file_path": "x/faq.md", "url": "https://acme.com"}, "id": "d1"}]`: {{ID: "d1", File: "x/faq.md", URL: "https://acme.com"}},
		`[{"text": "a", "doc_id": "d1", "chunk_id": "d1-3"}]`:                                          {{ID: "d1", Part: "d1-3"}},
		`[{"text": "a", "id": "c9", "document_id": "d1"}]`:                                             {{ID: "c9", Part: "d1"}},
		`[{"text": ["a", "b"], "title": "T"}, {"text": "c"}]`:                                          {{Title: "T"}, {Title: "T"}, {}},
		`[{"text": [{"text": "a", "title": "inner"}, "b"], "title": "outer"}]`:                         {{Title: "inner"}, {Title: "outer"}},
		`{"title": ["A", "B"], "sentences": [["a1", "a2"], ["b1"]]}`:                                   {{Title: "A"}, {Title: "A"}, {Title: "B"}},
		`"[{\"text\": \"a\", \"id\": \"d1\"}]"`:                                                        {{ID: "d1"}},
		`[{"text": "a", "id": "` + strings.Repeat("x", maxSource+1) + `"}]`:                            nil,
	} {
		rows, last := read(t, "x.jsonl", `{"answer": "a", "contexts": `+text+`}`, Options{})
		if len(rows) != 1 || rows[0].Err != "" || last != "" {
			t.Fatalf("%s: got rows %+v, last error %q, want one row", text, rows, last)
		}
		row := rows[0].Row
		if d := cmp.Diff(want, row.Sources); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
		if row.Sources != nil && len(row.Sources) != len(row.Contexts) {
			t.Errorf("%s: got %d sources, want one for each of %d contexts", text, len(row.Sources), len(row.Contexts))
		}
	}
}
