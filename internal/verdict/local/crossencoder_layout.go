package local

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
)

// A CrossEncoderLayout describes how a published judge was trained to read a text and a claim,
// where that does not follow from its files.
type CrossEncoderLayout struct {
	// Template combines text and claim; "" means as a pair. See encoder.Options.
	Template string
	// Labels are the meanings of the logits, as names of labels; nil means those in the
	// model's files.
	Labels []string
	// Tokens are the output tokens of the labels, for a model with a decoder.
	Tokens []int
	// Head is the layer that computes the logits; see encoder.Options.
	Head string
	// Chunk is the maximum size in Units of the passage that is judged at once. Passages do
	// not overlap. If it is 0, passages overlap and are as large as the model can read.
	Chunk int
	Unit  Unit
	// Even splits a text into passages with equal numbers of sentences and about Chunk units each.
	Even bool
	// Rejoin joins the sentences of a passage with spaces, and their lines with line breaks,
	// as the inference code does.
	Rejoin bool
	// Punctuated ends sentences only at punctuation marks, not at line breaks.
	Punctuated bool
	// Mean judges the sentences of a claim one by one. Its score is the mean of theirs.
	Mean bool
	// Limit is the maximum number of tokens of an input. If it is 0, it follows from the
	// model's files.
	Limit int
}

// A Unit measures the size of passages.
type Unit int

// The units.
const (
	Tokens        Unit = iota // of the model
	Words                     // separated by white space
	WordsAndMarks             // words and punctuation marks
)

// binary returns the labels of judges that only distinguish supported claims from others.
func binary() []string { return []string{"not_supported", "supported"} }

// CrossEncoderLayouts returns the layouts of published judges by repository. They were taken from
// the inference code of each judge: minicheck/inference.py of Liyan06/MiniCheck,
// factcg/inference.py of derenlei/FactCG and src/alignscore/inference.py of
// yuh-zha/AlignScore, in its default mode nli_sp.
func CrossEncoderLayouts() map[string]CrossEncoderLayout {
	factCG := "{text1}\n\nChoose your answer: based on the paragraph above can we conclude that \"{text2}\"?\n\n" +
		"OPTIONS:\n- Yes\n- No\nI think the answer is "
	return map[string]CrossEncoderLayout{
		"yaxili96/FactCG-DeBERTa-v3-Large":  {Template: factCG, Labels: binary(), Chunk: 550, Unit: WordsAndMarks, Limit: 2048},
		"lytang/MiniCheck-Flan-T5-Large":    {Template: "predict: {text1}</s>{text2}", Labels: binary(), Tokens: []int{3, 209}, Chunk: 500, Unit: Words, Rejoin: true, Limit: 2048},
		"lytang/MiniCheck-RoBERTa-Large":    {Template: "{text1}</s>{text2}", Labels: binary(), Chunk: 400, Rejoin: true, Limit: 512},
		"lytang/MiniCheck-DeBERTa-v3-Large": {Template: "{text1}[SEP]{text2}", Labels: binary(), Chunk: 400, Rejoin: true, Limit: 2048},
		"yzha/AlignScore":                   {Head: "tri_layer", Labels: []string{"entailment", "neutral", "contradiction"}, Chunk: 350, Unit: Words, Even: true, Rejoin: true, Punctuated: true, Mean: true, Limit: 512},
	}
}

// Apply sets the options for opening a model with layout l.
func (l CrossEncoderLayout) Apply(o *encoder.Options) {
	o.Template, o.LabelNames, o.LabelTokens, o.Head = l.Template, l.Labels, l.Tokens, l.Head
}

// DefaultBatch is the number of pairs per call of a CrossEncoderModel.
const DefaultBatch = 10

// A CrossEncoderModel classifies pairs of texts. *encoder.Model implements it if its kind
// is Classify or HHEM.
type CrossEncoderModel interface {
	Model
	// Classify returns the logits of all labels for each pair.
	Classify(ctx context.Context, pairs []encoder.Pair) ([][]float32, error)
}

// CrossEncoderOptions configure a CrossEncoder.
type CrossEncoderOptions struct {
	Options
	Model CrossEncoderModel // required
	// Layout is the layout with which Model was opened. The zero value follows from the
	// model's files.
	Layout CrossEncoderLayout
	// Rounded ignores Threshold and rounds the probability, half to even, as Ragas does
	// with HHEM. A probability of exactly 0.5 is not supported.
	Rounded bool
	// Joined compares claims with all contexts joined by newlines. Otherwise each context
	// is classified separately and the best one counts.
	Joined bool
	// Batch is the number of pairs per call of the model. It defaults to DefaultBatch and
	// does not affect results.
	Batch int
	// Nearest is the number of windows that each claim is judged against: those with the
	// highest values of Rank. If it is 0, or if the values of a claim are equal, it is
	// judged against all windows.
	Nearest int
	// Rank returns how near each claim is to each text, with shape [claim][text]. Required
	// with Nearest.
	Rank func(ctx context.Context, claims []extract.Claim, texts []string) ([][]float64, error)
}

// A CrossEncoder is a judge whose model reads a passage and a claim together, such as a
// model for natural language inference or HHEM. It is safe for concurrent use.
// Its results depend only on the task, the model and the options.
type CrossEncoder struct {
	o CrossEncoderOptions
	budget
}

// tokens returns the number of tokens of a passage as the model reads it.
func (j *CrossEncoder) tokens(text string) int { return j.o.Model.Count(j.premise(text)) }

// windows splits texts into the passages to classify, of up to size tokens; 0 means no limit.
func (j *CrossEncoder) windows(ctx context.Context, texts []string, size int) ([]encoder.Passage, error) {
	l := &j.o.Layout
	s := encoder.Splitter{Count: j.o.Model.Count, Sentences: j.sentences}
	if l.Chunk == 0 {
		return s.Split(ctx, texts, size)
	}
	s.Disjoint = true
	if size > 0 { // a chunk of few words may have many tokens
		s.Fits = func(text string) bool { return j.tokens(text) <= size }
	}
	switch l.Unit {
	case Tokens:
	case Words:
		s.Count = func(text string) int { return len(strings.Fields(text)) }
	case WordsAndMarks:
		s.Count = countWords
	}
	if !l.Even {
		return s.Split(ctx, texts, l.Chunk)
	}
	var all []encoder.Passage
	units := s.Count
	s.Count = func(text string) int {
		n := 0
		j.sentences(text, func(int, int) { n++ })
		return n
	}
	for i, text := range texts {
		n := units(text)/l.Chunk + 1
		passages, err := s.Split(ctx, []string{text}, max(1, s.Count(text)/n))
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			p.Text = i
			all = append(all, p)
		}
	}
	return all, nil
}

// sentences calls yield with the byte offsets of each sentence of a text.
func (j *CrossEncoder) sentences(text string, yield func(start, end int)) {
	if !j.o.Layout.Punctuated {
		j.o.Sentences(text, yield)
		return
	}
	from, to := 0, 0 // the sentence so far
	j.o.Sentences(text, func(start, end int) {
		if from == to {
			from = start
		}
		to = end
		if last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[start:end], " \"'”’)]")); strings.ContainsRune(".?!…。？！", last) {
			yield(from, to)
			from = to
		}
	})
	if from < to {
		yield(from, to)
	}
}

// premise returns the text of a window for the model.
func (j *CrossEncoder) premise(text string) string {
	if !j.o.Layout.Rejoin {
		return text
	}
	var b strings.Builder
	last := -1 // end of the previous sentence
	j.sentences(text, func(start, end int) {
		if last >= 0 {
			b.WriteByte(' ')
			if !j.o.Layout.Punctuated {
				b.WriteString(strings.Repeat("\n ", strings.Count(text[last:start], "\n")))
			}
		}
		b.WriteString(strings.TrimSpace(text[start:end]))
		last = end
	})
	return strings.ReplaceAll(b.String(), " \n ", "\n")
}

// countWords returns about the number of words and punctuation marks that NLTK finds in a
// text: marks within a word, as in 4.5 or well-known, belong to it, but 's is a word.
func countWords(text string) int {
	const separate = `,:;@#$%&?!()[]{}<>"“”«»…`
	n := 0
	for field := range strings.FieldsSeq(text) {
		inWord := false
		for i, r := range field {
			_, size := utf8.DecodeRuneInString(field[i:])
			rest := field[i+size:]
			switch {
			case strings.ContainsRune(",:", r) && rest != "" && rest[0] >= '0' && rest[0] <= '9':
			case strings.ContainsRune(separate, r), r == '.' && strings.Trim(rest, `)]}>"”.`) == "":
				inWord = false
				if r != '.' || !strings.HasSuffix(field[:i], ".") {
					n++
				}
				continue
			case r == '\'':
				inWord = false
			}
			if !inWord {
				n++
			}
			inWord = true
		}
	}
	return n
}
