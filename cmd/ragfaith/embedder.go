package main

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
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
)

// embedLocal is the --embed-model that is in the binary.
const embedLocal = "local"

// textModel is a model on this machine that turns texts into vectors.
type textModel interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Close() error
}

// localEmbedder is such a model as the semantic cache has it. It costs nothing
// that is counted.
type localEmbedder struct {
	textModel
	mark string // tells models apart
}

// Embed implements llm.Embedder.
func (e localEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	vectors, err := e.textModel.Embed(ctx, texts)
	return vectors, usage.Usage{}, err
}

// waitingEmbedder is an embedder on a server. What a row waits for it is not
// counted for --row-timeout.
type waitingEmbedder struct{ llm.Embedder }

// Embed implements llm.Embedder.
func (e waitingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	defer eval.Waiting(ctx)()
	return e.Embedder.Embed(ctx, texts)
}

// embedsHere reports whether --embed-model names a model on this machine: that of
// the binary, a folder, or one of those that "models pull" knows by a short name.
// With a server of its own it is always a model of that server.
func (l *llmOptions) embedsHere() bool {
	if l.embedBaseURL != "" {
		return false
	}
	if l.embedModel == embedLocal {
		return true
	}
	if n, err := hub.Resolve(l.embedModel); err == nil && n.Short == l.embedModel {
		return true
	}
	if !strings.ContainsAny(l.embedModel, `/\`) {
		return false
	}
	info, err := os.Stat(l.embedModel)
	return err == nil && info.IsDir()
}

// openEmbedder opens the model of --embed-model on this machine.
func (o *scoreOptions) openEmbedder(sys system) (*localEmbedder, error) {
	name := o.llm.embedModel
	options := encoder.Options{Precision: kernel.Int8, Waiting: eval.Waiting}
	if name == embedLocal {
		g, _, err := embedded.Open("", options)
		if err != nil {
			return nil, err
		}
		return &localEmbedder{g, g.Digest()}, nil
	}
	store, err := modelStore(o.localModel.models, sys)
	if err != nil {
		return nil, err
	}
	dir, err := store.Find(name)
	if err != nil {
		return nil, fmt.Errorf("--embed-model %s: %w", name, err)
	}
	m, err := encoder.Open(dir, options)
	if err != nil {
		return nil, fmt.Errorf("--embed-model: %w", err)
	}
	mark, err := encoder.Fingerprint(dir)
	if info := m.Info(); err == nil && info.Kind != encoder.Embed {
		err = &usageError{fmt.Errorf("--embed-model %s: a %s makes no vectors of texts", name, info.Architecture)}
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return &localEmbedder{m, mark}, nil
}
