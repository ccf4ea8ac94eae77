package app

import (
	"math"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestDryRunDurationDoesNotOverflow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit LLMOptions
		usage usage.Usage
		want  time.Duration
	}{
		{"few tokens", LLMOptions{TPM: 600}, usage.Usage{PromptTokens: 1200}, 2 * time.Minute},
		{"tokens per minute", LLMOptions{TPM: 1_000_000}, usage.Usage{PromptTokens: 300_000_000}, 5 * time.Hour},
		{"requests per minute", LLMOptions{RPM: 1_000_000}, usage.Usage{Requests: 600_000_000}, 10 * time.Hour},
		{"completion tokens", LLMOptions{}, usage.Usage{CompletionTokens: 10_000_000_000}, 1250 * time.Second},
		{"maximum duration", LLMOptions{TPM: 1}, usage.Usage{PromptTokens: 1_000_000_000}, math.MaxInt64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := estimate{rows: 1_000_000, usage: tt.usage}
			got, _ := e.duration(&Options{LLM: tt.limit, Concurrency: 100_000})
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
