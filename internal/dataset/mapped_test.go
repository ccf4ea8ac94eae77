package dataset

import (
	"strings"
	"testing"
)

func TestMappedColumnsThatRowsLack(t *testing.T) {
	const (
		flat      = `{"reply":"A b.","ctx":["C d."]}` + "\n"
		nested    = `{"out":{"reply":"A b."},"ctx":["C d."]}` + "\n"
		documents = `{"answer":"A b.","out":{"docs":[{"text":"C d."}]}}` + "\n"
		objects   = `{"reply":"A b.","ctx":[{"text":"C d."}]}` + "\n"
		cell      = `"{""reply"": ""A b.""}",C d.` + "\n"
		named     = `{"key":"k","query_text":"Q?","answer":"A b.","contexts":["C d."]}` + "\n"
		unnamed   = `{"answer":"A b.","contexts":["C d."]}` + "\n"
		noReply   = "no answer: out.reply is missing or null"
	)
	repeat := func(row string) string { return strings.Repeat(row, 20) }
	for _, tt := range []struct {
		name, file, text, mapped string
		want                     string // error of the only row that fails, or of the file
	}{
		{"null in a path", "x.jsonl", repeat(nested) + `{"out":null,"ctx":["C d."]}` + "\n" + nested, "answer=out.reply contexts=ctx", "x.jsonl:21: " + noReply},
		{"null at a path", "x.jsonl", repeat(nested) + `{"out":{"reply":null},"ctx":["C d."]}` + "\n" + nested, "answer=out.reply contexts=ctx", "x.jsonl:21: " + noReply},
		{"other members", "x.jsonl", repeat(nested) + `{"out":{"error":"timeout"},"ctx":["C d."]}` + "\n" + nested, "answer=out.reply contexts=ctx", "x.jsonl:21: " + noReply},
		{"first row, path", "x.jsonl", `{"out":null,"ctx":["C d."]}` + "\n" + repeat(nested), "answer=out.reply contexts=ctx", "x.jsonl:1: " + noReply},
		{"first row, column", "x.jsonl", `{"ctx":["C d."]}` + "\n" + repeat(flat), "answer=reply contexts=ctx", `x.jsonl:1: no answer: looked for "reply"; found ctx; choose one with --map answer=COLUMN`},
		{"no documents", "x.jsonl", repeat(documents) + `{"answer":"A b.","out":{}}` + "\n" + documents, "contexts=out.docs[*].text", "x.jsonl:21: no contexts: out.docs[*].text is missing or null"},
		{"null instead of a list", "x.jsonl", repeat(objects) + `{"reply":"A b.","ctx":null}` + "\n" + objects, "answer=reply contexts=ctx[*].text", "x.jsonl:21: no contexts: ctx[*].text is missing or null"},
		{"no element", "x.jsonl", repeat(objects) + `{"reply":"A b.","ctx":[]}` + "\n" + objects, "answer=reply contexts=ctx[0].text", "x.jsonl:21: no contexts: ctx[0].text is missing or null"},
		{"JSON in a cell", "x.csv", "out,ctx\n" + repeat(cell) + "{},C d.\n" + cell, "answer=out.reply contexts=ctx", "x.csv:22: " + noReply},
		{"all rows, path", "x.jsonl", repeat(nested), "answer=out.rply contexts=ctx", `x.jsonl: --map answer=out.rply: no such column; the columns are out.reply, ctx`},
		{"all rows, null", "x.jsonl", repeat(`{"out":{"reply":null},"ctx":["C d."]}` + "\n"), "answer=out.reply contexts=ctx", "x.jsonl: " + noReply},
		{"all rows, column", "x.json", "[" + strings.Repeat(strings.TrimSpace(flat)+",", 20) + strings.TrimSpace(flat) + "]", "answer=rply contexts=ctx", `x.json: --map answer=rply: no such column; the columns are reply, ctx`},
		{"question", "x.jsonl", repeat(named), "question=querytext", `x.jsonl: --map question=querytext: no such column; the columns are key, query_text, answer, contexts`},
		{"id", "x.jsonl", named, "id=kee", `x.jsonl: --map id=kee: no such column; the columns are key, query_text, answer, contexts`},
		{"id of nested rows", "x.jsonl", repeat(nested), "answer=out.reply contexts=ctx id=kee", `x.jsonl: --map id=kee: no such column; the columns are out.reply, ctx`},
		{"question of the first row only", "x.jsonl", named + repeat(unnamed), "question=query_text id=key", ""},
		{"question of a later row", "x.jsonl", unnamed + named + repeat(unnamed), "question=query_text id=key", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{Map: map[Field]string{}}
			for _, pair := range strings.Fields(tt.mapped) {
				field, column, _ := strings.Cut(pair, "=")
				opts.Map[Field(field)] = column
			}
			rows, last := read(t, tt.file, tt.text, opts)
			failed := strings.Trim(errorsOf(rows), "\n")
			if got := strings.TrimSpace(failed + "\n" + last); got != tt.want {
				t.Errorf("got error %q, want %q", got, tt.want)
			}
			if failed != "" && len(rows) < 21 {
				t.Errorf("got %d rows, want all", len(rows))
			}
		})
	}
}
