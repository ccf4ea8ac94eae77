package llm

import (
	"regexp"
	"strings"
)

// A family describes models that reason before they answer.
type family struct {
	pattern string // regular expression for a part of the name, between separators
	except  string // names that match pattern but do not reason; may be empty
	openAI  bool   // wants max_completion_tokens, and rejects a temperature other than 1
}

// families returns the model families that are known to reason, according to
// the documentation of their vendors.
func families() []family {
	return []family{
		{pattern: `o[134]|gpt-?[5-9]([.-][0-9]+)?|codex`, except: `chat`, openAI: true},
		{pattern: `gpt-oss`},
		{pattern: `deepseek[.-]?r[0-9]|r1|r1-[0-9]+|reasoner|reasoning`, except: `non-reasoning`},
		{pattern: `qwen-?3([.][0-9]+)?`, except: `instruct|coder|embedding|non-thinking`},
		{pattern: `qwq|qvq|magistral|thinking|thinker|exaone-deep`, except: `non-thinking`},
		{pattern: `gemini-(2[.]5|[3-9]([.][0-9]+)?)-(pro|flash)`, except: `lite`},
		{pattern: `grok-(3-mini|4)|glm-(4[.][5-9]|[5-9])|minimax-m[1-9]|smollm3`, except: `non-reasoning`},
	}
}

// familyOf returns the family of a model whose name is known to reason. It
// recognizes names with prefixes and suffixes, such as openai/gpt-5-mini,
// us.deepseek.r1-v1:0 and qwen3:4b.
func familyOf(model string) (f family, ok bool) {
	name := strings.ToLower(model)
	for _, f := range families() {
		if matchesPart(name, f.pattern) && (f.except == "" || !matchesPart(name, f.except)) {
			return f, true
		}
	}
	return family{}, false
}

// answersDirectly reports whether the name of a model is of a family that does
// not reason.
func answersDirectly(model string) bool {
	return matchesPart(strings.ToLower(model), `gpt-(3|4|4o|4[.][0-9]+|35)|chatgpt(-4o)?|claude-[23]|llama-?[1-4]?|mi[sx]tral|gemma-?[1-3]?|command-r|phi-?[1-4]`)
}

// matchesPart reports whether a part of a model name matches pattern. Parts are
// separated by other characters than letters and digits.
func matchesPart(name, pattern string) bool {
	return regexp.MustCompile(`(^|[^a-z0-9])(` + pattern + `)([^a-z0-9]|$)`).MatchString(name)
}

// Efforts returns the published values of the reasoning_effort parameter, from
// the lowest. No model accepts all of them.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// typicalReasoning returns the assumed reasoning tokens per request of a
// reasoning model with an effort, or with its default effort if that is empty.
func typicalReasoning(effort string) int {
	switch effort {
	case "none":
		return 0
	case "minimal":
		return 100
	case "low":
		return 500
	case "high":
		return 4000
	case "xhigh", "max":
		return 8000
	}
	return 1500
}
