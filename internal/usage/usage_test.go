package usage

import (
	"math"
	"testing"
)

func TestAddSaturates(t *testing.T) {
	u := Usage{Requests: math.MaxInt, PromptTokens: math.MaxInt - 1, CompletionTokens: 1, CachedRequests: 1}
	got := u.Add(Usage{Requests: math.MaxInt, PromptTokens: 2, CompletionTokens: 2, Estimated: true})
	want := Usage{Requests: math.MaxInt, PromptTokens: math.MaxInt, CompletionTokens: 3, CachedRequests: 1, Estimated: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := got.Tokens(); n != math.MaxInt {
		t.Errorf("got %d tokens, want %d", n, math.MaxInt)
	}
}
