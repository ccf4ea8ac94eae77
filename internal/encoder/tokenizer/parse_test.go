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
	inside := charsmap("é\x00", root, 1<<8|2<<10|'a', 0, 1)
	cycle := charsmap("x\x00", root, 97<<10|'a') // "a" leads back to 96
	long := charsmap(strings.Repeat("x", 101), root, 1<<8|2<<10|'a', 0, 0)
	for _, c := range []struct{ part, json, want string }{
		{"", `[]`, "unmarshal JSON array"},
		{"", `{"version":"1.0"`, "unexpected EOF"},
		{"", `{"version":"2.0"}`, `/version: "2.0" is not supported`},
		{"", `{}`, "/model: missing"},
		{"", strings.Repeat(`{"model":{},"normalizer":`, 20_000), "unknown object member"},
		{"normalizer", strings.Repeat(`{"normalizers":[`, 20_000), "exceeded max depth"},
		{"normalizer", `{"normalizers":[` + strings.Repeat(`{},`, 1<<17) + `{}]}`, "objects, the limit is"},
		{"speed", `1`, `unknown object member name "speed"`},
		{"added_tokens", `[{"id":1,"content":"a","normalized":true},{"id":1,"content":"a","normalized":false}]`, `/added_tokens: "a" is defined twice with different options`},
		{"added_tokens", `[{"id":1,"content":"` + strings.Repeat("a", 2000) + `","normalized":true}]`, "the limit is 1000"},
		{"normalizer", `{"type":"Spell"}`, `/normalizer: type "Spell": is not supported`},
		{"normalizer", `{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true}`, "missing clean_text, handle_chinese_chars or lowercase"},
		{"normalizer", `{"type":"Strip","strip_left":1,"strip_right":true}`, `JSON number into Go bool within "/normalizer/strip_left"`},
		{"normalizer", `{"type":"Replace","pattern":{"Regex":"[a"},"content":""}`, `/normalizer: type "Replace": pattern "[a" is not supported`},
		{"normalizer", `{"type":"Replace","pattern":{"String":"a"},"content":"` + strings.Repeat("a", 101) + `"}`, "the limit is 100"},
		{"normalizer", sequence("normalizers", `{"type":"Replace","pattern":{"String":"a"},"content":"b"}`, 2), "is not supported after Replace"},
		{"normalizer", sequence("normalizers", `{"type":"Lowercase"}`, 33), "/normalizer: more than 32 components"},
		{"normalizer", sequence("normalizers", "null", 2), "/normalizer: null is not supported"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"!"}`, `within "/normalizer/precompiled_charsmap": illegal base64`},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"AAA="}`, "charsmap is too short"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"/////wAA"}`, "trie of 4294967295 bytes"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + value + `"}`, ""},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + far + `"}`, ""},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + inside + `"}`, ""},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + cycle + `"}`, ""},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"` + long + `"}`, "charsmap: replacement of 101 bytes, the limit is 100"},
		{"pre_tokenizer", `{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true}`, "ByteLevel is supported only with the type BPE"},
		{"pre_tokenizer", `{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}`, "is not supported with use_regex false"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"__"}`, `replacement "__" with prepend_scheme "always" is not supported`},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","add_prefix_space":false}`, `prepend_scheme "" is not supported`},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","prepend_scheme":"never"}`, `prepend_scheme "never" is not supported`},
		{"pre_tokenizer", `{"type":"Split","pattern":{"String":"a"},"behavior":"Isolated","invert":false}`, "only with a string pattern and the behavior MergedWithPrevious"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"String":"a"},"behavior":"MergedWithPrevious","invert":true}`, "only with a string pattern"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"Regex":"a"},"behavior":"MergedWithPrevious","invert":false}`, "only with a string pattern"},
		{"post_processor", sequence("processors", `{"type":"BertProcessing","sep":["s",1],"cls":["c",1]}`, 2), "is not supported after another post-processor"},
		{"post_processor", `{"type":"BertProcessing","sep":["s",1]}`, "missing cls or sep"},
		{"post_processor", `{"type":"BertProcessing","sep":["s",1],"cls":["c",1,2]}`, "too many array elements"},
		{"post_processor", `{"type":"TemplateProcessing","single":[]}`, "missing single or pair"},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B","type_id":0}}],"pair":[],"special_tokens":{}}`, `item 0: Sequence "B" is invalid`},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X","type_id":0}}],"pair":[],"special_tokens":{}}`, `item 0: "X" is not in special_tokens`},
		{"post_processor", `{"type":"TemplateProcessing","single":[{}],"pair":[],"special_tokens":{}}`, "item 0: want either a Sequence or a SpecialToken"},
		{"post_processor", `{"type":"TemplateProcessing","single":[` + strings.Repeat(`{"Sequence":{"id":"A","type_id":0}},`, 200) + `{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}}`, "more than 100 items"},
		{"model", `{"type":"WordLevel","vocab":{}}`, `/model: type "WordLevel" is not supported`},
		{"model", `{"type":"WordPiece","vocab":{}}`, "/model: missing unk_token, continuing_subword_prefix or max_input"},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":[["u",-1]]}`, `type "WordPiece" is not supported with this vocabulary`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":1.5}}`, `within "/model/vocab/u"`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":4000000000}}`, `within "/model/vocab/u"`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"u":-1}}`, `/model: token "u": invalid id -1`},
		{"model", `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"","max_input_chars_per_word":9,"vocab":{"` + strings.Repeat("u", 3000) + `":1}}`, "the limit is 500"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[]}`, "/model: BPE is supported only with ByteLevel or byte_fallback"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"byte_fallback":true}`, `/model: vocab has no token "<0x00>" for byte 0`},
		{"model", `{"type":"BPE","vocab":` + byteVocabulary() + `,"merges":[["a","a"]],"byte_fallback":true}`, `/model: merges: item 0: "a" is not in the vocabulary`},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["a"]}`, `"a" is not two tokens`},
		{"model", `{"type":"BPE","vocab":{"a":0,"##b":1},"continuing_subword_prefix":"##","merges":[]}`, "continuing_subword_prefix and end_of_word_suffix are not supported"},
		{"model", `{"type":"BPE","vocab":{},"merges":[],"ignore_merges":true}`, "/model: ignore_merges is not supported"},
		{"model", `{"type":"BPE","vocab":{},"merges":[],"dropout":0.1}`, "/model: dropout is not supported"},
		{"model", `{"type":"Unigram","unk_id":1,"vocab":[["a",-1]]}`, "/model: unk_id: 1 is out of range for 1 tokens"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a",1e999]]}`, "value out of range"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a"]]}`, `within "/model/vocab/0`},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[],"alpha":0.5}`, "/model: alpha: sampling"},
		{"model", `{"type":"Unigram","unk_id":0,"vocab":[["a",-1]],"byte_fallback":true}`, "/model: byte_fallback is not supported"},
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

// byteVocabulary returns a vocabulary with a token for each byte.
func byteVocabulary() string {
	var items []string
	for i := range 256 {
		items = append(items, fmt.Sprintf(`"<0x%02X>":%d`, i, i))
	}
	return "{" + strings.Join(items, ",") + "}"
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
		long.String():                       "/model: tokens have more than 16777216 bytes",
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
	split := `{"type":"Split","pattern":{"String":"a"},"behavior":"MergedWithPrevious","invert":false}`
	for _, c := range []struct {
		name  string
		parts map[string]string
		text  string
	}{
		{"replacement by a longer text", map[string]string{"normalizer": replace("a", strings.Repeat("a", 70))}, "a"},
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
