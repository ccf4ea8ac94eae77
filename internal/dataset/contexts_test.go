package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContextsFromTextCells(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		cell string
		want []string
	}{
		{"plain", []string{"plain"}},
		{"none", []string{"none"}},
		{" plain\n", []string{" plain\n"}},
		{"[1] According to", []string{"[1] According to"}},
		{"[[Wikipedia]] is", []string{"[[Wikipedia]] is"}},
		{"[x]", []string{"[x]"}},
		{"[Note] The bridge, which is long [1]", []string{"[Note] The bridge, which is long [1]"}},
		{"[1], and [2, 3]", []string{"[1], and [2, 3]"}},
		{"[The bridge opened in 1937.]", []string{"[The bridge opened in 1937.]"}},
		{`[{"text":"a","content":" a"},{"content":"b","text":""},{"content":"c","raw_content":"d"}]`, []string{"a", "b", "c"}},
		{"[] is empty", []string{"[] is empty"}},
		{"{x}", []string{"{x}"}},
		{`("The Company") is`, []string{`("The Company") is`}},
		{`("The Company")`, []string{`("The Company")`}},
		{"(see (1))", []string{"(see (1))"}},
		{"()", []string{}},
		{"set()", []string{}},
		{"array([], dtype=object)", []string{}},
		{"array(['a', 'b'], dtype=object)", []string{"a", "b"}},
		{"array(x) is set(y)", []string{"array(x) is set(y)"}},
		{"[array(['a', 'b'], dtype=object)\n array(['c'], dtype=object)]", []string{"a", "b", "c"}},
		{"[list(['a', 'b']) list(['c'])]", []string{"a", "b", "c"}},
		{`"[\"a\", \"b\"]"`, []string{"a", "b"}},
		{`"[1] According to"`, []string{`"[1] According to"`}},
		{`{"ids":[["1","2"]],"documents":[["a","b"]],"distances":[[0.1,0.2]],"embeddings":null}`, []string{"a", "b"}},
		{`{'ids': [['1']], 'documents': [['a']], 'metadatas': [[None]]}`, []string{"a"}},
		{`{"ids":[[]],"documents":[[]]}`, []string{}},
		{"Nan", []string{"Nan"}},
		{"null and void", []string{"null and void"}},
		{"[ object at 0x7f", []string{"[ object at 0x7f"}},
		{"<p>an object at 0x7f</p>", []string{"<p>an object at 0x7f</p>"}},
		{`"quoted"`, []string{`"quoted"`}},
		{"[", []string{"["}},
		{`["a", "b"]`, []string{"a", "b"}},
		{`["a"," ",""]`, []string{"a", " ", ""}},
		{`[{"text":"a"},{"content":"b"},{"page_content":"c","metadata":{"text":7}},"d"]`, []string{"a", "b", "c", "d"}},
		{`{"text":["a","b"],"title":[1]}`, []string{"a", "b"}},
		{`{"title":["t"],"sentences":[["a","b"],["c"]]}`, []string{"a", "b", "c"}},
		{`[["a","b"],[],["c"]]`, []string{"a", "b", "c"}},
		{`{"text":"a"}`, []string{"a"}},
		{`["['a', 'b']"]`, []string{"['a', 'b']"}},
		{`["{\"text\": \"a\", \"metadata\": {\"note\": \"b\"}}", " {'page_content': 'c'} "]`, []string{"a", "c"}},
		{`["{\"name\": \"a b\"}", "{\"text\": 7}", "{\"text\": \"a\"} x", "{text: a}"]`, []string{`{"name": "a b"}`, `{"text": 7}`, `{"text": "a"} x`, "{text: a}"}},
		{" [ \n'a' ,\t'b', ] ", []string{"a", "b"}},
		{`('a', "b'")`, []string{"a", "b'"}},
		{`('a',)`, []string{"a"}},
		{`{'a', 'a'}`, []string{"a", "a"}},
		{`['a' 'b'` + "\n 'c']", []string{"a", "b", "c"}},
		{"[['a' 'b']\n ['c']]", []string{"a", "b", "c"}},
		{"[{'text': 'b'} {'text': 'c'}]", []string{"b", "c"}},
		{`[array(['a', 'b'], dtype=object), 'c']`, []string{"a", "b", "c"}},
		{`[array(['a'], dtype='<U1'), array(array(['b']), shape=(1, 2))]`, []string{"a", "b"}},
		{`{'sentences': array([array(['a', 'b'], dtype=object)], dtype=object)}`, []string{"a", "b"}},
		{`[Document(metadata={'source': 'x', 'n': -1.5e3}, page_content='a'), Document(page_content="b", id=None)]`, []string{"a", "b"}},
		{`{'page_content': 'a', 1: True, None: None, 'x': nan}`, []string{"a"}},
		{`['\\ \' \" \n\r\t\x41\xe9\u00e9\U0001f3d4']`, []string{"\\ ' \" \n\r\tAéé🏔"}},
		{"Paris", []string{"Paris"}},
		{"doc_12; doc_7", []string{"doc_12; doc_7"}},
		{"Yes.No", []string{"Yes.No"}},
		{"a@example.com", []string{"a@example.com"}},
		{"See a.pdf", []string{"See a.pdf"}},
		{"Node.js", []string{"Node.js"}},
		{"Booking.com", []string{"Booking.com"}},
		{"a.pdf, see page 7", []string{"a.pdf, see page 7"}},
		{`["a.pdf", "The bridge opened in 1937."]`, []string{"a.pdf", "The bridge opened in 1937."}},
		{`["https://example.com/a", "It is at https://example.com/b"]`, []string{"https://example.com/a", "It is at https://example.com/b"}},
		{"[The bridge opened in 1937.]", []string{"[The bridge opened in 1937.]"}},
		{"(1914, 1918)", []string{"(1914, 1918)"}},
		{`("Acme", 2020)`, []string{`("Acme", 2020)`}},
		{`["Hello" he said] and left`, []string{`["Hello" he said] and left`}},
		{`["Hello", he said] and left`, []string{`["Hello", he said] and left`}},
		{`["Hello" ... he said]`, []string{`["Hello" ... he said]`}},
		{`["Hello"] he said`, []string{`["Hello"] he said`}},
		{`['a'] x`, []string{`['a'] x`}},
		{`['a' x]`, []string{`['a' x]`}},
		{`[("Hello") he said]`, []string{`[("Hello") he said]`}},
		{"[Document(s) were lost]", []string{"[Document(s) were lost]"}},
		{"[Document(s) were", []string{"[Document(s) were"}},
		{`{"name": "Acme", "price": 3}`, []string{`{"name": "Acme", "price": 3}`}},
		{`{'name': 'Acme', 'ok': True}`, []string{`{'name': 'Acme', 'ok': True}`}},
		{`[{"name": "Acme"}, {"name": "B"}]`, []string{`[{"name": "Acme"}, {"name": "B"}]`}},
		{`{"results": [{"text": "a"}]}`, []string{"a"}},
		{`{"name": <string>, "age": 3}`, []string{`{"name": <string>, "age": 3}`}},
		{`{"a": 1}` + "\n" + `{"b": 2}`, []string{`{"a": 1}` + "\n" + `{"b": 2}`}},
		{"['" + long + "']", []string{long}},
		{"['" + long + `\n` + "']", []string{long + "\n"}},
	} {
		got, _, err := textContexts(tt.cell)
		if d := cmp.Diff(tt.want, got); d != "" || err != nil {
			t.Errorf("%.50q: got error %v (-want +got):\n%.300s", tt.cell, err, d)
		}
	}
}

func TestEmptyListsAreEmptyRetrievals(t *testing.T) {
	for _, tt := range []struct{ file, text string }{
		{"x.jsonl", `{"answer":"a","contexts":[]}`},
		{"x.jsonl", `{"answer":"a","contexts":[""," \n"]}`},
		{"x.jsonl", `{"answer":"a","contexts":"[]"}`},
		{"x.jsonl", `{"answer":"a","contexts":{"text":[]}}`},
		{"x.jsonl", `{"answer":"a","contexts":[{"text":""}]}`},
		{"x.csv", "answer,contexts\na,[]\n"},
		{"x.csv", "answer,contexts\na,\"['', ' ']\"\n"},
	} {
		rows, last := read(t, tt.file, tt.text, Options{})
		if len(rows) != 1 || rows[0].Err != "" || last != "" || HasText(rows[0].Row.Contexts) || rows[0].Row.Contexts == nil {
			t.Errorf("%s: got rows %+v, last error %q, want a row of contexts without text", tt.text, rows, last)
		}
		rows, _ = read(t, tt.file, tt.text, Options{NeedText: true})
		if len(rows) != 1 || !strings.HasSuffix(rows[0].Err, ": contexts: no text to judge against") || rows[0].Row.Contexts != nil {
			t.Errorf("%s with NeedText: got rows %+v, want an error", tt.text, rows)
		}
	}
	if !HasText([]string{"", "x"}) {
		t.Error("a blank and another context: got no text")
	}
}

func TestTextContextsReportsErrorPositions(t *testing.T) {
	py, names := "contexts: invalid Python literal: ", "contexts: want texts, got only names of their sources, such as "
	for _, tt := range []struct{ cell, want string }{
		{"", "contexts: no text to judge against"},
		{"{}", "contexts: want a string, got an object without text, content, page_content"},
		{"NaN", `contexts: want text, got "NaN", which stands for a missing value`},
		{" <NA>\n", `contexts: want text, got "<NA>", which stands for a missing value`},
		{"#REF!", `contexts: want text, got "#REF!", which stands for a missing value`},
		{`\N`, `contexts: want text, got "\\N", which stands for a missing value`},
		{"[NULL]", `contexts: want text, got "[NULL]", which stands for a missing value`},
		{"(null)", `contexts: want text, got "(null)", which stands for a missing value`},
		{"NaT", `contexts: want text, got "NaT", which stands for a missing value`},
		{"Null", `contexts: want text, got "Null", which stands for a missing value`},
		{"a.pdf", names + `"a.pdf"`},
		{"a.pdf, docs/b.MD", names + `"a.pdf, docs/b.MD"`},
		{"a.pdf;b.html\n", names + `"a.pdf;b.html"`},
		{"https://example.com/a, https://example.com/b", names + `"https://example.com/a, https://example.com/b"`},
		{`["https://example.com/a", "docs/b.pdf"]`, names + `"https://example.com/a"`},
		{`[{"text": "s3://bucket/a"}, {"text": "b.docx"}]`, names + `"s3://bucket/a"`},
		{"57", `contexts: want text, got the number "57"`},
		{"[The bridge opened in 1937., It is long.]", "contexts: " + errPrintedList.Error()},
		{"[[a, b], [c]]", "contexts: " + errPrintedList.Error()},
		{"[12, 57]", "contexts[0]: want a string, got a number"},
		{"[True, False]", "contexts[0]: want a string, got a boolean"},
		{"['a' None]", "contexts[1]: want a string, got null"},
		{"[None 'a']", "contexts[0]: want a string, got null"},
		{"[nan nan]", "contexts[0]: want a string, got null"},
		{"['a' -1]", "contexts[1]: want a string, got a number"},
		{"[object Object],[object Object]", "contexts: " + errRepr.Error()},
		{"[<a.Document object at 0x7f>]", "contexts: " + errRepr.Error()},
		{"<generator object f at 0x7f>", "contexts: " + errRepr.Error()},
		{"[[], {}]", "contexts[1]: want a string, got an object without text, content, page_content"},
		{"['a', 1]", "contexts[1]: want a string, got a number"},
		{"('a', None)", "contexts[1]: want a string, got null"},
		{`{"text": 7}`, "contexts.text: want a string, got a number"},
		{`[{"text": "a"}, {"name": "b"}]`, "contexts[1]: want a string, got an object without text, content, page_content"},
		{"[nan]", "contexts[0]: want a string, got null"},
		{"['a', None]", "contexts[1]: want a string, got null"},
		{`["a", null]`, "contexts[1]: want a string, got null"},
		{`["a", "b`, "contexts: invalid JSON: unexpected end of input, at column 9"},
		{`['a', 'b`, py + "unterminated string literal, at byte 7"},
		{`['a\`, py + "unterminated string literal, at byte 2"},
		{`['a', `, py + "unexpected end of input, at byte 7"},
		{`['a'`, py + "unexpected end of input, at byte 5"},
		{`['it's', 'b']`, py + `unknown name "s", at byte 6`},
		{`['a', tru`, py + `unknown name "tru", at byte 7`},
		{`[{"text": "a"}, {"te`, "contexts: invalid JSON: unexpected end of input, at column 21"},
		{`{"name": "Acme", "pri`, "contexts: invalid JSON: unexpected end of input, at column 22"},
		{`['a' 'b' ... 'c']`, py + "list is abbreviated (...), at byte 10"},
		{`['a', ..., 'c']`, py + "list is abbreviated (...), at byte 7"},
		{`['\xg']`, py + "unknown escape sequence, at byte 3"},
		{`['\ud800']`, py + "unknown escape sequence, at byte 3"},
		{`['\q']`, py + "unknown escape sequence, at byte 3"},
		{`['\U0011ffff']`, py + "unknown escape sequence, at byte 3"},
		{`[b'a']`, py + "a string with the prefix b is not supported, at byte 2"},
		{`['''it's''']`, py + "a string in triple quotes is not supported, at byte 2"},
		{`['a', x]`, py + `unknown name "x", at byte 7`},
		{`['a', -]`, py + "expected a value, at byte 8"},
		{`['a', ;]`, py + "expected a value, at byte 7"},
		{`['a', ('b')]`, py + "parenthesized value is not a tuple, at byte 11"},
		{`{'text': 'b', 'c'}`, py + "missing dict value, at byte 18"},
		{`{'text', 'b': 'c'}`, py + "key in a set, at byte 13"},
		{`{'a': 'b'`, py + "unexpected end of input, at byte 10"},
		{`{'text': 'b'; }`, py + "expected a value, at byte 13"},
		{`{'text': {['b']: 'c'}}`, py + "unhashable dict key, at byte 17"},
		{`['a', f(1, 2)]`, py + "multiple positional arguments, at byte 13"},
		{`['a', f(x=1, 2)]`, py + "multiple positional arguments, at byte 15"},
		{`['a', f(1; 2)]`, py + "expected a value, at byte 10"},
		{`['a', f(1`, py + "unexpected end of input, at byte 10"},
		{"['a', " + strings.Repeat("[", 1000), py + "nested more than 100 levels deep, at byte 107"},
		{strings.Repeat("[", 50) + "'a'" + strings.Repeat("]", 50), "contexts" + strings.Repeat("[0]", 17) + ": nested more than 16 deep"},
		{strings.Repeat("[", 1<<20) + "'", py + "nested more than 100 levels deep, at byte 102"},
	} {
		_, _, err := textContexts(tt.cell)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.60s\ngot  %v\nwant %s", tt.cell, err, tt.want)
		}
	}
}
