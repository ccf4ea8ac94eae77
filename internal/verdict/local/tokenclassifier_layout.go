package local

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A TokenClassifierLayout is how a published token classifier was trained to read contexts.
type TokenClassifierLayout struct {
	// Passage is the format of a context, with its number from 1 if Numbered is set.
	// Passages are joined with Join.
	Passage  string
	Numbered bool
	Join     string
	// QA and Summary are the first text of a pair with and without a question. Their
	// placeholders are {question}, {passages} and {n}, the number of passages.
	QA, Summary string
	// Labels are the meanings of the logits, as names of labels.
	Labels []string
	// Limit is the maximum number of tokens of a pair. If it is 0, it follows from the
	// model's files.
	Limit int
}

// TokenClassifierLayouts returns the layouts of published token classifiers by repository.
func TokenClassifierLayouts() map[string]TokenClassifierLayout {
	v1, v2 := LettuceDetectLayout(), lettuceDetect2Layout()
	return map[string]TokenClassifierLayout{
		"KRLabsOrg/lettucedect-base-modernbert-en-v1":  v1,
		"KRLabsOrg/lettucedect-large-modernbert-en-v1": v1,
		"KRLabsOrg/tinylettuce-ettin-17m-en":           v1,
		"KRLabsOrg/tinylettuce-ettin-32m-en":           v1,
		"KRLabsOrg/tinylettuce-ettin-68m-en":           v1,
		"KRLabsOrg/lettucedect-v2-mmbert-base":         v2,
	}
}

// LettuceDetectLayout returns the English layout of LettuceDetect 1, which imitates the
// prompts of RAGTruth (lettucedetect/prompts of KRLabsOrg/LettuceDetect).
func LettuceDetectLayout() TokenClassifierLayout {
	return TokenClassifierLayout{
		Passage: "passage %d: %s", Numbered: true, Join: "\n",
		QA: "Briefly answer the following question:\n{question}\n" +
			"Bear in mind that your response should be strictly based on the following {n} passages:\n{passages}\n" +
			"In case the passages do not contain the necessary information to answer the question, please reply with: " +
			"\"Unable to answer based on given passages.\"\noutput:",
		Summary: "Summarize the following text:\n{passages}\noutput:",
		Labels:  []string{"supported", "hallucinated"},
		Limit:   4096,
	}
}

// lettuceDetect2Layout returns the layout on which LettuceDetect 2 was trained
// (scripts/canonicalize_prompts.py and generate_acl_hallucinations.py).
func lettuceDetect2Layout() TokenClassifierLayout {
	return TokenClassifierLayout{
		Passage: "%s", Join: "\n\n", QA: "User request: {question}\n\n{passages}", Summary: "{passages}",
		Labels: []string{"supported", "hallucinated"}, Limit: 8192,
	}
}

// TokenClassifierLayoutOf returns the layout of a token classifier that is not published,
// and its name. The training scripts of LettuceDetect 2 name its labels, those of version 1
// do not.
func TokenClassifierLayoutOf(labels []string) (TokenClassifierLayout, string) {
	if slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, "hallucinated") }) {
		return lettuceDetect2Layout(), "lettucedetect 2"
	}
	return LettuceDetectLayout(), "lettucedetect 1"
}

// line formats the passage with index i for the prompt.
func (l *TokenClassifierLayout) line(i int, text string) string {
	if l.Numbered {
		return fmt.Sprintf(l.Passage, i+1, text)
	}
	return fmt.Sprintf(l.Passage, text)
}

// prompt returns the first text of a pair.
func (l *TokenClassifierLayout) prompt(question string, passages []string) string {
	lines := make([]string, len(passages))
	for i, p := range passages {
		lines[i] = l.line(i, p)
	}
	text := l.QA
	if question == "" {
		text = l.Summary
	}
	return strings.NewReplacer("{question}", question, "{n}", strconv.Itoa(len(passages)), "{passages}", strings.Join(lines, l.Join)).Replace(text)
}
