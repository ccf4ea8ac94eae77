package extract

import "testing"

func TestExtractTrimsSourceFrames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ answer, want string }{
		{"According to the documents, the fee is $5.", "The fee is $5."},
		{"According to the provided context, Ada Quill chaired the panel.", "Ada Quill chaired the panel."},
		{"According to the documents Ada Quill chaired the panel.", "Ada Quill chaired the panel."},
		{"Based on the information provided in the context, the fee is $5.", "The fee is $5."},
		{"As stated in passage 2, the fee is $5.", "The fee is $5."},
		{"From the excerpts, it costs $5.", "It costs $5."},
		{"The passage states that the fee is $5.", "The fee is $5."},
		{"The documents clearly indicate that the fee is $5.", "The fee is $5."},
		{"The text says the fee is $5.", "The fee is $5."},
		{"It is stated in the context that the fee is $5.", "The fee is $5."},
		{"The fee is $5, according to the documents.", "The fee is $5."},
		{"Based on the context, the text states that the fee is $5.", "The fee is $5."},

		{"According to Ada Quill, the fee is $5.", ""},
		{"According to the report, the fee is $5.", ""},
		{"The report states that the fee is $5.", ""},
		{"The context mentions a fee of $5.", ""},
		{"Based on the documents that he found, Bo Marsh sued.", ""},
		{"He found the letter, in the documents.", ""},
		{"In the text messages, she agreed to pay.", ""},
	} {
		e := extract(t, c.answer)
		if len(e.Claims) != 1 {
			t.Errorf("%q: got %d claims, want 1", c.answer, len(e.Claims))
			continue
		}
		if got := e.Claims[0]; got.Statement != c.want || got.Text != c.answer {
			t.Errorf("%q: got Text %q and Statement %q, want Statement %q", c.answer, got.Text, got.Statement, c.want)
		}
	}
}

func TestExtractDropsAnswerLabels(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Answer: ", "ANSWER - ", "**Answer**: ", "**Final Answer:** ", "<b>Answer:</b> ", "<h2>Answer</h2>", "<h3>Short answer</h3>\n", "Answer\n\n", "TL;DR: ", "TLDR — ", "tl;dr\n", "The short answer: ",
		"In short: ", "In summary: ", "Bottom line: ", "To answer your question: ", "My final answer: ", "### Summary\n", "A: ", "Antwort: ", "答案：",
	} {
		answer := label + "The pool is heated."
		if e := extract(t, answer); len(e.Claims) != 1 || e.Claims[0].Text != "The pool is heated." || e.Claims[0].Lead != "" {
			t.Errorf("%q: got claims %+v, want the sentence without its label", answer, e.Claims)
		}
	}
	for _, answer := range []string{"Price: The pool is heated.", "Result: 5 to 2.", "Ada Quill - the answer of the pool."} {
		if e := extract(t, answer); len(e.Claims) != 1 || e.Claims[0].Text != answer {
			t.Errorf("%q: got claims %+v, want the whole answer", answer, e.Claims)
		}
	}
}
