package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// openLocal opens the model of --judge.
func (o *Options) openLocal(sys *System) (*localModel, error) {
	labels, err := o.Local.labelMap()
	if err != nil {
		return nil, err
	}
	store, err := sys.ModelStore(o.Local.Models)
	if err != nil {
		return nil, err
	}
	name := o.Judge
	if name == JudgeHHEM {
		name = HHEMModel
	}
	dir, err := store.Find(name)
	if err != nil {
		if _, ok := errors.AsType[*hub.UnknownError](err); ok {
			return nil, &exit.UsageError{Err: fmt.Errorf("--judge: %w", err)}
		}
		return nil, fmt.Errorf("--judge: %w", err)
	}
	options := encoder.Options{Labels: labels, Device: o.Local.Device, Library: o.Local.Library, Waiting: eval.Waiting}
	if o.Local.Precision == PrecisionInt8 {
		options.Precision = kernel.Int8
	}
	m := &localModel{dir: dir}
	if n, ok := hub.Identify(dir); ok {
		if layout, ok := local.CrossEncoderLayouts()[n.Repo]; ok {
			layout.Apply(&options)
			m.pairLayout, m.layoutName = layout, n.Short
		}
		if layout, ok := local.TokenClassifierLayouts()[n.Repo]; ok {
			options.LabelNames = layout.Labels
			m.tokenLayout, m.layoutName = layout, n.Short
		}
	}
	if o.Profile == ProfileLettuce { // which has one layout for all models
		m.tokenLayout, m.layoutName = local.LettuceDetectLayout(), ProfileLettuce
	}
	if m.Model, err = encoder.Open(dir, options); err != nil {
		return nil, err
	}
	if info := m.Info(); o.Judge == JudgeHHEM && info.Kind != encoder.HHEM {
		return nil, errors.Join(fmt.Errorf("%s: not an HHEM model but a %s", dir, info.Architecture), m.Close())
	}
	if m.Info().Kind == encoder.Tokens && m.layoutName == "" {
		m.tokenLayout, m.layoutName = local.TokenClassifierLayoutOf(m.Info().Labels)
	}
	return m, nil
}

// labelMap parses the values of --label-map into a map from label to meaning.
func (l *LocalOptions) labelMap() (map[string]string, error) {
	labels := map[string]string{}
	for _, text := range l.Labels {
		label, meaning, ok := strings.Cut(text, "=")
		if !ok || label == "" || meaning == "" {
			return nil, exit.Usagef("--label-map %s: want LABEL=MEANING", text)
		}
		if known := []string{"supported", "contradicted", "not_mentioned"}; !slices.Contains(known, meaning) {
			return nil, exit.Usagef("--label-map %s: unknown meaning %q (known: %s)", text, meaning, strings.Join(known, ", "))
		}
		if _, duplicate := labels[label]; duplicate {
			return nil, exit.Usagef("--label-map: two meanings for %s", label)
		}
		labels[label] = meaning
	}
	return labels, nil
}

// A localModel is a model on this machine that judges claims.
type localModel struct {
	*encoder.Model
	dir         string
	pairLayout  local.CrossEncoderLayout
	tokenLayout local.TokenClassifierLayout
	layoutName  string // name of the published judge whose layout it is, or ""
}

// A localEmbedder is an llm.Embedder that runs a model on this machine. It uses no tokens.
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
