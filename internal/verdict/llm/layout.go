package llm

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A layout is the input and output format of a request for verdicts in JSON or, if read is set, for
// the verdict on one claim, such as those of published models.
type layout struct {
	prompt    prompt.Name
	words     words // verdicts that have a probability
	maxTokens int
	attempts  int // requests with different seeds, until a reply has a verdict
	// chat adds the messages before the user message, or is nil.
	chat func(documents []string, claim string) []llm.Message
	read func(reply string, prompted []string) (*answer, error)
	// span finds the verdict in a reply to compute its probability. If it is nil, the score is
	// 1 or 0.
	span func(*llm.Reply) [][2]int
}

// layoutOf returns the layout of a style.
func layoutOf(s Style) *layout {
	switch s {
	case Chunks:
	case Ragas:
		return &layout{prompt: prompt.RagasJudge, words: defaultWords()}
	case DeepEval:
		return &layout{prompt: prompt.DeepEvalJudge, words: words{supports: []string{"yes", "idk"}, denies: []string{"no"}}}
	case MiniCheck: // one token is generated; other models may surround it with text
		return &layout{prompt: prompt.MiniCheck, maxTokens: wordTokens, attempts: maxAttempts, read: readMiniCheck, span: answerSpan, words: defaultWords()}
	case Lynx: // generates at most 600 tokens
		return &layout{prompt: prompt.Lynx, maxTokens: 600, attempts: maxAttempts, read: readLynx}
	case Guardian: // generates at most 2048 tokens
		return &layout{
			prompt: prompt.Guardian, maxTokens: 2048, attempts: maxAttempts, chat: guardianChat, read: readGuardian, span: guardianSpan,
			words: words{supports: []string{"no"}, denies: []string{"yes"}}, // yes means ungrounded
		}
	}
	return &layout{prompt: prompt.Judge, words: defaultWords()}
}

// wordLayout returns the layout of a request for a single word, which is sent once.
func wordLayout(style Style) *layout {
	return &layout{
		prompt: prompt.JudgeWord, maxTokens: wordTokens, attempts: 1, span: answerSpan, words: defaultWords(),
		read: func(reply string, prompted []string) (*answer, error) { return readWord(reply, prompted, style) },
	}
}

func readMiniCheck(reply string, prompted []string) (*answer, error) {
	a, err := readWord(reply, prompted, Ragas)
	if err == nil {
		a.reason = ""
	}
	return a, err
}

var (
	lynxScore     = regexp.MustCompile(`(?i)["']?SCORE["']?\s*[:=]\s*\[?\s*["']?\s*(PASS|FAIL)\b(?:["'}\]\s,.]*$|["'\]\s]*[,}.\n])`)
	lynxKey       = regexp.MustCompile(`(?i)["']SCORE["']\s*:`)
	lynxReasoning = regexp.MustCompile(`(?is)["']?REASONING["']?\s*[:=]\s*(.*)`)
	guardianScore = regexp.MustCompile(`(?i)<score>\s*(yes|no)\s*</score>`)
)

// onlyScore returns the match of a pattern in the reply of a model, and the answer, which is
// positive if the first group is supports. Several matches must have the same score, since any of
// them may quote a context.
func onlyScore(pattern *regexp.Regexp, reply, supports string) (text string, match []int, a *answer, err error) {
	text, ok := llm.Answer(reply)
	matches := pattern.FindAllStringSubmatchIndex(text, -1)
	if !ok || len(matches) == 0 {
		return "", nil, nil, errors.New("it has no score")
	}
	match = matches[len(matches)-1]
	score := text[match[2]:match[3]]
	for _, m := range matches {
		if !strings.EqualFold(text[m[2]:m[3]], score) {
			return "", nil, nil, errors.New("it has different scores")
		}
	}
	if strings.EqualFold(score, supports) {
		return text, match, &answer{label: verdict.Supported}, nil
	}
	return text, match, &answer{label: verdict.NotMentioned}, nil
}

// readLynx reads the score. The JSON around it is often invalid, because the reasoning is a
// list with unescaped quotes.
func readLynx(reply string, _ []string) (*answer, error) {
	text, last, a, err := onlyScore(lynxScore, reply, "pass")
	if err != nil {
		return nil, err
	}
	before, after := text[:last[0]], text[last[1]:]
	if lynxKey.MatchString(after) {
		return nil, errors.New("its last score is neither PASS nor FAIL")
	}
	var steps []string
	if m := lynxReasoning.FindStringSubmatch(before); m != nil {
		reasons := strings.TrimRight(m[1], ", \n\r\t")
		if json.Unmarshal([]byte(reasons), &steps) != nil {
			steps = []string{strings.Trim(reasons, `[]"' `)}
		}
	} else if m := lynxReasoning.FindStringSubmatch(after); m != nil {
		steps = []string{strings.Trim(m[1], "[]{}\"' \n")}
	}
	a.reason = reasonLine(strings.Join(steps, " "))
	return a, nil
}

// guardianChat returns the contexts as documents, and the claim as the last text of the assistant.
func guardianChat(documents []string, claim string) []llm.Message {
	var ms []llm.Message
	for _, d := range documents {
		ms = append(ms, llm.Message{Role: llm.Document, Text: prompt.Plain(d)})
	}
	return append(ms, llm.Message{Role: llm.Assistant, Text: prompt.Plain(claim)})
}

// readGuardian reads the score, which is yes for an ungrounded claim.
func readGuardian(reply string, _ []string) (*answer, error) {
	_, _, a, err := onlyScore(guardianScore, reply, "no")
	return a, err
}

func guardianSpan(reply *llm.Reply) (last [][2]int) {
	for _, m := range guardianScore.FindAllStringSubmatchIndex(reply.Text, -1) {
		last = [][2]int{{m[2], m[3]}}
	}
	return last
}

// askClaim sends the request for a claim, and again with other seeds if the reply has no verdict.
func (r *rowJudge) askClaim(ctx context.Context, l *layout, pieces []piece, claim int) (err error) {
	for attempt := range l.attempts {
		req, requestErr := r.layoutRequest(l, pieces, claim, attempt)
		if requestErr != nil {
			return requestErr
		}
		var reply *llm.Reply
		if reply, err = r.complete(ctx, req); err != nil {
			if _, unreadable := errors.AsType[*llm.ParseError](err); unreadable {
				continue
			}
			return err
		}
		a, err := l.read(reply.Text, r.prompted(pieces, claim))
		if err != nil {
			return &llm.ParseError{Reason: err.Error(), Text: reply.Text}
		}
		if l.span != nil {
			for _, span := range l.span(reply) {
				a.grade(reply, span, l.words)
			}
			if r.judge.logprobsRequired && !a.graded {
				return &llm.ParseError{Reason: errUngraded.Error(), Text: reply.Text}
			}
		}
		r.findings[claim].add(a.finding(pieces, r.task.Contexts))
		return nil
	}
	return err
}

// layoutRequest returns the request for a claim and pieces.
func (r *rowJudge) layoutRequest(l *layout, pieces []piece, claim, attempt int) (*llm.Request, error) {
	req, err := extractllm.Request(r.judge.opts.Prompts, l.prompt, r.promptData(pieces, []int{claim}), nil, l.maxTokens)
	if err != nil {
		return nil, err
	}
	if l.chat != nil {
		req.Messages = slices.Insert(req.Messages, len(req.Messages)-1, l.chat(texts(pieces), r.task.Claims[claim].Judged())...)
	}
	prompted := r.prompted(pieces, claim)
	req.Accept = func(reply string) error {
		_, err := l.read(reply, prompted)
		return err
	}
	if l.span != nil {
		r.judge.requestLogprobs(req, l.span)
	}
	req.Vary(r.vote*seedStride + attempt)
	return req, nil
}

// prompted returns the texts in the request for a claim and pieces.
func (r *rowJudge) prompted(pieces []piece, claim int) []string {
	return append(texts(pieces), r.task.Claims[claim].Judged(), r.task.Question)
}

func (r *rowJudge) longest(claims []int) int {
	length := func(c int) int { return len(r.task.Claims[c].Judged()) }
	return slices.MaxFunc(claims, func(a, b int) int { return length(a) - length(b) })
}

const (
	wordTokens = 16 // output tokens for a word and some surrounding text
	firstWords = 8  // words after the answer that must not change its meaning
	echoWords  = 3  // minimum words of text that counts as an echo of the prompt
)

var (
	// wordAnswer matches the answer at the start of a reply: quotation mark, answer, rest.
	wordAnswer = regexp.MustCompile("(?is)^[\\s*_`(-]*(?:(?:(?:the|this)\\s+)?(?:claim|statement|answer|verdict)(?:\\s+is)?[\\s:=*_`]+)?" +
		`(["'“‘„«]?)(yes|supported|true|no|unsupported|false|contradicted|not[ _-](?:supported|mentioned|true))\b(.*)$`)
	// afterAnswer matches what may follow the answer.
	afterAnswer = regexp.MustCompile("^[\"'”’»*_`)\\]]*(?:\\s*$|\\s*[.,;:!–—]|\\s*\n|\\s+-\\s)")
	endOfQuote  = regexp.MustCompile(`^[.!]?["'”’“»]`)
	negated     = regexp.MustCompile(`(?i)\b(?:not|never|\w+n['’]t)\s+(?:\w+\s+)?(?:supported|true|right|correct|consistent|accurate)\b`)
	unclearNo   = regexp.MustCompile(`(?i)\b(?:or|yes|supported|true|right|correct|consistent|accurate|not\s+contradicted)\b|\?`)
	unclearYes  = regexp.MustCompile(`(?i)\b(?:or|if|whether|unless|but|except|only|part\w*|almost|nearly|mostly|somewhat|maybe|perhaps|possibly|probably` +
		`|likely|may|might|could|would|unsure|unclear|unknown|no|not|never|nothing|none|without|neither|nor|hardly|cannot|contradict\w*|unsupported|ungrounded` +
		`|false|however|though|although|while|whereas|(?:in)?correct|wrong|inaccurate|inconsistent|refut\w*|conflict\w*|disagree\w*|differ\w*|lacks?|fails?|caveats?|extent)\b|n['’]t|\?`)
)

// readWord parses a reply to the question whether the chunks support a claim. prompted contains the
// texts in the prompt. The reply must start with a clear answer. readWord returns an error if it
// does not, if the next words deny or qualify the answer, or if the reply only echoes the prompt.
func readWord(reply string, prompted []string, style Style) (*answer, error) {
	text, err := ownText(reply)
	if err != nil {
		return nil, err
	}
	m := wordAnswer.FindStringSubmatch(text)
	if m == nil || !afterAnswer.MatchString(m[3]) || m[1] != "" && !endOfQuote.MatchString(m[3]) {
		return nil, errors.New("it does not start with yes, no or a verdict")
	}
	word := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(m[2]))
	next := strings.Fields(m[3])
	rest := strings.Join(next[:min(len(next), firstWords)], " ")
	a := &answer{label: verdict.NotMentioned, reason: "one-word reply: " + word}
	unclear := unclearNo.MatchString(negated.ReplaceAllString(rest, ""))
	switch word {
	case "yes", "supported", "true":
		a.label, unclear = verdict.Supported, unclearYes.MatchString(rest)
	case "contradicted":
		unclear = unclear || strings.Contains(rest, "mentioned")
		if style != Ragas {
			a.label = verdict.Contradicted
		}
	}
	switch {
	case unclear:
		return nil, errors.New("its first words are not a clear yes or no")
	case repeats(text, prompted):
		return nil, errors.New("it only repeats the prompt")
	}
	return a, nil
}

// ownText returns a reply without reasoning, or the value if it is a JSON object with a
// single member.
func ownText(reply string) (string, error) {
	text, ok := llm.Answer(reply)
	if !ok {
		return "", errors.New("it ends while the model still reasons")
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("it is empty")
	}
	if i := strings.IndexByte(text, '{'); i >= 0 && strings.Trim(text[:i], "`json \r\n") == "" {
		return onlyMember(text[i:])
	}
	return text, nil
}

// asksSupport matches names of members in which "yes" means that a claim is supported.
var asksSupport = regexp.MustCompile(`(?i)^((is|the|final|claim|statement)[_ ]?)*(answer|verdict|result|label|response|reply|judge?ment|decision|output|value|word|prediction|` +
	`classification|supports?|supported|consistent|consistency|faithful|faithfulness|grounded|groundedness|entails|entailed|entailment|correct|true)([_ ]?by[_ ].*)?$`)

// onlyMember returns the string or boolean in a JSON object with one member,
// which may be followed by the end of a code fence. The value of a member with another name,
// such as is_unsupported or inconsistent, is no answer.
func onlyMember(text string) (string, error) {
	var members map[string]any
	if err := json.Unmarshal([]byte(strings.TrimRight(text, "` \r\n")), &members); err == nil && len(members) == 1 {
		for name, v := range members {
			if !asksSupport.MatchString(name) {
				break
			}
			switch v := v.(type) {
			case string:
				return v, nil
			case bool:
				return strconv.FormatBool(v), nil
			}
		}
	}
	return "", errors.New("it is JSON with no single word in it")
}

// repeats reports whether text has several words and occurs in one of the prompted texts.
func repeats(text string, prompted []string) bool {
	flat, _ := flatten(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
	if len(strings.Fields(flat)) < echoWords {
		return false
	}
	return slices.ContainsFunc(prompted, func(t string) bool {
		source, _ := flatten(t)
		return strings.Contains(source, flat)
	})
}

// errUngraded reports a verdict without a score, which a threshold needs.
var errUngraded = errors.New("log probabilities that do not belong to the reply")

// promptData returns the texts of a request for claims and pieces.
func (r *rowJudge) promptData(pieces []piece, claims []int) prompt.Data {
	d := prompt.Data{Strict: r.judge.opts.Strict, Question: r.task.Question, Contexts: items(pieces), Joined: strings.Join(texts(pieces), "\n")}
	for i, c := range claims {
		d.Claims = append(d.Claims, prompt.Item{ID: i, Text: r.task.Claims[c].Judged()})
	}
	return d
}
