package main

import (
	"encoding/json"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// otherForms writes verdicts in other forms, which are JSON values that are used in rotation:
// supports for "supported", 1 and true, and denies for the others.
func otherForms(supports, denies []string) llmtest.Quirk {
	return llmtest.Changed(func(_ *llmtest.Call, a *llmtest.Answer) {
		n := 0
		a.Content = editJSON(a.Content, func(key string, v any) any {
			if key != "verdict" && key != "is_supported" {
				return v
			}
			forms := denies
			if v == "supported" || v == float64(1) || v == true {
				forms = supports
			}
			n++
			return json.RawMessage(forms[n%len(forms)])
		})
	})
}

// textIDs writes ids as strings with a prefix.
func textIDs(front string) llmtest.Quirk {
	return llmtest.Changed(func(_ *llmtest.Call, a *llmtest.Answer) {
		a.Content = editJSON(a.Content, func(key string, v any) any {
			if strings.HasSuffix(key, "_id") {
				return front + string(must(json.Marshal(v)))
			}
			return v
		})
	})
}

// editList changes the list under a key of replies in JSON.
func editList(key string, change func(list []any) []any) llmtest.Quirk {
	return llmtest.Changed(func(_ *llmtest.Call, a *llmtest.Answer) {
		a.Content = editJSON(a.Content, func(k string, v any) any {
			if list, ok := v.([]any); ok && k == key {
				return change(list)
			}
			return v
		})
	})
}

// editJSON applies change to the members of all objects in a JSON text.
func editJSON(text string, change func(key string, v any) any) string {
	var top any
	if json.Unmarshal([]byte(text), &top) != nil {
		return text
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				v[k] = change(k, walk(e))
			}
		case []any:
			for i, e := range v {
				v[i] = walk(e)
			}
		}
		return v
	}
	return string(must(json.Marshal(walk(top))))
}
