package extract

import (
	"slices"
	"strings"
	"testing"
)

const clinicContext = "The Harbor Clinic treats patients over 16 years. Dr. Lena Vogt has led the clinic since 2011. Appointments can be booked online. A visit costs $40."

// claimAssertions calls ClaimAssertions with clinicContext.
func claimAssertions(t *testing.T, e Extraction, question, answer string) Extraction {
	t.Helper()
	e, err := e.ClaimAssertions(t.Context(), question, answer, []string{clinicContext})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// assertedTexts returns the texts of the claims of answer.
func assertedTexts(t *testing.T, question, answer string) []string {
	t.Helper()
	e := claimAssertions(t, extractReply(t, question, answer), question, answer)
	var all []string
	at := 0
	for i, c := range e.Claims {
		if c.ID != i || c.Start < at {
			t.Errorf("%q: claim %d has the id %d and starts at %d, want %d or more", answer, i, c.ID, c.Start, at)
		}
		if sentence := string([]rune(answer)[c.Start:c.End]); !restates(c.Text, sentence) {
			t.Errorf("%q: claim %q does not restate %q", answer, c.Text, sentence)
		}
		at = c.End
		all = append(all, c.Text)
	}
	for _, s := range e.Skipped {
		if got := string([]rune(answer)[s.Start:s.End]); got != s.Text {
			t.Errorf("%q: skipped %q at the place of %q", answer, s.Text, got)
		}
	}
	return all
}

func TestClaimAssertions(t *testing.T) {
	const stated = "The Harbor Clinic treats patients over 16 years."
	for _, c := range []struct{ name, asserts, silent string }{
		{"tag with an attribute", "Dr. Lena Vogt was sued in 2020. <think step=1>Passage 1 says it.</think> %", "<think step=1>Dr. Lena Vogt was sued in 2020.</think> %"},
		{"closing tag within a line", "Dr. Lena Vogt was sued in 2020. </thinking> %", "Dr. Lena Vogt was sued in 2020.\n</thinking>\n\n%"},
		{"closing tag in backticks", "Dr. Lena Vogt was sued in 2020. `</think>`\n\n%", ""},
		{"second closing tag", "<think>The user asks.</think> Dr. Lena Vogt was sued in 2020.\n</think>\n%", ""},
		{"later reasoning", "% <scratchpad note='a'>Dr. Lena Vogt was sued in 2020.</scratchpad>", "% <scratchpad note='a'>The passage says that Dr. Lena Vogt has led the clinic.</scratchpad>"},
		{"unclosed tag", "%\n<THOUGHT>Dr. Lena Vogt was sued in 2020.", "%\n<THOUGHT>Dr. Lena Vogt has led the clinic."},
		{"tagged sources", "% <sources>Dr. Lena Vogt was sued in 2020.</sources>", "% <sources>Harbor Clinic leaflet, page 3</sources>"},
		{"tagged sources with an attribute", `% <citations type="list">Dr. Lena Vogt was sued in 2020.</citations>`, `% <citations type="list">[1] leaflet.pdf</citations>`},
		{"source list", "%\n\nReferences:\n1. Dr. Lena Vogt convicted of fraud", "%\n\nReferences:\n1. Harbor Clinic patient leaflet, p. 3\n2. Annual report 2015"},
		{"amount in a source list", "%\n\nSources:\n- Visit now $900", "%\n\nSources:\n- Visit guide, page 900"},
		{"URL in a source list", "%\n\nSources:\n- Dr. Lena Vogt was sued. https://example.org", "%\n\nSources:\n- Clinic manual https://example.org"},
		{"source list in another language", "%\n\nQuellen:\n- Dr. Lena Vogt wurde wegen Betrugs verhaftet und die Clinic ist geschlossen.", "%\n\nQuellen:\n- Harbor Clinic Handbuch, Seite 4"},
		{"footnote", "%[^1]\n\n[^1]: The clinic burned down.", "%[^1]\n\n[^1]: Clinic manual, section 4."},
		{"title of a link", "%\n\n[1]: https://example.org \"The clinic burned down\"", "%\n\n[1]: https://example.org \"Clinic leaflet\""},
		{"bracket", "% [Vogt Convicted Of Tax Fraud]", "% [Clinic Leaflet]"},
		{"fenced prose", "%\n```\nthe clinic was closed after a fire\n```", "%\n```python\nage = 16\nprint(age)\n```"},
		{"string in fenced code", "%\n```json\n{\"note\": \"The clinic burned down.\"}\n```", "%\n```json\n{\"note\": \"The clinic treats patients.\"}\n```"},
		{"heading", "### Dr. Lena Vogt murdered a patient\n\n%", "### Patients treated by the clinic\n\n%"},
		{"underlined heading", "Clinic contains deadly asbestos\n---\n%", "Age of the patients\n---\n%"},
		{"table header", "| Age | The clinic burned down |\n|---|---|\n| % | |", "| Age | Leaflet |\n|---|---|\n| % | |"},
		{"lead-in", "Here is why the clinic burned down:\n\n%", "Here are the steps to become a member of the clinic:\n\n%"},
		{"question", "% Do you want to know why Dr. Vogt was arrested?", "% Do you want to know more about membership?"},
		{"question with a number", "% Can you believe that it treats 900 patients?", "% Which clinic do you mean?"},
		{"negated question", "% Isn't the clinic bankrupt?", "% Don't you have other questions?"},
		{"offer", "% Would you like me to list the crimes of Dr. Vogt?", "% Would you like me to explain more?"},
		{"offer with a condition", "% If you like, I can tell you that the clinic is bankrupt.", "% If you like, I can explain how appointments can be booked."},
		{"courtesy", "% I hope this helps with Dr. Vogt's fraud trial!", "% I hope this helps with your exam!"},
		{"refusal", "% I do not know why Dr. Vogt lost her licence.", "% The documents do not explain how the clinic is cleaned."},
		{"refusal with a number", "% The documents do not say how the clinic lost 900 files.", "% Passage 3 does not say more."},
		{"member of a JSON answer", `{"answer": "%", "reasoning": "Dr. Lena Vogt was sued in 2020."}`, `{"answer": "%", "reasoning": "The document says that the clinic treats patients over 16."}`},
		{"source in a JSON answer", `{"answer": "%", "sources": ["The clinic burned down."], "id": 4}`, `{"answer": "%", "sources": ["Clinic leaflet"], "id": 4}`},
		{"key of a JSON answer", `{"answer": "%", "The clinic burned down in 2020": null}`, `{"answer": "%", "follow_up_question": null}`},
		{"flag in a JSON answer", `{"answer": "%", "clinic_bankrupt": true}`, `{"answer": "%", "answerable": true, "confidence": 0.9}`},
	} {
		for i, answer := range []string{c.asserts, c.silent} {
			if answer == "" {
				continue
			}
			answer = strings.ReplaceAll(answer, "%", stated)
			got := slices.DeleteFunc(assertedTexts(t, "Whom does it treat?", answer), func(s string) bool { return strings.Contains(s, strings.TrimSuffix(stated, ".")) })
			if len(got) != 1-i {
				t.Errorf("%s: %q has the claims %q beside the stated one, want %d", c.name, answer, got, 1-i)
			}
		}
	}
}

func TestClaimAssertionsOfAnswersWithoutClaims(t *testing.T) {
	for _, c := range []struct{ question, answer, want string }{
		{"Is a visit free?", "Absolutely!", "A visit is free."},
		{"Is a visit free?", "Of course!", "A visit is free."},
		{"Is a visit free?", "Sure.", "A visit is free."},
		{"Is a visit free?", "👍", "A visit is free."},
		{"Is a visit free?", "❌", "A visit is not free."},
		{"Is a visit free?", `{"answer": false}`, "A visit is not free."},
		{"What does a visit cost?", "Isn't the fee $900?", "Isn't the fee $900?"},
		{"What does a visit cost?", "[900]", "What does a visit cost: [900]"},
		{"Who leads the clinic?", "<think>Paul Weber leads the clinic.</think>", "Paul Weber leads the clinic."},
		{"Who leads the clinic?", "Sources:\n- Clinic led by Paul Weber", "Clinic led by Paul Weber"},
		{"Who leads the clinic?", "```\nPaul Weber\n```", "Who leads the clinic: Paul Weber"},
		{"What does a visit cost?", "The documents do not mention anything beyond the fact that it costs $900.", "The documents do not mention anything beyond the fact that it costs $900."},
		{"Which page has the fees?", "https://clinic.example/fees", "Which page has the fees: https://clinic.example/fees"},
		{"Which command lists files?", "```bash\nls -l\n```", ""},
		{"Is a visit free?", "Hope this helps!", ""},
		{"Is a visit free?", "You're welcome!", ""},
		{"Is a visit free?", "The documents do not say.", ""},
		{"Can you help me?", "Sure!", ""},
		{"Who leads the clinic?", "Of course!", ""},
		{"Who leads the clinic?", "Which clinic do you mean?", ""},
		{"Who founded the clinic?", "The documents do not mention who founded the clinic.", ""},
		{"Who leads the clinic?", "<think>The user asks who leads it.</think> I don't know.", ""},
	} {
		e := claimAssertions(t, extractReply(t, c.question, c.answer), c.question, c.answer)
		got := ""
		if len(e.Claims) > 0 {
			got = e.Claims[0].Judged()
		}
		if got != c.want || len(e.Claims) > 1 {
			t.Errorf("%q: got %d claims, %q, want %q", c.answer, len(e.Claims), got, c.want)
		}
	}
}

func TestClaimAssertionsWidensTheWholeAnswer(t *testing.T) {
	const answer = "A visit costs $40.\n\nSources:\n- The clinic burned down."
	e, err := WholeAnswer{}.Extract(t.Context(), "", answer)
	if err != nil {
		t.Fatal(err)
	}
	if e = claimAssertions(t, e, "", answer); len(e.Claims) != 1 || e.Claims[0].Text != answer || len(e.Skipped) != 0 {
		t.Errorf("got %+v, want the answer as one claim", e)
	}
}
