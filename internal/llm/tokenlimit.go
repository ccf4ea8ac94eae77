package llm

import (
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// slotsPerMinute divides a minute into equal slots. Each slot allows its share
// of prompt tokens, which prevents bursts.
const slotsPerMinute = 4

// A tokenLimiter keeps the tokens in every sliding minute below a limit. A
// request reserves the tokens of its prompt and its longest possible reply
// when it is sent. Its actual usage replaces the reservation once the reply
// arrives. A nil tokenLimiter has no limit. A request larger than the limit waits until no
// other reservation is active, is sent alone, and then blocks others for as many minutes as
// it exceeds the limit.
type tokenLimiter struct {
	limit    float64
	reserved map[*reservation]struct{}
}

// A reservation accounts for a request that was sent recently.
type reservation struct {
	prompt, tokens float64
	sent           time.Time
}

// delay returns how long a request of size s must wait unless a reservation is settled.
func (t *tokenLimiter) delay(s Size, now time.Time) time.Duration {
	if t == nil {
		return 0
	}
	inMinute, inSlot, wait := 0.0, 0.0, time.Minute
	for r := range t.reserved {
		age := now.Sub(r.sent)
		remaining := max(time.Minute, time.Duration(r.tokens/t.limit*float64(time.Minute))) - age
		if remaining <= 0 {
			delete(t.reserved, r)
			continue
		}
		inMinute += r.tokens
		if slotRemaining := time.Minute/slotsPerMinute - age; slotRemaining > 0 {
			inSlot += r.prompt
			remaining = min(remaining, slotRemaining)
		}
		wait = min(wait, remaining)
	}
	if inMinute > 0 && inMinute+float64(s.Prompt+s.Reply) > t.limit || inSlot > 0 && inSlot+float64(s.Prompt) > t.limit/slotsPerMinute {
		return wait
	}
	return 0
}

// reserve accounts for a request that is being sent.
func (t *tokenLimiter) reserve(s Size, now time.Time) *reservation {
	if t == nil {
		return nil
	}
	r := &reservation{prompt: float64(s.Prompt), tokens: float64(s.Prompt + s.Reply), sent: now}
	t.reserved[r] = struct{}{}
	return r
}

// settle replaces the estimate of a reservation with the actual usage.
func (t *tokenLimiter) settle(r *reservation, u usage.Usage) {
	if t == nil {
		return
	}
	r.prompt, r.tokens = float64(u.PromptTokens), float64(u.Tokens())
}
