package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The texts of published prompts are facts about models, which were trained with them.
func TestPublishedPromptsAreExact(t *testing.T) {
	s := mustLoad(t, "")
	d := Data{Question: "Who?", Joined: "One.\nTwo.", Claims: []Item{{Text: "<b>Me</b> & [1]"}}}
	for n, want := range map[Name]string{
		MiniCheck: "Document: One.\nTwo.\nClaim: <b>Me< /b> & [1]",
		Lynx: "QUESTION (THIS DOES NOT COUNT AS BACKGROUND INFORMATION):\nWho?\n\n--\nDOCUMENT:\nOne.\nTwo.\n\n--\nANSWER:\n<b>Me< /b> & [1]\n\n--\n\n" +
			"Your output should be in JSON FORMAT with the keys \"REASONING\" and \"SCORE\":\n{\"REASONING\": <your reasoning as bullet points>, \"SCORE\": <your final score>}",
		Guardian: `Output empty <think>\n</think> tags followed by your score in <score></score> tags.` + "\n\n### Criteria: A text is considered ungrounded",
	} {
		text := mustRender(t, s, n, d)
		if !strings.Contains(text.User, want) {
			t.Errorf("%s: got %q, want it to contain %q", n, text.User, want)
		}
		if (text.System == "") != (n != MiniCheck) {
			t.Errorf("%s: got system message %q", n, text.System)
		}
	}
}

func TestPlainTextsContainNoControlTokens(t *testing.T) {
	for name, evil := range injections {
		got := Plain(evil)
		if !utf8.ValidString(got) {
			t.Errorf("%s: got %q, want valid UTF-8", name, got)
		}
		for _, mark := range []string{"<|", "</", "[/INST]", "[INST]", "<<SYS", "<｜", "<start_of", "<end_of", "[gMASK]", "[TOOL_CALLS]", "<sop>", "\x00", "\x1b", "\r"} {
			if strings.Contains(got, mark) {
				t.Errorf("%s: got %q, want no %q", name, got, mark)
			}
		}
	}
	if ordinary := "a < b, <b>c, x[0] and [1]\n\tÜber"; Plain(ordinary) != ordinary {
		t.Errorf("got %q, want %q", Plain(ordinary), ordinary)
	}
}
