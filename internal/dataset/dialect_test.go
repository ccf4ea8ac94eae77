package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDetectDialect(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       dialect
	}{
		{"comma", "a,b,c\n1,2,3\n", dialect{comma: ','}},
		{"semicolon with commas in cells", "a;b, or x;c\n1,5;2,5;3,5\n1,5;2;3\n", dialect{comma: ';'}},
		{"comma with semicolons in cells", "a,b;x,c\nx;y;z,2,3\n1,2;3,4\n", dialect{comma: ','}},
		{"quoted header", "\"a,x\";\"b\"\n\"1\";\"2,3\"\n", dialect{comma: ';'}},
		{"header only", "a;b;c", dialect{comma: ';'}},
		{"delimiter within quotes", "a,b\n\"x\n;y;\n;z\",2\n", dialect{comma: ','}},
		{"incomplete last record", "a;b\n1;2\n3", dialect{comma: ';'}},
		{"backslash at the end of a field", "a,b\n\"C:\\\",\"x\"\n", dialect{comma: ','}},
		{"JSON with doubled quotes", "a,b\n\"[\"\"x \\\"\"y\\\"\" z\"\"]\",1\n", dialect{comma: ','}},
		{"quote at the start", "\"\"", dialect{comma: ','}},
	} {
		if got := detectDialect([]byte(tt.text), 0, ','); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if got := detectDialect([]byte("a;b\n"), '|', ','); got != (dialect{comma: '|'}) {
		t.Errorf("got %+v, want the given delimiter", got)
	}
}

func TestTablesOfOtherDialects(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		opts             Options
		want             []string // see rowTexts
	}{
		{"Excel in German", "x.csv", "id;answer;contexts;p\r\n;ja, so;\"a;b\";3,14\r\n", Options{}, []string{"|ja, so|a;b"}},
		{"sep line", "x.csv", "sep=;\r\nanswer;contexts\r\na;x\r\n", Options{}, []string{"|a|x"}},
		{"sep line and --delimiter", "x.csv", "sep=;\nanswer|contexts\na;b|x\n", Options{Delimiter: '|'}, []string{"|a;b|x"}},
		{"tabs in .csv", "x.csv", "answer\tcontexts\na, \"b\"\tx\n", Options{}, []string{`|a, "b"|x`}},
		{"commas in .tsv", "x.tsv", "answer,contexts\na,x\n", Options{}, []string{"|a|x"}},
		{"tsv by option", "x.csv", "answer\tcontexts\na,b,c\tx\n", Options{Format: TSV}, []string{"|a,b,c|x"}},
		{"given delimiter", "x.csv", "answer^contexts\na;b^x;y\n", Options{Delimiter: '^'}, []string{"|a;b|x;y"}},
		{"given delimiter without extension", "x", "[answer^contexts^[\na^x^\n", Options{Delimiter: '^', Map: map[Field]string{FieldAnswer: "[answer"}}, []string{"|a|x"}},
		{"space as the delimiter", "x.csv", "answer contexts\n\"a b\" \"x y\"\n", Options{Delimiter: ' '}, []string{"|a b|x y"}},
		{"spaces in the header", "x.csv", " answer ,\"contexts \",k\na,x,1\n", Options{}, []string{"|a|x"}},
		{"spaces after commas", "x.csv", "answer, contexts\na, \"x, y\"\n", Options{}, []string{"|a|x, y"}},
		{"spaces after quotes", "x.csv", "answer,contexts\n\"a\" ,\"x\" \n", Options{}, []string{"|a|x"}},
		{"pandas index", "x.csv", ",answer,contexts\n0,a,x\n1,b,y\n", Options{}, []string{"|a|x", "|b|y"}},
		{"trailing delimiters", "x.csv", "answer,contexts,,\na,x,,\nb,y\nc,z,,1\n", Options{KeepAll: true}, []string{"|a|x", "|b|y", "!x.csv:4: text beyond column 2, the last one with a name"}},
		{"trailing delimiters below the header", "x.csv", "answer,contexts\na,x,\nb,y,,\nc,z,,1\n", Options{}, []string{"|a|x", "|b|y", "!x.csv:4: want 2 fields, got 4"}},
		{"rows of empty fields", "x.csv", "answer;contexts\n\n;\na;x\n ; \n;;;\n", Options{}, []string{"|a|x"}},
		{"header twice", "x.csv", "answer,contexts\na,x\n\ufeffanswer,contexts\nb,y\n", Options{}, []string{"|a|x", "|b|y"}},
		{"Spark escapes", "x.csv", "answer,contexts\n\"\",y\n\"say \\\"hi\\\", ok\",\"[\\\"a \\\\\\\"b\\\\\\\"\\\", \\\"c\\\"]\"\n", Options{}, []string{"||y", `|say "hi", ok|a "b"|c`}},
		{"escaped quotes between tabs", "x.tsv", "answer\tcontexts\nsay \\\"hi\\\"\t\"[\\\"Intro\\nParis\\\", \\\"End\\\"]\"\n", Options{}, []string{"|say \"hi\"|Intro\nParis|End"}},
		{"escaped quotes in fields without quotes", "x.csv", "answer,contexts\na,[\\\"Intro\\\\nParis\\\"]\n\"b, \\\"c\\\"\",x\n", Options{}, []string{"|a|Intro\nParis", `|b, "c"|x`}},
		{"doubled backslashes", "x.csv", "answer,contexts\n\"in C:\\\\temp\",\"[\\\"a\\\\nb\\\"]\"\nC:\\\\new,x\n", Options{}, []string{"|in C:\\temp|a\nb", `|C:\new|x`}},
		{"JSON between tabs", "x.tsv", "answer\tcontexts\na\t[\"x \\\"y\\\" z\"]\n", Options{}, []string{`|a|x "y" z`}},
		{"escaped twice", "x.jsonl", `{"answer":"a","contexts":"[\\\"x\\\"]"}`, Options{}, []string{"!x.jsonl:1: contexts: invalid Python literal: expected a value, at byte 2"}},
		{"quotes in a tab-separated text", "x.tsv", "answer\tcontexts\n\"Yes\" he said\tx\n\"b\ty\nc\"\t\"z\"\"\ny\"\n", Options{}, []string{`|"Yes" he said|x`, "|b\ty\nc|z\"\ny"}},
		{"quotes that are not closed between tabs", "x.tsv", "answer\tcontexts\na\t\"x\n\"b\ty\nc\tthe \"z\"\nd\t\"v\nw\"\n\"e\tu\n", Options{}, []string{`|a|"x`, `|"b|y`, `|c|the "z"`, "|d|v\nw", `|"e|u`}},
		{"one that is not closed before one within a text", "x.tsv", "k\tanswer\tcontexts\n1\ta\t\"x\n2\tb\ta 5\" y\n3\tc\tz\n", Options{}, []string{`|a|"x`, `|b|a 5" y`, "|c|z"}},
		{"one that is not closed before one at the end", "x.tsv", "k\tanswer\tcontexts\n1\ta\t\"x\n\n2\t5\"\ty\n3\t\"b\t6\" z\n4\tc\t\"v\nw\"\n", Options{}, []string{`|a|"x`, `|5"|y`, `|"b|6" z`, "|c|v\nw"}},
		{"one that is not closed beside escaped ones", "x.tsv", "answer\tcontexts\na\t[\"x \\\"y\\\".\"]\n\"b\ty\nc \"d\"\tz\n", Options{}, []string{`|a|x "y".`, `|"b|y`, `|c "d"|z`}},
		{"one that is not closed in a short record", "x.tsv", "k\tanswer\tcontexts\n1\t\"a\n2\tb \"c\"\tx\n3\t\"d\n\"\"e\"\" f\"\ty\n", Options{}, []string{"!x.tsv:2: want 3 fields, got 2", `|b "c"|x`, "|d\n\"e\" f|y"}},
		{"carriage returns within quotes", "x.csv", "answer,contexts\r\n\"a\r\nb\nc\rd\",x\r\n", Options{}, []string{"|a\r\nb\nc\rd|x"}},
		{"carriage returns alone", "x.csv", "answer,contexts\ra,x\rb,y\r", Options{}, []string{"!x.csv: header: a carriage return; if lines end in it alone, convert it with: tr '\\r' '\\n' <FILE >rows.csv"}},
		{"line feeds converted twice", "x.csv", "answer,contexts\r\r\na,\"x\"\r\r\nb,y\r\r\n", Options{}, []string{"|a|x", "|b|y"}},
		{"NUL byte", "x.csv", "answer,contexts,k\na,x,\x00\n\x00b,y,1\nc,z,1\n", Options{}, []string{"!x.csv:2: a NUL byte", "!x.csv:3: answer: a NUL byte", "|c|z"}},
		{"one bad character", "x.csv", "answer,contexts\ncaf\xe9,x\nü,y\n", Options{}, []string{"!x.csv:2: answer: " + notUTF8, "|ü|y"}},
	} {
		var warned []string
		tt.opts.Warn = func(err error) { warned = append(warned, err.Error()) }
		if d := cmp.Diff(tt.want, rowTexts(read(t, tt.file, tt.text, tt.opts))); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		want := map[string]string{"rows of empty fields": "/x.csv: skipped rows of empty fields", "header twice": "/x.csv:3: skipped a repeated header"}[tt.name]
		if got := strings.Join(warned, "\n"); !strings.HasSuffix(got, want) || len(warned) > 1 || want == "" && got != "" {
			t.Errorf("%s: got warnings %q, want %q", tt.name, warned, want)
		}
	}
}
