package dataset

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func TestFormatOfContentOverridesName(t *testing.T) {
	const one, table = `{"answer":"a","contexts":["x"]}`, "answer,contexts\na,x\n"
	const pretty = "{\n  \"answer\": \"a\",\n  \"contexts\": [\"x\"]\n}\n"
	for _, tt := range []struct {
		name, text string
		rows       int
		last       string
	}{
		{"x.json", one, 1, ""},
		{"x.json", pretty, 1, ""},
		{"x.json", pretty + pretty, 2, ""},
		{"x.json", pretty + "\n" + one + one, 3, ""},
		{"x.json", one + "\n" + one, 2, ""},
		{"x.json", table, 1, ""},
		{"x.json", pretty + "{\n \"answer\": ", 1, "x.json: after row 1: line 6: invalid JSON: unexpected end of input, at column 12"},
		{"x.json", pretty + "7", 2, ""},
		{"x.json", pretty + "]", 1, "x.json: after row 1: line 5: invalid JSON: invalid character ']' at start of value, at column 1"},
		{"x.jsonl", "[" + one + "]", 1, ""},
		{"x.jsonl", "[\n  " + one + ",\n  " + one + "\n]\n", 2, ""},
		{"x.jsonl", pretty + pretty, 2, ""},
		{"x.jsonl", table, 1, ""},
		{"x.jsonl", "answer;contexts\r\na;x\r\n", 1, ""},
		{"x.jsonl", "Loading model, please wait\n" + one + "\n", 2, ""},
		{"x.jsonl", one + ",\n" + one + ",\n", 2, ""},
		{"x.json", "[" + one + "]\n\n[]\n[" + one + "," + one + "]", 3, ""},
		{"x.json", "[" + one + "] [{\"score\":NaN," + one[1:] + "," + one + "]", 3, ""},
		{"x.json", strings.Repeat("[] ", 100_000) + "[" + one + "]", 1, ""},
		{"x.json", `"[{\"answer\":\"a, b\"}]"`, 0, "x.json: want an array of objects, got a string that contains JSON: convert it with: jq -r . FILE"},
		{"x.csv", "answer~contexts\na~x\n", 0, "x.csv: no answer: looked for answer, response, output, actual_output; found answer~contexts; choose one with --map answer=COLUMN; is there a delimiter other than comma, tab, semicolon and |? set it with --delimiter"},
		{"x.jsonl", "\ufeff" + one + "\n\ufeff" + one + "\n", 2, ""},
		{"x.csv", one + "\n" + one, 2, ""},
		{"x.csv", "[" + one + "]", 1, ""},
		{"x.tsv", pretty, 1, ""},
		{"x.log", one + "\n" + one, 2, ""},
		{"x.txt", "[ " + one + "]", 1, ""},
		{"x", pretty + pretty, 2, ""},
		{"x", "answer|contexts\na|x\n", 1, ""},
		{"x", "answer\tcontexts\na,b,c\tx\n", 1, ""},
		{"x.json", "// rows\n[]", 0, "x.json: line 1: invalid JSON: invalid character '/' at start of value, at column 1"},
		{"x.json", "[" + one + ", // the first\n" + one + "]", 1, "x.json: after row 1: line 1: element 1: invalid JSON: invalid character '/' at start of value, at column 35"},
		{"x.json", "[" + one + ",\n]", 1, "x.json: after row 1: line 1: element 1: invalid JSON: invalid character ',' at start of value, at column 33"},
		{"x.json", "[{'answer': 'a'}]", 0, "x.json: line 1: element 0: invalid JSON: invalid character '\\'' at start of string (expecting '\"'), at column 3"},
		{"x.json", `{"mean": NaN, "data": [` + one + `]}`, 1, ""},
		{"x.json", "{\n\"score\": NaN,\n\"answer\": \"a\",\n\"contexts\": [\"x\"]}\n" + one, 2, ""},
		{"x.json", pretty + "{\"score\":-Infinity," + one[1:] + one, 3, ""},
	} {
		rows, last := read(t, tt.name, tt.text, Options{})
		if len(rows) != tt.rows || last != tt.last {
			t.Errorf("%s: %q: got %d rows, last error %q\nwant %d rows, last error %q", tt.name, tt.text, len(rows), last, tt.rows, tt.last)
		}
	}
	rows, _ := read(t, "x.json", "\n"+pretty+"\n"+pretty+"[]", Options{})
	if len(rows) != 3 || rows[0].Row.Line != 2 || rows[1].Row.Line != 7 || rows[2].Err != "x.json:11: want an object, got an array" {
		t.Errorf("got rows %+v, want lines 2, 7 and 11", rows)
	}
}

func TestDamagedTextFailsOnlyItsRow(t *testing.T) {
	good := `{"answer":"a","contexts":["x"]}`
	nul := `{"answer":"a` + "\x00" + `","contexts":["x"]}`
	bad := `{"answer":"a` + "\xff" + `","contexts":["x"]}`
	invalid := map[string]string{
		"x.jsonl": "invalid JSON: invalid character '\\x00' in string (expecting non-control character), at column 13",
		"x.json":  "invalid JSON: a control character in a string",
	}
	fill := strings.Repeat(good+"\n", 300) // longer than what is sampled
	for name, text := range map[string]string{
		"first": nul + "\n" + bad + "\n" + good, "late": fill + nul + "\n" + bad + "\n" + good,
	} {
		at := strings.Count(strings.Split(text, nul)[0], "\n")
		for file, text := range map[string]string{"x.jsonl": text, "x.json": "[" + strings.ReplaceAll(text, "\n", ",\n") + "]"} {
			rows, last := read(t, file, text, Options{})
			if len(rows) != at+3 || last != "" {
				t.Fatalf("%s, %s: got %d rows, last error %q, want %d rows", file, name, len(rows), last, at+3)
			}
			if got := errorsOf(rows); strings.Count(got, file) != 2 || !strings.HasSuffix(rows[at].Err, invalid[file]) || !strings.Contains(rows[at+1].Err, "invalid UTF-8, at column 13") {
				t.Errorf("%s, %s: got row errors %q", file, name, strings.TrimSpace(got))
			}
		}
	}
	rows, _ := read(t, "x.json", "[{\"answer\":\"a\n\"},\n"+good+",\n7]", Options{})
	if len(rows) != 3 || rows[1].Row.Line != 3 || rows[2].Err != "x.json:4: element 2: want an object, got a number" {
		t.Errorf("after a line feed in a string: got rows %+v, want lines 1, 3 and 4", rows)
	}
	rows, last := read(t, "x.json", "{\"a\":\n\"\x01\",\n\"data\":["+good+",\n"+nul+"]}", Options{})
	if len(rows) != 2 || rows[0].Err != "" || rows[1].Err != "x.json:4: element 1: "+invalid["x.json"] || last != "" {
		t.Errorf("got row errors %q, last error %q", errorsOf(rows), last)
	}
}

func TestUTF16(t *testing.T) {
	encode := func(text string, high, low int) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			pair := [2]byte{}
			pair[high], pair[low] = byte(u>>8), byte(u)
			b = append(b, pair[:]...)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"x.csv":   "answer\tcontexts\r\n\"Ö\n日\"\t🏔\r\n",
		"x.jsonl": strings.Repeat(`{"answer":"Ö\n日","contexts":["🏔"]}`+"\r\n", 3000),
		"x":       `[{"answer":"Ö\n日","contexts":["🏔"]}]`,
	} {
		for order, data := range map[string]string{"little": encode("\ufeff"+text, 1, 0), "big": encode("\ufeff"+text, 0, 1)} {
			rows, last := read(t, name, data, Options{})
			if want := max(1, strings.Count(text, "}")); len(rows) != want || last != "" || rows[want-1].Row.Answer != "Ö\n日" || rows[0].Row.Contexts[0] != "🏔" {
				t.Errorf("%s, %s endian: got %d rows, last error %q, want %d", name, order, len(rows), last, want)
			}
		}
	}
	whole := encode("\ufeffanswer,contexts\na,x\nb,y\n", 0, 1)
	for name, damaged := range map[string]string{
		"cut in a character": whole[:len(whole)-3],
		"half of a pair":     strings.Replace(whole, "\x00y", "\xd8\x00", 1),
		"the other half":     strings.Replace(whole, "\x00y", "\xdc\x00", 1),
	} {
		if rows, last := read(t, "x.csv", damaged, Options{}); errorsOf(rows) != "\nx.csv:3: contexts: "+notUTF8 || last != "" {
			t.Errorf("%s: got row errors %q, last error %q", name, errorsOf(rows), last)
		}
	}
	if _, last := read(t, "x.csv", encode("answer,contexts\na,x\n", 1, 0), Options{}); last != "x.csv: not text (binary data, or UTF-16 without a byte order mark)" {
		t.Errorf("without a byte order mark: got last error %q", last)
	}
}

// Windows-1252 and GBK: all rows with characters beyond ASCII fail.
func TestOtherEncodingsFail(t *testing.T) {
	latin := "answer,contexts\n" + strings.Repeat("M\xfcller a\xdf,s\xfc\xdf\n", 3)
	gbk := "answer,contexts\n" + strings.Repeat("\xce\xd2\xb5\xc4\xc3\xfb,\xd7\xd6\xca\xc7\xa1\xa3\n", 3)
	for _, text := range []string{latin, gbk} {
		rows, last := read(t, "x.csv", text, Options{})
		if len(rows) != 3 || strings.Count(errorsOf(rows), "answer: "+notUTF8) != 3 || last != "" {
			t.Errorf("%q: got row errors %q, last error %q, want errors in all rows", text, errorsOf(rows), last)
		}
	}
}

func TestOpenNamesForeignFormats(t *testing.T) {
	zip := "PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml \x00PK\x03\x04"
	for _, tt := range []struct{ name, text, want string }{
		{"x.xlsx", zip + "xl/workbook.xml", "an Excel workbook: convert it with: duckdb"},
		{"x.csv", zip + "xl/workbook.xml", "an Excel workbook: convert it with: duckdb"},
		{"x.eval", zip, "a log of Inspect: convert it with: inspect log convert FILE --to json"},
		{"x.csv.zip", "PK\x03\x04\x14\x00\x00\x00x.csv", "a ZIP archive: convert it with: unzip -p FILE | ragfaith score -"},
		{"x.pkl", "\x80\x04\x95\x0a\x00\x00", "a pickle, which may run code when it is loaded: convert it with: python -c \"import pandas; pandas.read_pickle("},
		{"x.feather", "ARROW1\x00\x00\xff\xff\xff\xff", "an Arrow file: convert it with: python -c \"import pandas; pandas.read_feather("},
		{"x.arrow", "\xff\xff\xff\xff\x10\x00\x00\x00", "an Arrow stream: convert it with: python -c \"import datasets"},
		{"x.jsonl.xz", "\xfd7zXZ\x00\x00\x04", "a file compressed with xz: convert it with: xz -d FILE"},
		{"x.jsonl.bz2", "BZh91AY&SY", "a file compressed with bzip2: convert it with: bunzip2 FILE"},
		{"x.db", "SQLite format 3\x00", "a SQLite database: convert it with: sqlite3 -json"},
		{"x.csv", "<!DOCTYPE html>\n<html>", "an HTML page: want rows"},
		{"x.json", " <HTML lang=en>", "an HTML page: want rows"},
	} {
		_, last := read(t, tt.name, tt.text, Options{})
		if !strings.HasPrefix(last, tt.name+": "+tt.want) {
			t.Errorf("got  %s\nwant %s: %s...", last, tt.name, tt.want)
		}
	}
	for name, text := range map[string]string{
		"x.csv":  "ORCID,answer,contexts\n1,a,x\n",
		"x.yaml": `{"answer":"a","contexts":["x"]}`,
		"y.csv":  "PAR1,answer,contexts\n1,a,x\n",
		"x.xls":  "answer\tcontexts\na\tx\n",
	} {
		if rows, last := read(t, name, text, Options{}); len(rows) != 1 || last != "" {
			t.Errorf("%s: got rows %+v, last error %q, want a row", name, rows, last)
		}
	}
}
