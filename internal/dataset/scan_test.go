package dataset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decoded reads an object as readOnce does, without the scanner.
func decoded(o *objectReader, text string) (Row, error) {
	row := Row{Line: 3, Offset: 7}
	err := o.readOnce([]byte(text), &row, false)
	return row, err
}

func plainReader(t testing.TB, opts Options) *objectReader {
	t.Helper()
	b, err := newBinding(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &objectReader{b: b, note: &notes{warn: func(error) {}}, any: true}
}

// sameAsDecoded fails where the scanner finds a row and the decoder another, or
// none. It reports whether the scanner found one.
func sameAsDecoded(t testing.TB, text string) (plain bool) {
	t.Helper()
	for _, opts := range []Options{
		{}, {KeepAll: true, Reserved: []string{"status"}}, {Keep: []string{"id", "none"}}, {Map: map[Field]string{FieldContexts: "meta"}},
	} {
		got := Row{Line: 3, Offset: 7}
		if !plainReader(t, opts).readPlain([]byte(text), &got) {
			if d := cmp.Diff(Row{Line: 3, Offset: 7}, got); d != "" {
				t.Errorf("%s is no plain object and changed the row: %s", text, d)
			}
			continue
		}
		plain = true
		want, err := decoded(plainReader(t, opts), text)
		if err != nil {
			t.Errorf("%s is read, and should not: %v", text, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	return plain
}

func plainObjects() []string {
	const rest = `"answer":"a","contexts":["x"]}`
	long := strings.Repeat("0123456789", 30)
	return []string{
		`{` + rest,
		"{ \"id\" : 17 ,\t\"question\" : null , \r\n \"answer\" : \"\" , \"contexts\" : [ \"x\" , \"y\" ] }",
		`{"id":"` + long + `","question":"Größe \u00fc \ud83d\ude00 😀 \" \\ \/ \b\f\n\r\t",` + rest,
		`{"id":1.50,"_":[],"__":{},"status":[[[]],{"a":{"a":[{"a":1}]},"b":-0.5e+7}],` + rest,
		`{"answer":"a","contexts":[{"text":"x","n":1},{"page_content":"y","meta":{"k":[true,false,null]}}]}`,
		`{"answer":"a","contexts":"one"}`, `{"answer":"a","contexts":"[\"one\", \"two\"]"}`,
		`{"answer":"a","contexts":"['one', 'two']"}`,
		`{"answer":"a","contexts":["x"],"meta":["m"],"  spaced  ":{ "a" : [ 1 , 2 ] }}`,
		`{"":0,"answer":"seven77","contexts":["eight888","nine99999","` + long + `\n` + long + `"]}`,
	}
}

func TestPlainObjectsAreReadAsTheDecoderDoes(t *testing.T) {
	for _, text := range plainObjects() {
		if !sameAsDecoded(t, text) {
			t.Errorf("the scanner gives up on %s", text)
		}
	}
}

func TestTheScannerGivesUpOnWhatTheDecoderHasToExplain(t *testing.T) {
	const rest = `"answer":"a","contexts":["x"]`
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, text := range []string{
		``, `[]`, `"x"`, `{`, `{}`, `{"answer":"a"}`, `{"contexts":["x"]}`, `{` + rest, `{` + rest + `} `, `{` + rest + `}}`, `{` + rest + `,}`,
		`{,` + rest + `}`, `{"a":1 ` + rest + `}`, `{"a" 1,` + rest + `}`, `{"a":,` + rest + `}`, `{a:1,` + rest + `}`,
		`{"a":1,"a":2,` + rest + `}`, `{"m":{"a":1,"b":2,"a":3},` + rest + `}`, `{"m":{"a":1,"\u0061":3},` + rest + `}`, `{"\u0061nswer":"b",` + rest + `}`,
		`{"response":"b",` + rest + `}`, `{"answer":1,"contexts":["x"]}`, `{"answer":"a","contexts":[]}`, `{"answer":"a","contexts":[" "]}`, `{"answer":"a","contexts":["x",null]}`,
		`{"m":[1,],` + rest + `}`, `{"m":[1, ],` + rest + `}`, `{"m":[,1],` + rest + `}`, `{"m":[1 2],` + rest + `}`, `{"m":[1,` + rest + `}`,
		`{"m":01,` + rest + `}`, `{"m":1.,` + rest + `}`, `{"m":+1,` + rest + `}`, `{"m":-,` + rest + `}`, `{"m":1e,` + rest + `}`, `{"m":NaN,` + rest + `}`, `{"m":-Infinity,` + rest + `}`,
		`{"m":tru,` + rest + `}`, `{"m":nulll,` + rest + `}`, `{"m":True,` + rest + `}`,
		`{"m":"\x",` + rest + `}`, `{"m":"\u12g4",` + rest + `}`, `{"m":"\ud800",` + rest + `}`, `{"m":"\udc00\ud800",` + rest + `}`, `{"m":"a` + "\x01" + `",` + rest + `}`, `{"m":"12345678` + "\n" + `",` + rest + `}`,
		`{"m":"` + "\xff" + `",` + rest + `}`, `{"m":"1234567` + "\xed\xa0\x80" + `",` + rest + `}`, `{"` + "\xc3" + `":1,` + rest + `}`, `{"m":"open,` + `}`, `{"m":"open\`,
		`{"m":` + deep + `,` + rest + `}`, "{" + rest + "}\x00", "{\x00" + rest + "}",
	} {
		if sameAsDecoded(t, text) {
			t.Errorf("%s is read", text)
		}
	}
}

func TestJSONCellsAreReadAsTheDecoderDoes(t *testing.T) {
	for _, text := range []string{`["a", "b"]`, ` [ {"text":"\u00fc"} ] `, `[]`, `[null, 1, true]`, `{"text":["a"]}`, `"x"`} {
		var tr tree
		if err := readJSONText(&tr, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want tree
		o := plainReader(t, Options{})
		o.dec.Reset(strings.NewReader(text))
		if err := want.readJSON(&o.dec, ""); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.nodes, tr.nodes, cmp.AllowUnexported(node{})); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range []string{"[] x", "[]\x00", "[1, ]", "", "[", `["a" "b"]`} {
		if readJSONText(&tree{}, text) == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzPlainObjects(f *testing.F) {
	for _, text := range plainObjects() {
		f.Add(text)
	}
	f.Add(`{"m":{"a":"\ud800\udc00` + "\xff" + `"},"answer":"a","contexts":["x"]}`)
	f.Fuzz(func(t *testing.T, text string) { sameAsDecoded(t, text) })
}

func BenchmarkObject(b *testing.B) {
	var lines [][]byte
	for _, r := range benchRows(100) {
		lines = append(lines, bytes.TrimSpace(encode(b, JSONL, []record{r})))
	}
	for name, plain := range map[string]bool{"scanner": true, "decoder": false} {
		b.Run(name, func(b *testing.B) {
			o := plainReader(b, Options{})
			b.ReportAllocs()
			b.SetBytes(int64(len(lines[0])))
			for i := 0; b.Loop(); i++ {
				var row Row
				line := lines[i%len(lines)]
				if plain && !o.readPlain(line, &row) {
					b.Fatal("not plain")
				}
				if err := error(nil); !plain {
					if err = o.readOnce(line, &row, false); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
