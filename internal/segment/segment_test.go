package segment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A sentencesTest is a text with its sentences.
type sentencesTest struct {
	name, text string
	want       []string
}

func checkSentences(t *testing.T, lang string, tests []sentencesTest) {
	t.Helper()
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, sentences(c.text, lang)); d != "" {
				t.Errorf("sentences (-want +got):\n%s", d)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	checkSentences(t, "", []sentencesTest{
		{"empty", " \n\t ", nil},
		{"full stops", "It rains. It pours.", []string{"It rains.", "It pours."}},
		{"no final stop", "It rains. It pours", []string{"It rains.", "It pours"}},
		{"titles", "Dr. Ada Smith met Mr. Jones. They talked.", []string{"Dr. Ada Smith met Mr. Jones.", "They talked."}},
		{"initials", "J. K. Rowling wrote it. C. S. Lewis did not.", []string{"J. K. Rowling wrote it.", "C. S. Lewis did not."}},
		{"Latin", "Use fruit, e.g. Apples, i.e. what you have.", []string{"Use fruit, e.g. Apples, i.e. what you have."}},
		{"countries", "He lives in the U.S. He likes it.", []string{"He lives in the U.S.", "He likes it."}},
		{"country before noun", "The U.S. Senate met.", []string{"The U.S. Senate met."}},
		{"companies", "Apple Inc. Shares rose. They fell.", []string{"Apple Inc. Shares rose.", "They fell."}},
		{"numbers", "It is 3.14 long. In 2005. And 5.", []string{"It is 3.14 long.", "In 2005.", "And 5."}},
		{"split number", "A magnitude-7. 5 earthquake.", []string{"A magnitude-7. 5 earthquake."}},
		{"references", "See No. 5 and Fig. 3. Then stop.", []string{"See No. 5 and Fig. 3.", "Then stop."}},
		{"sections of a law", "See 42 U.S.C. § 1983. It is law.", []string{"See 42 U.S.C. § 1983.", "It is law."}},
		{"no as a word", "No. It did not.", []string{"No.", "It did not."}},
		{"versions and files", "Get v1.2.3 of main.go now. Run it.", []string{"Get v1.2.3 of main.go now.", "Run it."}},
		{"URLs", "See https://go.dev/doc.html. Ask a@b.org. Done.", []string{"See https://go.dev/doc.html.", "Ask a@b.org.", "Done."}},
		{"times", "It begins at 5 p.m. Monday. It ends at 6 p.m. The bar is open.", []string{"It begins at 5 p.m. Monday.", "It ends at 6 p.m.", "The bar is open."}},
		{"units", "It is 12 km long. Dogs may come. It weighs 5 kg. Parts are extra. It takes 5 h. Tickets are free.", []string{"It is 12 km long.", "Dogs may come.", "It weighs 5 kg.", "Parts are extra.", "It takes 5 h.", "Tickets are free."}},
		{"word after a unit", "It weighs 5 kg. Shipping is free. It costs approx. $5. Add 2 oz. Parmesan cheese.", []string{"It weighs 5 kg.", "Shipping is free.", "It costs approx. $5.", "Add 2 oz. Parmesan cheese."}},
		{"unit before a name", "A 20 oz. Coke is sold. He lives in ft. Lauderdale.", []string{"A 20 oz. Coke is sold.", "He lives in ft. Lauderdale."}},
		{"clause after a time", "We meet at 5 p.m. Bring food. It opens at 5 p.m. Paris time. The 5 p.m. Mass is long.", []string{"We meet at 5 p.m.", "Bring food.", "It opens at 5 p.m. Paris time.", "The 5 p.m. Mass is long."}},
		{"clause after a country or company", "It is sent to the U.S. Shipping is free. It was sold to Acme Inc. Dogs are allowed.", []string{"It is sent to the U.S.", "Shipping is free.", "It was sold to Acme Inc.", "Dogs are allowed."}},
		{"country before noun and verb", "The U.S. Senate is old. It is clear that the U.S. Senate is old.", []string{"The U.S. Senate is old.", "It is clear that the U.S. Senate is old."}},
		{"ellipses", "Well... maybe. But... No.", []string{"Well... maybe.", "But...", "No."}},
		{"quotes", `She said "Go." Then he went.`, []string{`She said "Go."`, "Then he went."}},
		{"sentence continues after quote", `"Go!" she said.`, []string{`"Go!" she said.`}},
		{"brackets", "It is so (see below.) in most cases. (It is.) Yes.", []string{"It is so (see below.) in most cases.", "(It is.)", "Yes."}},
		{"citation at the stop", "It rains.[1] It pours. [2, 3] It dries.", []string{"It rains.[1]", "It pours. [2, 3]", "It dries."}},
		{"citation in parentheses", "It rains. (Smith et al., 2019) It pours. (Passage 2)", []string{"It rains. (Smith et al., 2019)", "It pours. (Passage 2)"}},
		{"citation before sentence", "[1] It rains. [2] It pours.", []string{"[1] It rains.", "[2] It pours."}},
		{"emphasis", "**It rains.** _It pours._ Yes.", []string{"**It rains.**", "_It pours._", "Yes."}},
		{"emoticon", "It works. :-) Thanks.", []string{"It works. :-)", "Thanks."}},
		{"no space", "It rains.Then it pours.", []string{"It rains.", "Then it pours."}},
		{"no space after a short word", "Soften it.Rub it.", []string{"Soften it.", "Rub it."}},
		{"no space after a quote", `It was "unfair".He added that.`, []string{`It was "unfair".`, "He added that."}},
		{"no space after a name", "He left Paris.He stayed in the UK.The rest is in io.Reader and Node.Run now.", []string{"He left Paris.", "He stayed in the UK.", "The rest is in io.Reader and Node.Run now."}},
		{"participle after company", "It belongs to Acme LLC. Founded in 1990, it grew. Acme Inc. United left.", []string{"It belongs to Acme LLC.", "Founded in 1990, it grew.", "Acme Inc. United left."}},
		{"no capitals", "it rains. the u.s. team won, e.g. in may. it pours.", []string{"it rains.", "the u.s. team won, e.g. in may.", "it pours."}},
		{"no capitals but acronyms", "i like the NFL. did you know?", []string{"i like the NFL.", "did you know?"}},
		{"Chinese", "今天下雨。明天晴！好吗？", []string{"今天下雨。", "明天晴！", "好吗？"}},
		{"Japanese quotes", "彼は「はい。そうです。」と言った。終わり。", []string{"彼は「はい。そうです。」と言った。", "終わり。"}},
		{"Hindi", "यह सच है। वह झूठ है।", []string{"यह सच है।", "वह झूठ है।"}},
		{"Arabic", "هل هذا صحيح؟ نعم.", []string{"هل هذا صحيح؟", "نعم."}},
		{"Urdu", "یہ سچ ہے۔ وہ نہیں۔", []string{"یہ سچ ہے۔", "وہ نہیں۔"}},
		{"Amharic", "ሰላም።ደህና ነህ፧", []string{"ሰላም።", "ደህና ነህ፧"}},
		{"Armenian", "Ոչինչ: Այո:", []string{"Ոչինչ:", "Այո:"}},
		{"Greek", "Πού είναι; Εδώ.", []string{"Πού είναι;", "Εδώ."}},
		{"Russian", "Идёт дождь. Он льёт.", []string{"Идёт дождь.", "Он льёт."}},
		{"brand", "She works at Yahoo! in the back. It was Yahoo! Then it was not.", []string{"She works at Yahoo! in the back.", "It was Yahoo!", "Then it was not."}},
	})
}

func TestSentencesLayout(t *testing.T) {
	checkSentences(t, "", []sentencesTest{
		{"blank line", "A title\n\nIt rains", []string{"A title", "It rains"}},
		{"short lines", "Flour\nsugar\nmilk", []string{"Flour", "sugar", "milk"}},
		{"wrapped line", "This line was wrapped at some width by the\nauthor of it. It\nstays.", []string{"This line was wrapped at some width by the\nauthor of it.", "It", "stays."}},
		{"wrapped name", "He was born long ago in the small town of\nUlm and left.", []string{"He was born long ago in the small town of\nUlm and left."}},
		{"wrapped title", "In the year 1905 a paper was written by Dr.\nEinstein.", []string{"In the year 1905 a paper was written by Dr.\nEinstein."}},
		{"hard line break", "This line was broken on purpose at its end  \nand goes on.", []string{"This line was broken on purpose at its end", "and goes on."}},
		{"bullets", "- one\n* two\n+ three\n• four\n–  five", []string{"one", "two", "three", "four", "five"}},
		{"numbers", "1. One. And more.\n2) Two\n(3) Three\na) Four\niv. Five", []string{"One.", "And more.", "Two", "Three", "Four", "Five"}},
		{"nested markers", "- [x] done\n  - 1. first", []string{"done", "first"}},
		{"number as answer", "42.", []string{"42."}},
		{"year at start", "1990. It was good.", []string{"1990.", "It was good."}},
		{"headings", "# Title\n## Part two ##\nText.", []string{"Title", "Part two", "Text."}},
		{"not a heading", "#hash and ####### seven", []string{"#hash and ####### seven"}},
		{"block quotes", "> It rains.\n>\n> > It pours.", []string{"It rains.", "It pours."}},
		{"rule", "One.\n---\nTwo.", []string{"One.", "---", "Two."}},
		{"table", "| a | b |\n|---|---|\n| 1. x | 2. Y |", []string{"| a | b |", "|---|---|", "| 1. x | 2. Y |"}},
		{"code", "See:\n```go\nx := 1. Y\n\nz()\n```\nDone.", []string{"See:", "```go\nx := 1. Y\n\nz()\n```", "Done."}},
		{"unclosed fence", "~~~\na\nb", []string{"~~~\na\nb"}},
		{"fenced prose", "```markdown\nIt rains. It pours.\n```\nDone.", []string{"It rains.", "It pours.", "Done."}},
		{"prose in a fence without a language", "Note:\n```\nIt rains in the hills. It pours.\n```\nDone.", []string{"Note:", "It rains in the hills.", "It pours.", "Done."}},
		{"inline code", "```x``` is code. Yes.", []string{"```x``` is code.", "Yes."}},
		{"inline enumeration", "1. Do this. 2. Do that. 3. Stop.", []string{"Do this.", "Do that.", "Stop."}},
		{"enumeration after colon", "Do so: 1. Open it. 2. Close it.", []string{"Do so:", "Open it.", "Close it."}},
		{"enumeration without stops", "1) The first 2) The second", []string{"The first", "The second"}},
		{"number outside enumeration", "It rains. 7. It pours.", []string{"It rains.", "7. It pours."}},
		{"letters", "a. The first b. The second", []string{"The first", "The second"}},
		{"inline bullets", "• One • Two", []string{"One", "Two"}},
		{"CRLF", "One\r\n\r\nTwo.\r\n", []string{"One", "Two."}},
		{"non-ASCII white space", "\u00a0\u3000One.\u2003Two\u00a0", []string{"One.", "Two"}},
	})
}

func TestSentencesAllocatesOnlyTheResult(t *testing.T) {
	text := "Dr. Smith came at 5 p.m. The U.S. team won. 今天下雨。明天晴！\n- one\n- two, etc. Yes."
	Sentences(text, "")
	if n := testing.AllocsPerRun(100, func() { Sentences(text, "") }); n > 2 {
		t.Errorf("got %v allocations, want at most 2", n)
	}
}
