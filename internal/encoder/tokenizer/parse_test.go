package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	const plain = `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":{"u":0,"a":1}}`
	charsmap := func(replacements string, units ...uint32) string {
		data := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
		for _, u := range units {
			data = binary.LittleEndian.AppendUint32(data, u)
		}
		return base64.StdEncoding.EncodeToString(append(data, replacements...))
	}
	// The children of the root are at 96, so 'a' leads to unit 1.
	const root = 96 << 10
	far := charsmap("x\x00", root, 1<<8|1000<<10|'a')
	value := charsmap("x\x00", root, 1<<8|2<<10|'a', 0, 99)
	cycle := charsmap("x\x00", root, 97<<10|'a') // "a" leads back to 96
	long := charsmap(strings.Repeat("x", 101), root, 1<<8|2<<10|'a', 0, 0)
	deep := strings.Repeat(`{"type":"Sequence","normalizers":[`, 20) + strings.Repeat(`]}`, 20)
	for _, c := range []struct{ part, json, want string }{
		{"", `[]`, "/: want a struct, got a ["},
		{"", `{"version":"1.0"`, "unexpected EOF"},
		{"", `{"version":"2.0"}`, `/version: "2.0" is not supported`},
		{"", `{}`, "/model: missing"},
		{"", strings.Repeat(`{"model":`, 20_000), "exceeded max depth"},
		{"speed", `1`, "/speed: is not supported"},
		{"added_tokens", `[{"id":1,"content":"a"}]`, "/added_tokens/0/normalized: missing"},
		{"added_tokens", `[{"id":99999999999,"content":"a","normalized":true}]`, "/added_tokens/0/id: 99999999999 is not a valid id"},
		{"added_tokens", `[{"id":1,"content":"a","normalized":true},{"id":1,"content":"a","normalized":false}]`, `/added_tokens/1: "a" is defined twice with different options`},
		{"added_tokens", `[{"id":1,"content":"` + strings.Repeat("a", 2000) + `","normalized":true}]`, "the limit is 1000"},
		{"normalizer", `{"type":"Spell"}`, `/normalizer/type: "Spell" is not supported`},
		{"normalizer", `{"type":"NFC","speed":1}`, "/normalizer/speed: is not supported"},
		{"normalizer", `{"type":"Strip","strip_left":true}`, "/normalizer/strip_right: missing"},
		{"normalizer", `{"type":"Strip","strip_left":1,"strip_right":true}`, "/normalizer/strip_left: want a bool, got a number"},
		{"normalizer", `{"type":"Replace","pattern":{"Regex":"[a"},"content":""}`, "/normalizer/pattern/Regex: pattern"},
		{"normalizer", deep, "nested too deeply"},
		{"normalizer", `{"type":"Replace","pattern":{"String":""},"content":""}`, "/normalizer/pattern/String"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"!"}`, "/normalizer/precompiled_charsmap: illegal base64"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"AAA="}`, "charsmap is too short"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"/////wAA"}`, "trie of 4294967295 bytes"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + value + `"}`, "charsmap unit 1: invalid replacement offset 99 of 2"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + far + `"}`, "charsmap unit 1: value is out of range"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + cycle + `"}`, ""},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + long + `"}`, "charsmap unit 1: replacement has more than 100 bytes"},
		{"pre_tokenizer", `{"type":"UnicodeScripts"}`, `/pre_tokenizer/type: "UnicodeScripts" is not supported`},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"__"}`, "/pre_tokenizer/replacement: want one character"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","add_prefix_space":false}`, "/pre_tokenizer/prepend_scheme"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","prepend_scheme":"never"}`, "/pre_tokenizer/prepend_scheme"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"String":"a"},"behavior":"Contiguous","invert":false}`, "/pre_tokenizer/behavior"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"String":"a"},"behavior":"Removed","invert":true}`, "/pre_tokenizer/behavior"},
		{"post_processor", `{"type":"Sequence","processors":[{"type":"BertProcessing","sep":["s",1],"cls":["c",1]},{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true}]}`, "/post_processor/processors/1: ByteLevel is not supported after"},
		{"post_processor", `{"type":"BertProcessing","sep":["s",-1],"cls":["c",1]}`, "-1 is not a valid id"},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B","type_id":0}}],"pair":[],"special_tokens":{}}`, `/post_processor/single/0/Sequence/id: "B"`},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X","type_id":0}}],"pair":[],"special_tokens":{}}`, `/post_processor/single/0/SpecialToken/id: "X"`},
		{"post_processor", `{"type":"TemplateProcessing","single":[` + strings.Repeat(`{"Sequence":{"id":"A","type_id":0}},`, 200) + `{}],"pair":[],"special_tokens":{}}`, "the limit is 100"},
		{"model", `{"type":"WordLevel","vocab":{}}`, `/model/type: "WordLevel" is not supported`},
		{"model", `{"vocab":{}}`, "/model/type: missing"},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":0,"a":0}}`, "duplicate id 0"},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":0,"u":1}}`, "/model/vocab/u: byte 136: duplicate object member name"},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":1.5}}`, `token "u": 1.5 is not a valid id`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":4000000000}}`, `token "u": 4000000000 is not a valid id`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"` + strings.Repeat("u", 3000) + `":1}}`, "the limit is 500"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[["a","a"]]}`, `/model/merges/0: "aa" is not in the vocabulary`},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["a"]}`, `"a" is not two tokens`},
		{"model", `{"type":"BPE","vocab":{"a":0,"##b":1},"continuing_subword_prefix":"##","merges":[]}`, "/model/continuing_subword_prefix: is not supported"},
		{"model", `{"type":"BPE","vocab":{},"merges":[],"ignore_merges":true}`, "/model/ignore_merges: is not supported"},
		{"model", `{"type":"BPE","vocab":{},"merges":[],"dropout":0.1}`, "/model/dropout: is not supported"},
		{"model", `{"type":"Unigram","unk_id":1,"vocab":[["a",-1]]}`, "/model/unk_id: 1 is out of range for 1 tokens"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a",1e999]]}`, "item 0: the score is out of range"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a"]]}`, "/model/vocab/0/1: byte 42: invalid character"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[],"alpha":0.5}`, "/model/alpha: sampling"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a",-1]],"byte_fallback":true}`, "/model/byte_fallback: is not supported"},
	} {
		file := c.json
		if c.part != "" {
			file = fmt.Sprintf(`{"version":"1.0","model":%s,%q:%s}`, plain, c.part, c.json)
			if c.part == "model" {
				file = fmt.Sprintf(`{"version":"1.0","model":%s}`, c.json)
			}
		}
		tok, err := Parse([]byte(file))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%.200s: %v", file, err)
		case c.want == "":
			if _, err := tok.Encode("aa \u00e9\u0301 b", 0); err != nil {
				t.Errorf("%.200s: %v", file, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%.200s:\n got %v\nwant %s", file, err, c.want)
		}
	}
}

func TestParseRejectsTruncatedFile(t *testing.T) {
	data := readTestdata(t, "unigram.json")
	for n := 0; n < len(data)-2; n += 7 {
		if _, err := Parse(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes: got no error", n, len(data))
		}
	}
}

// sequence returns a Sequence of n times the same items.
func sequence(member, items string, n int) string {
	return `{"type":"Sequence","` + member + `":[` + strings.TrimSuffix(strings.Repeat(items+",", n), ",") + `]}`
}

// parseParts parses wordpiece.json with other members.
func parseParts(t *testing.T, parts map[string]string) *Tokenizer {
	t.Helper()
	raw := make(map[string]json.RawMessage)
	for name, part := range parts {
		raw[name] = json.RawMessage(part)
	}
	return mustParse(t, withParts(t, readTestdata(t, "wordpiece.json"), raw))
}

func TestParseLimitsVocabulary(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	var many, long strings.Builder
	for i := range maxTokens + 1 {
		fmt.Fprintf(&many, `,"%d":%d`, i, i)
	}
	for i := range maxPieceBytes/400 + 1 {
		fmt.Fprintf(&long, `,"%0400d":%d`, i, i)
	}
	const model = `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"#","max_input_chars_per_word":9,"vocab":{"u":4000000`
	for vocab, want := range map[string]string{
		many.String():                       "more than 1048576 tokens",
		long.String():                       "/model/vocab: tokens have more than 16777216 bytes",
		strings.Repeat(`,"a":0`, maxValues): "the limit is 2097152",
	} {
		if _, err := Parse([]byte(`{"model":` + model + vocab + `}}}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// All stages together are limited, in time and in memory.
func TestEncodeLimitsStages(t *testing.T) {
	replace := func(from, to string) string {
		return `{"type":"Replace","pattern":{"String":"` + from + `"},"content":"` + to + `"}`
	}
	as := strings.Repeat("a", 40)
	split := `{"type":"Split","pattern":{"String":"a"},"behavior":"Isolated","invert":false}`
	for _, c := range []struct {
		name  string
		parts map[string]string
		text  string
	}{
		{"alternating replacements", map[string]string{"normalizer": sequence("normalizers", replace("a", as)+","+replace(as, "a"), 16)}, "a"},
		{"splits of a longer text", map[string]string{"normalizer": replace("a", "aaaa"), "pre_tokenizer": sequence("pretokenizers", split, 32)}, "a"},
		// Each token includes the rest of the text.
		{"overlapping tokens", map[string]string{"added_tokens": `[{"id":1,"content":" ","rstrip":true,"normalized":false}]`}, " "},
	} {
		tok := parseParts(t, c.parts)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := tok.Encode("É"+strings.Repeat(c.text, 10_000), 0)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "64 times") {
			t.Errorf("%s: got %v, want a limit of 64 times", c.name, err)
		}
		if n := tok.Count("É" + strings.Repeat(c.text, 10_000)); n != 10_002 {
			t.Errorf("%s: got count %d, want the number of bytes", c.name, n)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s: got %d bytes allocated, want at most 64 MiB", c.name, n)
		}
	}
}

func TestEncodeWithoutUnknownToken(t *testing.T) {
	for _, model := range []string{
		`{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":{"a":1}}`,
		`{"type":"BPE","unk_token":"u","vocab":{"a":1},"merges":[]}`,
		`{"type":"Unigram","unk_id":null,"vocab":[["a",-1]]}`,
	} {
		tok := mustParse(t, []byte(`{"model":`+model+`}`))
		if e, err := tok.Encode("a", 0); err != nil || len(e.IDs) != 1 {
			t.Errorf("%s: got %v, %v; want 1 token", model, e, err)
		}
		if _, err := tok.Encode("é", 0); err != ErrNoUnknownToken { //nolint:errorlint // must not be wrapped
			t.Errorf("%s: got %v, want %v", model, err, ErrNoUnknownToken)
		}
		if n := tok.Count("é"); n != 1 {
			t.Errorf("%s: got count %d, want 1", model, n)
		}
	}
}
