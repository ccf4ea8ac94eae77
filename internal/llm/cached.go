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

// cacheVersion changes with the meaning of keys or values.
const cacheVersion = 2

// Completer returns a Completer that answers requests from the cache if this endpoint
// and model were asked before with the same messages, schema, parameters and prompt
// version, and otherwise stores the replies of next. Cached replies have Cached set and
// cost no request. Replies that could not be parsed, or that the schema no longer
// accepts, are neither stored nor used.
func (k *Cache) Completer(next Completer, endpoint, model string) Completer {
	return &cachedCompleter{Cache: k, next: next, endpoint: endpoint, model: model}
}

type cachedCompleter struct {
	*Cache
	next            Completer
	endpoint, model string
}

// find returns the stored reply to r, or nil.
func (c *cachedCompleter) find(ctx context.Context, key []byte, r *Request) *Reply {
	v, ok := c.queryValue(ctx, `SELECT value FROM replies WHERE key = ?`, key)
	if !ok {
		return nil
	}
	return decodeReply(v, r)
}

// Complete implements Completer.
func (c *cachedCompleter) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := requestKey(c.endpoint, c.model, r)
	if c.database() != nil {
		release, err := c.locks.acquire(ctx, key)
		if err != nil {
			return nil, err
		}
		defer release()
		if reply := c.find(ctx, key, r); reply != nil {
			return reply, nil
		}
	}
	reply, err := c.next.Complete(ctx, r)
	if err != nil {
		return nil, err
	}
	if v, err := json.Marshal(storedReply{reply.Text, string(reply.JSON), reply.Usage}); err == nil {
		// Replies that were paid for are stored even if the run is canceled.
		c.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO replies VALUES (?, ?, ?)`, key, v, c.clock.Now().Unix())
	}
	return reply, nil
}

// A storedReply is the stored form of a reply. JSON is a string to preserve its bytes.
type storedReply struct {
	Text          string      `json:"text"`
	JSON          string      `json:"json,omitempty"`
	OriginalUsage usage.Usage `json:"made"`
}

func decodeReply(v []byte, r *Request) *Reply {
	var k storedReply
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
	return &Reply{Text: k.Text, JSON: value, Usage: usage.Usage{CachedRequests: 1}, Cached: true, OriginalUsage: k.OriginalUsage}
}

// originalUsage reports for cached replies what they cost originally. So the usage of a
// row does not depend on whether this run, an earlier one or another row paid for it.
type originalUsage struct{ next Completer }

// Complete implements Completer.
func (c originalUsage) Complete(ctx context.Context, r *Request) (*Reply, error) {
	reply, err := c.next.Complete(ctx, r)
	if err == nil && reply.Cached {
		out := *reply
		out.Usage = reply.OriginalUsage
		return &out, nil
	}
	return reply, err
}

// requestKey returns the SHA-256 of everything that a reply depends on.
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
		if !utf8.ValidString(m.Text) { // JSON encodes all invalid bytes alike
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

// Embedder returns an Embedder that stores vectors by text, endpoint and model, and asks
// next for those that are missing.
func (k *Cache) Embedder(next Embedder, endpoint, model string) Embedder {
	return &cachedEmbedder{k, next, "vector\x00" + endpoint + "\x00" + model}
}

type cachedEmbedder struct {
	*Cache
	next      Embedder
	namespace string
}

// Embed implements Embedder.
func (c *cachedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	out := make([][]float32, len(texts))
	keys := make([]string, len(texts))
	var missing []string
	var indexes []int
	for i, t := range texts {
		keys[i] = sha256Hex(t)
		if v, ok := c.Get(ctx, c.namespace, keys[i]); ok && json.Unmarshal(v, &out[i]) == nil && len(out[i]) > 0 {
			continue
		}
		out[i] = nil
		missing, indexes = append(missing, t), append(indexes, i)
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
		out[indexes[j]] = v
		if b, err := json.Marshal(v); err == nil {
			c.Put(ctx, c.namespace, keys[indexes[j]], b)
		}
	}
	return out, used, nil
}

// sha256Hex returns the SHA-256 of s in hexadecimal.
func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// An Item is a key and its value in a Cache.
type Item struct {
	Key   string
	Value json.RawMessage
}

// Get returns the JSON value of a key in a namespace.
func (k *Cache) Get(ctx context.Context, namespace, key string) (json.RawMessage, bool) {
	v, ok := k.queryValue(ctx, `SELECT value FROM items WHERE space = ? AND key = ?`, namespace, key)
	if !ok || !json.Valid(v) {
		return nil, false
	}
	return v, true
}

// Put sets the JSON value of a key in a namespace. It ignores values that are not JSON.
func (k *Cache) Put(ctx context.Context, namespace, key string, value json.RawMessage) {
	if !json.Valid(value) {
		return
	}
	k.exec(context.WithoutCancel(ctx), `INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)`, namespace, key, []byte(value), k.clock.Now().Unix())
}

// List returns all items of a namespace, sorted by key.
func (k *Cache) List(ctx context.Context, namespace string) (items []Item) {
	db := k.database()
	if db == nil {
		return nil
	}
	rows, err := db.QueryContext(ctx, `SELECT key, value FROM items WHERE space = ? ORDER BY key`, namespace)
	if err != nil {
		k.recordResult(ctx, err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var item Item
		var v []byte
		if err := rows.Scan(&item.Key, &v); err != nil {
			k.recordResult(ctx, err)
			return items
		}
		if item.Value = v; json.Valid(v) {
			items = append(items, item)
		}
	}
	k.recordResult(ctx, rows.Err())
	return items
}
