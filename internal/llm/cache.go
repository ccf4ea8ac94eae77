package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// cacheVersion changes when what a key or a value holds does.
const cacheVersion = 2

// Completer answers from the cache what was asked of this endpoint and model
// before, with the same messages, schema, parameters and prompt version, and
// keeps what next answers. A hit has Cached set and costs no request. A reply that
// could not be read, or that the schema no longer takes, is neither kept nor used.
func (k *Cache) Completer(next Completer, endpoint, model string) Completer {
	return &cached{Cache: k, next: next, endpoint: endpoint, model: model}
}

type cached struct {
	*Cache
	next            Completer
	endpoint, model string
}

// find is the reply that is kept for r, or nil.
func (c *cached) find(ctx context.Context, key []byte, r *Request) *Reply {
	v, ok := c.load(ctx, `SELECT value FROM replies WHERE key = ?`, key)
	if !ok {
		return nil
	}
	return restore(v, r)
}

// Complete implements Completer.
func (c *cached) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := requestKey(c.endpoint, c.model, r)
	if c.handle() != nil {
		leave, err := c.turns.enter(ctx, key)
		if err != nil {
			return nil, err
		}
		defer leave()
		if reply := c.find(ctx, key, r); reply != nil {
			return reply, nil
		}
	}
	reply, err := c.next.Complete(ctx, r)
	if err != nil {
		return nil, err
	}
	if v, err := json.Marshal(kept{reply.Text, string(reply.JSON), reply.Usage}); err == nil {
		// What is paid for is kept, even if the run ends right now.
		c.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO replies VALUES (?, ?, ?)`, key, v, c.clock.Now().Unix())
	}
	return reply, nil
}

// kept is a reply as it is stored. Its JSON is a string, to come back byte by byte.
type kept struct {
	Text string      `json:"text"`
	JSON string      `json:"json,omitempty"`
	Made usage.Usage `json:"made"`
}

func restore(v []byte, r *Request) *Reply {
	var k kept
	if json.Unmarshal(v, &k) != nil {
		return nil
	}
	var value json.RawMessage
	if r.Schema != nil {
		value = json.RawMessage(k.JSON)
		if !json.Valid(value) || r.Schema.Accept != nil && r.Schema.Accept(value) != nil {
			return nil
		}
	} else if r.Accept != nil && r.Accept(k.Text) != nil {
		return nil
	}
	return &Reply{Text: k.Text, JSON: value, Usage: usage.Usage{CachedRequests: 1}, Cached: true, Made: k.Made}
}

// originalUsage gives a cached reply the usage that it had when it was made. So a row
// says what its verdicts took, whether this run paid for them or an earlier one,
// or another row of this one: the same in each run, in whatever order rows come.
type originalUsage struct{ next Completer }

// Complete implements Completer.
func (c originalUsage) Complete(ctx context.Context, r *Request) (*Reply, error) {
	reply, err := c.next.Complete(ctx, r)
	if err == nil && reply.Cached {
		out := *reply
		out.Usage = reply.Made
		return &out, nil
	}
	return reply, err
}

// requestKey is the SHA-256 of all that a reply depends on.
func requestKey(endpoint, model string, r *Request) []byte {
	type schema struct{ Name, JSON string }
	k := struct {
		Version                 int
		Endpoint, Model, Prompt string
		Messages                []Message
		Schema                  *schema
		Seed, MaxTokens         int
		Temperature             float64
	}{Version: cacheVersion, Endpoint: endpoint, Model: model, Prompt: r.Prompt, Messages: slices.Clone(r.Messages), Seed: r.Seed, MaxTokens: r.MaxTokens}
	for i, m := range k.Messages {
		if !utf8.ValidString(m.Text) { // JSON would write every broken byte the same
			k.Messages[i].Text = "sha256:" + sha256Hex(m.Text)
		}
	}
	if !math.IsNaN(r.Temperature) && !math.IsInf(r.Temperature, 0) {
		k.Temperature = r.Temperature
	}
	if r.Schema != nil {
		k.Schema = &schema{r.Schema.Name, string(r.Schema.JSON)}
	}
	b, _ := json.Marshal(k)
	sum := sha256.Sum256(b)
	return sum[:]
}

// Embedder is the same for vectors: each text's is kept under endpoint and model,
// and next is asked for the others.
func (k *Cache) Embedder(next Embedder, endpoint, model string) Embedder {
	return &cachedEmbedder{k, next, "vector\x00" + endpoint + "\x00" + model}
}

type cachedEmbedder struct {
	*Cache
	next  Embedder
	space string
}

// Embed implements Embedder.
func (c *cachedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	out := make([][]float32, len(texts))
	keys := make([]string, len(texts))
	var missing []string
	var at []int
	for i, t := range texts {
		keys[i] = sha256Hex(t)
		if v, ok := c.Get(ctx, c.space, keys[i]); ok && json.Unmarshal(v, &out[i]) == nil && len(out[i]) > 0 {
			continue
		}
		out[i] = nil
		missing, at = append(missing, t), append(at, i)
	}
	var used usage.Usage
	if len(missing) == 0 {
		if len(texts) > 0 {
			used.CachedRequests = 1
		}
		return out, used, nil
	}
	vs, used, err := c.next.Embed(ctx, missing)
	if err != nil {
		return nil, used, err
	}
	for j, v := range vs {
		out[at[j]] = v
		if b, err := json.Marshal(v); err == nil {
			c.Put(ctx, c.space, keys[at[j]], b)
		}
	}
	return out, used, nil
}

// sha256Hex is the SHA-256 of s in hexadecimal.
func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// An Item is a value of a Cache with its key.
type Item struct {
	Key   string
	Value json.RawMessage
}

// Get is the JSON value under key in a namespace.
func (k *Cache) Get(ctx context.Context, space, key string) (json.RawMessage, bool) {
	v, ok := k.load(ctx, `SELECT value FROM items WHERE space = ? AND key = ?`, space, key)
	if !ok || !json.Valid(v) {
		return nil, false
	}
	return v, true
}

// Put keeps a JSON value under key in a namespace, in the place of what was there.
// What is no JSON is not kept.
func (k *Cache) Put(ctx context.Context, space, key string, value json.RawMessage) {
	if !json.Valid(value) {
		return
	}
	k.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)`, space, key, []byte(value), k.clock.Now().Unix())
}

// List is everything in a namespace, by key.
func (k *Cache) List(ctx context.Context, space string) (items []Item) {
	db := k.handle()
	if db == nil {
		return nil
	}
	rows, err := db.QueryContext(ctx, `SELECT key, value FROM items WHERE space = ? ORDER BY key`, space)
	if err != nil {
		k.note(ctx, err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var it Item
		var v []byte
		if err := rows.Scan(&it.Key, &v); err != nil {
			k.note(ctx, err)
			return items
		}
		if it.Value = v; json.Valid(v) {
			items = append(items, it)
		}
	}
	k.note(ctx, rows.Err())
	return items
}
