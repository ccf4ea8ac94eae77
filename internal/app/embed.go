package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// A localEmbedder is an llm.Embedder for the semantic cache that runs a model on this
// machine. It uses no tokens.
type localEmbedder struct {
	embed  func(ctx context.Context, texts []string) ([][]float32, error)
	close  func() error
	digest string // identifies the model
}

// Embed implements llm.Embedder.
func (e *localEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	vectors, err := e.embed(ctx, texts)
	return vectors, usage.Usage{}, err
}

// A remoteEmbedder is an embedder on a server. Time spent waiting for the server is
// excluded from --row-timeout.
type remoteEmbedder struct{ llm.Embedder }

// Embed implements llm.Embedder.
func (e remoteEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	defer eval.Waiting(ctx)()
	return e.Embedder.Embed(ctx, texts)
}

// EmbedsLocally reports whether --embed-model names a local model: the built-in one, a
// directory, or a short name known to "models pull". With --embed-base-url, the name
// always refers to a model on that server.
func (l *LLMOptions) EmbedsLocally() bool {
	if l.EmbedBaseURL != "" {
		return false
	}
	if l.EmbedModel == EmbedLocal {
		return true
	}
	if n, err := hub.Resolve(l.EmbedModel); err == nil && n.Short == l.EmbedModel {
		return true
	}
	if !strings.ContainsAny(l.EmbedModel, `/\`) {
		return false
	}
	info, err := os.Stat(l.EmbedModel)
	return err == nil && info.IsDir()
}

// openEmbedder opens the local model of --embed-model.
func (o *Options) openEmbedder(sys *System) (*localEmbedder, error) {
	name := o.LLM.EmbedModel
	if name == EmbedLocal {
		words, err := semantic.NewWords()
		if err != nil {
			return nil, err
		}
		return &localEmbedder{words.Embed, func() error { return nil }, semantic.WordsVersion}, nil
	}
	store, err := sys.ModelStore(o.Local.Models)
	if err != nil {
		return nil, err
	}
	dir, err := store.Find(name)
	if err != nil {
		return nil, fmt.Errorf("--embed-model %s: %w", name, err)
	}
	m, err := encoder.Open(dir, encoder.Options{Precision: kernel.Int8, Waiting: eval.Waiting})
	if err != nil {
		return nil, fmt.Errorf("--embed-model: %w", err)
	}
	digest, err := encoder.Fingerprint(dir)
	if info := m.Info(); err == nil && info.Kind != encoder.Embed {
		err = &exit.UsageError{Err: fmt.Errorf("--embed-model %s: a %s model does not embed texts", name, info.Architecture)}
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return &localEmbedder{m.Embed, m.Close, digest}, nil
}

// newEmbedder returns a client for the server of --embed-base-url, and its URL without
// secrets.
func (o *Options) newEmbedder(sys *System, stack *llm.Stack) (llm.Embedder, string, error) {
	l := &o.LLM
	config := llm.Config{Model: l.EmbedModel}
	if l.EmbedBaseURL != l.BaseURL { // otherwise the server and key are those of --base-url
		config.BaseURL = l.EmbedBaseURL
	}
	key, err := sys.key("embed-api-key-env", l.EmbedKeyVariable, l.EmbedKeyRequired)
	if err != nil {
		return nil, "", err
	}
	config.APIKey = key
	e, endpoint, err := stack.Embedder(config)
	if err != nil {
		return nil, "", &exit.UsageError{Err: fmt.Errorf("--embed-model: %w", err)}
	}
	return remoteEmbedder{e}, endpoint, nil
}
