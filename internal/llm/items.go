package llm

import (
	"context"
	"encoding/json"
)

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
