package shape

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Field is a field of a row.
type Field string

// Fields of a row. This package does not look for ids.
const (
	ID       Field = "id"
	Question Field = "question"
	Answer   Field = "answer"
	Contexts Field = "contexts"
)

func fields() []Field { return []Field{Question, Answer, Contexts} }

// Ranks of names. A name of a lower rank is preferred to one of a higher rank.
const (
	rankExact = iota // names nothing else, such as retrieved_contexts
	rankUsual        // usual name, such as documents
	rankWeak         // also used for other things, such as result
)

// words splits a column name into lower-case words: at separators, before capitals and at digits.
func words(name string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	var last rune
	runes := []rune(name)
	for i, c := range runes {
		inWord := unicode.IsLetter(c) || unicode.IsDigit(c)
		capital := unicode.IsUpper(c) && (unicode.IsLower(last) || unicode.IsUpper(last) && i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if !inWord || capital || unicode.IsDigit(c) != unicode.IsDigit(last) {
			flush()
		}
		if inWord {
			word.WriteRune(unicode.ToLower(c))
		}
		last = c
	}
	flush()
	return out
}

// vocabulary describes the names of a field: one or more heads, which have a rank,
// and any number of modifiers.
type vocabulary struct {
	heads     map[string]int
	modifiers map[string]bool
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		m[word] = true
	}
	return m
}

// hasAny reports whether one of the words is in a set.
func hasAny(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

func ranked(ranks ...string) map[string]int {
	m := map[string]int{}
	for rank, list := range ranks {
		for word := range strings.FieldsSeq(list) {
			m[word] = rank
		}
	}
	return m
}

// Names holds the vocabulary of column names.
type Names struct {
	fields    map[Field]vocabulary
	explicit  map[Field]map[string]bool
	reference map[string]bool
	aside     map[string]bool
	other     map[string]bool
	answers   map[string]bool
	people    map[string]bool
	verdicts  map[string]bool
	labels    map[string]bool
	models    map[string]bool
	versions  map[string]bool
	vendors   map[string]bool
}

// Names of systems that answer, of models among them, and words of the versions of models.
const (
	systems  = "model llm ai bot assistant chatbot chat agent rag openai " + models
	models   = "gpt chatgpt claude gemini llama mistral mixtral qwen gemma deepseek grok phi nova sonnet opus haiku kimi granite o1 o3 o4 commandr"
	versions = "mini nano turbo pro flash lite sonnet opus haiku large medium small instruct chat it v r o b x k preview latest plus fast micro"
)

// NewNames returns the built-in vocabulary.
func NewNames() *Names {
	return &Names{
		fields: map[Field]vocabulary{
			Question: {
				ranked("question query", "input inputs prompt instruction request utterance", "problem"),
				set("rag user original customer human search text raw test case current last first initial asked message content str string"),
			},
			Answer: {
				ranked("answer response", "output completion prediction predicted pred reply replies generation generated", "result outputs hypothesis"),
				set("actual system final text raw full app chain pipeline candidate message content string answers responses " + systems),
			},
			Contexts: {
				ranked("contexts ctxs retrieved", "context documents docs chunks passages nodes paragraphs document passage chunk ctx snippets hits matches retrieval retrievals", "sources evidence evidences knowledge doc"),
				set("additional extra retriever source search relevant supporting top k text texts content contents used input list all similar matched vector db store base references node result results rag full returned ranked reranked filtered fetched"),
			},
		},
		explicit: map[Field]map[string]bool{
			Answer:   set("hypothesis actual " + systems),
			Contexts: set("search hits matches ranked reranked filtered fetched"),
		},
		// Reference data are never the answer or the contexts that a system produced.
		reference: set("reference references expected gold golden ground truth groundtruth gt correct ideal target targets label labels annotated"),
		// Names of objects that describe rows rather than contain them.
		aside: set("metadata meta config configuration extra params parameters settings tags"),
		// Names of objects about other things than the row: judgments of it, earlier turns,
		// examples in a prompt, documents that were not used.
		other: set("evaluation evaluations eval evals evaluator grading grade grades grader score scores metric metrics judge judgment judgement feedback usage tokens " +
			"history annotation annotations example examples shots positive negative pos neg distractor distractors discarded rejected dropped unused"),
		// Last words of the names of answers, and words of those that no system gave.
		models:   set(models),
		versions: set(versions),
		vendors:  set("openai anthropic google meta mistralai azure amazon cohere xai microsoft"),
		answers:  set("answer answers response responses output outputs prediction predictions pred preds completion completions generation generations reply replies hypothesis hypotheses hyp hyps"),
		people:   set("human student user customer expert annotator teacher author best right wrong incorrect true false previous short long error tool tools function retriever search sql code"),
		// Names of members that say something about an output.
		labels:   set("error status state code reason reasoning explanation rationale thought thoughts id ids name type kind model role language lang category topic title url uri date time timestamp version format length latency quality comment comments notes citations"),
		verdicts: set("pass passed fail failed failure ok success succeeded error correct incorrect true false supported unsupported faithful unfaithful hallucinated none null"),
	}
}

// isReference reports whether a column holds reference data, such as the expected answer.
func (n *Names) isReference(name string) bool {
	ws := words(name)
	return hasAny(ws, n.reference) && !slices.Contains(ws, "retrieved") && !slices.Contains(ws, "retrieval")
}

// isAside reports whether an object describes rows rather than contains them.
func (n *Names) isAside(name string) bool {
	return hasAny(words(name), n.aside)
}

// isOther reports whether a value with a name is neither part of a row nor contains it.
func (n *Names) isOther(name string) bool {
	return n.isReference(name) || hasAny(words(name), n.other)
}

// IsVerdict reports whether a text is a verdict or a number, such as the result of a test.
func (n *Names) IsVerdict(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || n.verdicts[text]
}

// IsRating reports whether a verdict is a word or a number below 10, which rates an answer
// rather than being one.
func (n *Names) IsRating(text string) bool {
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err != nil || math.Abs(number) < 10
}

// Rival reports whether a column can hold a field as well as the chosen one, which can
// hold reference data: the expected answer or the ideal contexts.
func (n *Names) Rival(f Field, chosen, name string) bool {
	rank, ok := n.Rank(f, name)
	if name == chosen || !ok && (f != Answer || !n.isSomeAnswer(name) && !n.isOtherSystem(chosen, name)) {
		return false
	}
	bestRank, _ := n.Rank(f, chosen)
	return f == Answer || f == Contexts && !IsIdeal(chosen, name) && rank <= rankUsual &&
		(!n.isExplicit(f, chosen) || sameSeries(chosen, name) || n.isExplicit(f, name) && rank == bestRank)
}

// isOtherSystem reports whether a column can be the answer of another system than the chosen
// one, as answer_ours beside answer_gpt.
func (n *Names) isOtherSystem(chosen, name string) bool {
	a, b := words(chosen), words(name)
	return n.isSystemAnswer(name) && len(a) > 1 && a[0] == b[0] && n.isExplicit(Answer, chosen)
}

// isSystemAnswer reports whether a column is called an answer, followed by words that can name
// a system.
func (n *Names) isSystemAnswer(name string) bool {
	ws := words(name)
	if len(ws) < 2 || !n.answers[ws[0]] || n.isOther(name) || n.isAside(name) || hasAny(ws, n.people) || hasAny(ws, n.labels) {
		return false
	}
	_, ok := n.Rank(Contexts, strings.Join(ws[1:], " "))
	return !ok
}

// sameSeries reports whether names differ only in a number or a letter, as in the x or y that pandas
// appends to the columns of two tables.
func sameSeries(a, b string) bool {
	stem := func(name string) []string {
		ws := words(name)
		if n := len(ws) - 1; n > 0 && isSuffix(ws[n]) {
			ws = ws[:n]
		}
		return ws
	}
	return slices.Equal(stem(a), stem(b))
}

func isSuffix(word string) bool { return len(word) == 1 || unicode.IsDigit(rune(word[0])) }

// MayRival reports whether a column can hold an answer or contexts.
func (n *Names) MayRival(name string) bool {
	_, answer := n.Rank(Answer, name)
	_, contexts := n.Rank(Contexts, name)
	return answer || contexts || n.isSomeAnswer(name) || n.isSystemAnswer(name)
}

// isSomeAnswer reports whether a column is called an answer of some kind, such as
// submitted_answer, or after a model. That is not enough to read it, but it makes another answer ambiguous.
func (n *Names) isSomeAnswer(name string) bool {
	ws := words(name)
	if len(ws) > 1 && n.vendors[ws[0]] {
		ws = ws[1:]
	}
	if len(ws) > 1 && n.models[ws[0]+ws[1]] { // o3, command-r
		ws = append([]string{ws[0] + ws[1]}, ws[2:]...)
	}
	if len(ws) > 0 && n.models[ws[0]] && !slices.ContainsFunc(ws[1:], func(w string) bool { return !n.versions[w] && !unicode.IsDigit(rune(w[0])) }) {
		return true // a model, such as gpt-4o-mini
	}
	for len(ws) > 1 && (slices.Contains([]string{"text", "new", "old"}, ws[len(ws)-1]) || isSuffix(ws[len(ws)-1])) {
		ws = ws[:len(ws)-1]
	}
	return len(ws) > 0 && n.answers[ws[len(ws)-1]] && strings.Join(ws, " ") != "answers" && !n.isOther(name) &&
		!hasAny(ws, n.people)
}

// isExplicit reports whether a path says that a system generated the answer or retrieved
// the contexts.
func (n *Names) isExplicit(f Field, pattern string) bool {
	return slices.ContainsFunc(words(pattern), func(w string) bool {
		return n.explicit[f][w] || f == Answer && (strings.HasPrefix(w, "pred") || strings.HasPrefix(w, "generat")) || f == Contexts && strings.HasPrefix(w, "retriev")
	})
}

// IsIdeal reports whether a column contains the ideal contexts of a test case of DeepEval,
// and another one the retrieved ones.
func IsIdeal(name, other string) bool {
	return name == "context" && (other == "retrieval_context" || other == "retrieved_contexts")
}

// Rank returns how well a column name fits a field: 0 for best.
func (n *Names) Rank(f Field, name string) (rank int, ok bool) {
	if n.isReference(name) {
		return 0, false
	}
	ws := words(name)
	v := n.fields[f]
	best := rankWeak + 1
	for i, w := range ws {
		if r, head := v.heads[w]; head {
			best = min(best, r)
		} else if suffix := f == Contexts && i > 0 && i == len(ws)-1 && isSuffix(w); suffix {
			continue
		} else if number := unicode.IsDigit(rune(w[0])) && i > 0 && i < len(ws)-1 && v.modifiers[ws[i-1]]; !v.modifiers[w] && !number {
			return 0, false
		}
	}
	joined := strings.Join(ws, " ")
	switch {
	case f == Question && best > rankWeak && (joined == "user message" || joined == "human message" || joined == "customer message"):
		best = rankUsual
	case f == Question && joined == "user input":
		best = rankExact
	case f == Answer && best > rankWeak && len(ws) > 1 && ws[len(ws)-1] == "message" && ws[0] != "system" && ws[0] != "text" && ws[0] != "raw":
		best = rankUsual
	case f == Answer && joined == "actual output":
		best = rankExact
	case f == Contexts && (slices.Contains(ws, "input") || slices.Contains(ws, "k")) && !slices.ContainsFunc(ws, isPlural):
		return 0, false // the query, or the number of documents
	case f == Contexts && best > rankWeak && (slices.Contains(ws, "search") || slices.Contains(ws, "retriever")) && slices.ContainsFunc(ws, isPlural):
		best = rankUsual
	case f == Contexts && best <= rankWeak && (slices.Contains(ws, "source") || slices.Contains(ws, "retrieval") || slices.Contains(ws, "retriever")) && len(ws) > 1:
		best = rankExact
	}
	return best, best <= rankWeak
}

// isPlural reports whether a word of a name is a plural, such as results.
func isPlural(word string) bool { return strings.HasSuffix(word, "s") || word == "content" }

// ContentRank returns how well a member name fits the text of a document: 0 for best.
func ContentRank(name string) (rank int, ok bool) {
	ws := words(name)
	if len(ws) == 0 {
		return 0, false
	}
	head := ws[len(ws)-1]
	rank = slices.Index([]string{"content", "text", "chunk", "passage", "body", "paragraph", "snippet", "excerpt", "sentence", "sentences", "abstract", "document", "context"}, head)
	if rank < 0 {
		return 0, false
	}
	for _, w := range ws[:len(ws)-1] {
		switch w {
		case "page", "raw", "full", "plain", "chunk", "passage", "document", "doc", "node", "retrieved", "source", "text", "content", "body", "paragraph", "snippet":
		default:
			return 0, false
		}
	}
	return rank, true
}

// A Finder finds the fields of rows in records.
type Finder struct {
	Names  *Names
	Expand Expander
	// IsContexts reports whether a value can be read as contexts.
	IsContexts func(*Value) bool

	tools []Tool
}

// A Plan maps each field to its path.
type Plan map[Field]*Path
