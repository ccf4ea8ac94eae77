package dataset

import (
	"strings"
	"testing"
)

func TestCSVContinuesAfterRowErrors(t *testing.T) {
	head := "id,answer,contexts\n"
	for _, tt := range []struct{ text, want string }{
		{"1,a,x\n2,a\n3,a,x\n", "\nx.csv:3: want 3 fields, got 2\n"},
		{"1,a,x\n  \n2,a\n \n", "\nx.csv:4: want 3 fields, got 2"},
		{"1,a,x\n2,a,x,y\n3,a,x\n", "\nx.csv:3: want 3 fields, got 4\n"},
		{"1,a\"b,x,\n2,a,x\n", "\n"},
		{"1,a \"b, c\" d,x\n2,a,x\n", "x.csv:2: want 3 fields, got 4: a quote within field 2, which is not quoted\n"},
		{"1,\"a\"b,x\n2,a,x\n", "x.csv:2: a quote within field 2 that is not doubled\n"},
		{"1,\"a\nb\n\",x\n2,a,\n", "\nx.csv:5: contexts: no text to judge against"},
		{"1,\xff,x\n2,a,x\n", "x.csv:2: answer: " + notUTF8 + "\n"},
		{"1,a,\xff\n2,a,x\n", "x.csv:2: contexts: " + notUTF8 + "\n"},
		{"1,caf\xc3,\xa9 is\n2,a,x\n", "x.csv:2: answer: " + notUTF8 + "\n"}, // together they are é
		{"1,a,['x'\n2,a,x\n", "x.csv:2: contexts: invalid Python literal: unexpected end of input, at byte 5\n"},
	} {
		rows, last := read(t, "x.csv", head+tt.text, Options{})
		if got := errorsOf(rows); got != tt.want || last != "" {
			t.Errorf("%q: last error %q\ngot  %q\nwant %q", tt.text, last, got, tt.want)
		}
	}
	rows, _ := read(t, "x.csv", "id,answer,contexts,\xc3\xa4\n1,a,x,\xff\n", Options{KeepAll: true})
	if rows[0].Err != "x.csv:2: "+notUTF8 {
		t.Errorf("got rows %+v, want an error about invalid UTF-8", rows)
	}
}

func TestOpenQuoteEndsTheFile(t *testing.T) {
	const damage = "a quote is opened on line 3 and never closed"
	for _, tt := range []struct{ file, text, rows, last string }{
		{"x.csv", "answer,contexts\na,x\n\"b,x\nc,x\n", "", "x.csv: after row 1: " + damage},
		{"x.csv", "answer,contexts\na,x\nb,\"[\"\"x\"\", \"\"y", "", "x.csv: after row 1: " + damage},
		{"x.tsv", "answer\tcontexts\na\tx\n\"b\nc\tx\n", "", "x.tsv: after row 1: " + damage},
		{"x.csv", "generated text,passages\na b,x y.\n\"b c,x y.\nc,x y.\n", "", "x.csv: after row 1: " + damage},
		{"x.csv", "answer,contexts\n\"b,x\nc,x\n", "", "x.csv: a quote is opened on line 2 and never closed"},
		{"x.csv", "answer,contexts\na,x\n\"b\"c,x\nd,x\n", "\nx.csv:3: a quote within field 1 that is not doubled\n", ""},
		{"x.csv", "answer,contexts\na,x\n\"b\nc\",x\n", "\n", ""},
		{"x.csv", "answer,contexts\na,x\n\"b,x\nc,\"x\"\nd,x\n", "\nx.csv:3: a quote within field 1 that is not doubled, on line 4 (the field starts on line 3)\n", ""},
		{"x.csv", "answer,contexts\na,x\n\"b,x\n" + strings.Repeat("c,x\n", 200) + "d,\"x\"\n", "", "x.csv: after row 1: a quote within field 1 that is not doubled, on line 204 (the field starts on line 3)"},
	} {
		rows, last := read(t, tt.file, tt.text, Options{})
		if got := errorsOf(rows); got != tt.rows || last != tt.last {
			t.Errorf("%q: got row errors %q, last error %q, want %q and %q", tt.text, got, last, tt.rows, tt.last)
		}
	}
}

func TestRowsReportsOverlongRecords(t *testing.T) {
	long := strings.Repeat("x", 300)
	const good = `{"id":"b","answer":"a","contexts":["x"]}` + "\n"
	for _, tt := range []struct{ file, text, rows, last string }{
		{"x.jsonl", good + `{"answer":"` + long + `"}` + "\n" + good, "\nx.jsonl:2: record is too long: the limit is 200 bytes\n", ""},
		{"x.csv", "answer,contexts\na,x\n" + long + ",x\nb,x\n", "\nx.csv:3: record is too long: the limit is 200 bytes\n", ""},
		{"x.csv", "answer,contexts\na,x\n\"" + strings.Repeat("x\n", 300) + "\",x\nb,x\n", "", "x.csv: after row 1: line 3: record is too long: the limit is 200 bytes: is a quote left open?"},
		{"x.json", "[" + good + ",{\"a\":\"" + strings.Repeat(long, 1000) + "\"}]", "", "x.json: after row 1: record is too long: the limit is 200 bytes"},
	} {
		rows, last := read(t, tt.file, tt.text, Options{MaxRowBytes: 200})
		if got := errorsOf(rows); got != tt.rows || last != tt.last {
			t.Errorf("%s: got row errors %q, last error %q, want %q and %q", tt.file, got, last, tt.rows, tt.last)
		}
	}
}

func TestCellJSON(t *testing.T) {
	for cell, want := range map[string]string{
		"": "null", "0": "0", "-1.50": "-1.50", "1e5": "1e5", "1E-5": "1E-5", "007": `"007"`, "1.": `"1."`, ".5": `".5"`, "-": `"-"`,
		"1e": `"1e"`, "1e+": `"1e+"`, "NaN": `"NaN"`, "true": `"true"`, "1 ": `"1 "`, "+1": `"+1"`, "1x": `"1x"`, "a\"b": `"a\"b"`, "\xff": "\"\uFFFD\"",
	} {
		if got := string(cellJSON(cell)); got != want {
			t.Errorf("%q: got %s, want %s", cell, got, want)
		}
	}
}
