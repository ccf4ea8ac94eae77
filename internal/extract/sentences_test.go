package extract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func extract(t testing.TB, answer string) Extraction {
	t.Helper()
	return extractReply(t, "", answer)
}

func extractReply(t testing.TB, question, answer string) Extraction {
	t.Helper()
	e, err := Sentences{}.Extract(t.Context(), question, answer)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// checkKinds checks the kind of each sentence of an answer, which is "claim" for claims.
func checkKinds(t *testing.T, answer string, want ...string) {
	t.Helper()
	var got []string
	for _, p := range piecesOf(extract(t, answer)) {
		got = append(got, string(p.Kind))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%q: kinds (-want +got):\n%s", answer, d)
	}
}

func TestExtractClaimsAssertions(t *testing.T) {
	for _, answer := range []string{
		"Paris",
		"Germany, 1879",
		"**Paris**",
		"# Paris",
		"No.",
		"Yes!",
		"5.",
		"42",
		"- low cost",
		"1. **Supervision**",
		"Paris is the capital of France",
		"The film won three awards: best actor, best director and best score.",
		"The film won three awards:",
		"In 1990 he wrote the following books:",
		"I'm sorry, but the film was released in 1970.",
		"Unfortunately, the museum is closed on Mondays.",
		"The passages mention these uses, but do not provide any information on others.",
		"There is no mention of God in the book of Esther.",
		"There is no evidence that vaccines cause autism.",
		"The drug does not provide relief.",
		"No, in the context of the game, a sprite refers to a picture.",
		"Did you know that Paris has two million people?",
		"Paris is the capital, right?",
		`He asked "Why?"`,
		"How can we build artificial agents that solve social dilemmas in which individuals are tempted?",
		"Thanks to the treaty, Spain won.",
		"If you have any questions, you can call the office.",
		"If you want a refund, contact the service desk.",
		"Let me know if the $500 fee applies.",
		"Should you need a visa, you have to apply in May.",
		"Feel free to use olive oil instead of butter.",
		"Let me know if you need help; the office opens at 9.",
		"Here is the house where Goethe was born.",
		"Hello is a word of greeting.",
		"Please contact us at the desk before May.",
		"If you have any questions, please contact Dr. Smith at the desk.",
		"Dear guests pay more.",
		"I couldn't find information about a warranty, so there is none.",
		"I'm sorry for the delay of the opening.",
		"'Thank you for your support,' it reads.",
		"The data do not lie.",
		"The document says: \"No refunds are given after 30 days.\"",
		"The text states: \"No answer was received from the ministry.\"",
		"The document says no pets are allowed.",
		"The police report does not mention a weapon.",
		"The treaty does not specify a deadline for withdrawal.",
		"The text does not end there, it goes on.",
		"`x = 1` sets x.",
		"Queries can be used to perform various operations on the data, such as:",
		"## Paris is the capital of France.",
	} {
		checkKinds(t, answer, "claim")
	}
}

func TestExtractClassifiesSkippedSentences(t *testing.T) {
	for kind, answers := range map[Kind][]string{
		Greeting: {
			"Hello!", "Hi there!", "Hi John,", "Sure!", "Certainly!", "Of course!", "Thanks.", "You're welcome!", "Great question!",
			"I hope this helps!", "Let me know if you have any other questions.", "Feel free to ask!", "Sure, I hope this helps.",
			"If you have any further questions, please don't hesitate to ask.", "I'd be happy to help with that!", "Have a great day!",
			"Let me know should you need anything else!", "Just let me know!", "I can also list the other fees if you'd like.", "If you'd like, I can list the other fees.",
			"If you want more detail, just ask.", "Should you need further help, please let me know.", "Happy to elaborate on any of these points.",
			"Please reach out if anything is unclear.", "Hope that clears things up!", "I'm sorry for the inconvenience.",
			"Please don't hesitate to contact us.", "We look forward to hearing from you.", "If you have any further questions, please contact our support team.",
			"Let me explain.", "Dear Dr. Ada Smith,", "Best,", "Gerne!", "¡Hola!", "Mit freundlichen Grüßen", "Bonjour,",
		},
		Question: {
			"What would you like to know?", "Which film do you mean?", "Is there anything else I can help you with?", "Would you like me to list them?", "**Why?**", "你好吗？",
		},
		LeadIn: {
			"Here is the answer:", "The steps are as follows:", "Sure, here's a summary of the article in 50 words:", "Here is the summary.",
			"Based on the provided passages, here are the steps to wash wine glasses:", "To wash wine glasses, follow these steps:",
			"Key features include:", "Based on the passages that were given, fires help trees such as the jack pine to grow in several ways:", "Bees are useful to the farm because they:", "For example:", "Based on the given passages:", "To secure your cluster:", "When a tube is collected:",
			"The capital of France is:", "You can follow these general steps:",
		},
		Refusal: {
			"I don't know.", "I don’t know", "I do not have enough information to answer.", "I do not have specific information on this.",
			"The context does not provide the date.", "The provided passages don't mention the director.", "Passage 3 does not provide any information about it.",
			"I'm sorry, but I can't answer that.", "Unable to answer based on given passages.", "Unfortunately, the document does not specify this.",
			"There is no information about it in the provided context.", "Based on the given passages, it is unclear who won.",
			"The date is not mentioned in the provided passages.", "The context does not mention X, so I cannot answer.",
			"I don't know, but I can help you with something else.", "I cannot answer because the context does not mention it.",
			"The documents do not answer the question: \"Who won?\"",
			"The employee handbook does not mention a bonus.", "The posting excerpts don't mention a salary.",
			"None of the documents mention the price.", "The CEO is not mentioned.", "The context does not mention a salary, so you have to ask.", "Unknown.", "As an AI language model, I cannot provide that.", "我不知道。",
		},
		Code:  {"```go\nx := 1\n```"},
		Marks: {"---", "***", "...", "😀", "| --- | --- |"},
	} {
		for _, answer := range answers {
			checkKinds(t, answer, string(kind))
		}
	}
}

func TestExtractClassifiesByLayout(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"heading", "## History\nIt was built in 1900.", []string{"heading", "claim"}},
		{"bold line", "It rains.\n\n**Other weather**\n\nIt pours all day long.", []string{"claim", "heading", "claim"}},
		{"label", "Advantages:\n- low cost\n- it is fast", []string{"heading", "claim", "claim"}},
		{"title before a list", "Advantages\n- low cost\n- it is fast", []string{"heading", "claim", "claim"}},
		{"title before a paragraph", "Summary\n\nThe house was built in 1900.", []string{"heading", "claim"}},
		{"answer with explanation", "Paris\n\nParis is the capital of France.", []string{"claim", "claim"}},
		{"answer after a lead-in", "The answer is:\n\n**Paris**\n\nIt is the capital of France.", []string{"lead_in", "claim", "claim"}},
		{"lines without bullets", "The parts are:\nFlour\nSugar\nMilk", []string{"lead_in", "claim", "claim", "claim"}},
		{"number of a missing item", "Quadrature is used here.\n5.", []string{"claim", "heading"}},
		{"number after a lead-in", "Answer:\n5.", []string{"lead_in", "claim"}},
		{"title in the middle", "It rains.\n\nCreating a Table\n\nA table is made with a command.", []string{"claim", "heading", "claim"}},
		{"label with nested items", "1. **Rover**:\n   - It drives.\n   - It stops.", []string{"heading", "claim", "claim"}},
		{"inline enumeration", "Do this: 1. Open it. 2. Close it.", []string{"lead_in", "claim", "claim"}},
		{"title and code only", "Example\n\n```\nx\n```", []string{"claim", "code"}},
		{"greeting, answer and offer", "Sure! Paris is the capital. I hope this helps!", []string{"greeting", "claim", "greeting"}},
		{"letter", "Dear John,\n\nIt rains.\n\nBest,\nAnna Jones", []string{"greeting", "claim", "greeting", "greeting"}},
		{"sentence after a closing", "It rains.\n\nBest regards,\nIt pours.", []string{"claim", "greeting", "claim"}},
		{"name after a greeting", "Hello,\nParis", []string{"greeting", "claim"}},
		{"refusal before a statement", "While the context does not mention the CEO, the fee is $5.", []string{"refusal", "claim"}},
		{"refusal and a statement", "The context does not mention the CEO, but the fee is $5.", []string{"refusal", "claim"}},
		{"statement before a refusal", "The fee is $5, but the CEO is not mentioned.", []string{"claim", "refusal"}},
		{"statement about the refused topic", "The context does not mention the price, but it is $5.", []string{"claim"}},
		{"refusal and an enumeration", "The fee is $5, but the context does not mention the CEO, and dogs are free.", []string{"claim"}},
		{"refusal and a redirection", "I don't know. Please reach out to our support team.", []string{"refusal", "refusal"}},
		{"refusal and a recommendation", "The context doesn't say who it is. I'd recommend checking the official website.", []string{"refusal", "refusal"}},
		{"refusal and others who can help", "I don't know, but our support team can help.", []string{"refusal", "refusal"}},
		{"refusal and an address", "I don't know. Please contact help@a.com for support.", []string{"refusal", "claim"}},
		{"refusal and another recommendation", "I don't know. I'd recommend the annual plan of our team.", []string{"refusal", "claim"}},
		{"refusal and a redirection with a fact", "I don't know. Please contact support, because the fee has doubled.", []string{"refusal", "claim"}},
		{"refusal and a promise", "I don't know. Our support team can provide a full refund for life.", []string{"refusal", "claim"}},
		{"refusal and a redirection to somebody described", "I don't know. Please contact the bankrupt manufacturer.", []string{"refusal", "claim"}},
		{"refusal with a relative clause", "The context does not mention the warranty, which is lifetime.", []string{"claim"}},
		{"refusal with a reason", "The context does not mention the warranty, which means that I cannot answer.", []string{"refusal"}},
		{"disclaimers", "It rains. This is not legal advice. This summary may contain errors.", []string{"claim", "disclaimer", "disclaimer"}},
		{"claims of a company", "Tax advice is included. This is not recommended. Our data is verified. We guarantee full accuracy.", []string{"claim", "claim", "claim", "claim"}},
		{"values on their own lines", "It rains.\n\n$10\n\n99", []string{"claim", "claim", "claim"}},
		{"courtesies", "Thank you for contacting us.\n\nIt rains.\n\nWarm regards,\nAnna Smith", []string{"greeting", "claim", "greeting", "greeting"}},
		{"redirection alone", "Please contact our support team.", []string{"claim"}},
		{"indented code", "Run this:\n\n    $ make all\n    x = 1\n\nIt takes long.", []string{"lead_in", "code", "claim"}},
		{"indented prose", "It rains.\n\n    It pours today.", []string{"claim", "claim"}},
		{"fence on one line", "Use the following command:  ```  make all  ``` It takes long.", []string{"lead_in", "code", "claim"}},
		{"footnote with a URL", "It rains.[^1]\n\n[^1]: https://a.b/c", []string{"claim", "reference"}},
		{"footnote with a sentence", "[^1]: The figure is from 2019.", []string{"claim"}},
		{"URL", "It rains.\n\nhttps://a.b/c", []string{"claim", "reference"}},
		{"underlined heading", "Weather today\n=======\nIt rains.", []string{"heading", "marks", "claim"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkKinds(t, c.answer, c.want...) })
	}
}

func TestExtractionReason(t *testing.T) {
	for answer, want := range map[string]string{
		"":                                "empty",
		" \n\t":                           "empty",
		"Hello! I don't know.":            "refusal",
		"Hello!":                          "nothing_claimed",
		"---":                             "nothing_claimed",
		"It rains.":                       "",
		"I don't know. But it rains now.": "",
	} {
		if got := extract(t, answer).Reason(); got != want {
			t.Errorf("%q: got reason %q, want %q", answer, got, want)
		}
	}
}

func TestExtractReturnsCodePointOffsets(t *testing.T) {
	answer := "👩‍👩‍👧 Ça va bien.\n- 今日は雨。е́то так!"
	want := []Claim{
		{ID: 0, Text: "Ça va bien.", Start: 6, End: 17}, // excludes the emoji
		{ID: 1, Text: "今日は雨。", Start: 20, End: 25},
		{ID: 2, Text: "е́то так!", Start: 25, End: 34},
	}
	if d := cmp.Diff(want, extract(t, answer).Claims); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
}

func TestExtractReturnsContextError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Sentences{}).Extract(ctx, "", "It rains."); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func TestExtractClaimsLongSentence(t *testing.T) {
	checkKinds(t, "I don't know "+strings.Repeat("and so on ", 60), "claim")
}

func TestClaimsOfAnswerAreLimited(t *testing.T) {
	if _, err := (Sentences{}).Extract(t.Context(), "", strings.Repeat("a! ", maxClaims+2)); err == nil || !strings.Contains(err.Error(), "more than 100000 claims") {
		t.Errorf("got error %v, want too many claims", err)
	}
}
