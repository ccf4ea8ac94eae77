package wildtest

import (
	"encoding/json"
	"strings"
)

// changed returns a quirk that changes the replies of the next handler.
func changed(change func(c *Call, a *Answer)) Quirk {
	return func(next Handler) Handler {
		return func(c *Call) *Answer {
			a := next(c)
			if a.Status == 0 && a.Body == "" {
				change(c, a)
			}
			return a
		}
	}
}

// Prose writes no JSON, whatever is asked.
func Prose() Quirk {
	return changed(func(c *Call, a *Answer) {
		if !c.Word() {
			a.Content = "The sources are about a great many things, of which I could tell you more."
		}
	})
}

// Unanswered puts everything into the reasoning, and leaves the content empty.
func Unanswered(field string) Quirk {
	return changed(func(_ *Call, a *Answer) {
		a.Body = encode(map[string]any{
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": nil, field: a.Content}}},
			"usage":   map[string]any{"prompt_tokens": a.PromptTokens, "completion_tokens": a.CompletionTokens},
		})
	})
}

// SchemaOnly writes JSON only if it is held to a schema, as small models do.
func SchemaOnly() Quirk {
	prose := Prose()
	return func(next Handler) Handler {
		without := prose(next)
		return func(c *Call) *Answer {
			if c.Format == "json_schema" {
				return next(c)
			}
			return without(c)
		}
	}
}

// Forms writes verdicts in other ways, by turns: supports for "supported", 1 and
// true, and denies for the others. Each is a JSON value.
func Forms(supports, denies []string) Quirk {
	return changed(func(_ *Call, a *Answer) {
		n := 0
		a.Content = rewrite(a.Content, func(key string, v any) any {
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

// TextIDs writes ids as strings with something in front.
func TextIDs(front string) Quirk {
	return changed(func(_ *Call, a *Answer) {
		a.Content = rewrite(a.Content, func(key string, v any) any {
			if strings.HasSuffix(key, "_id") {
				return front + encode(v)
			}
			return v
		})
	})
}

// rewrite changes the members of all objects in a JSON text.
func rewrite(text string, change func(key string, v any) any) string {
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
	return encode(walk(top))
}
