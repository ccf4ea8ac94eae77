package main

import (
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
)

// withEmbedded is the judge with a small model beside the words.
const withEmbedded = "embedded"

// A localJudge is a judge whose model runs on this machine.
type localJudge interface {
	// judge returns the judge and its threshold.
	judge(o *scoreOptions) (eval.Judge, float64, error)
	// settled are the settings that decide its verdicts.
	settled(o *scoreOptions) (journal.Settings, error)
	// Info describes its model.
	Info() encoder.Info
	// String describes it for --verbose.
	String() string
	Close() error
}

// embeddedModel is the model of --judge embedded.
type embeddedModel struct {
	*encoder.Grounding
	formula embedded.Formula
}

// openEmbedded opens the model of --model-file, or without it that of the binary.
func (o *scoreOptions) openEmbedded() (*embeddedModel, error) {
	options := encoder.Options{Precision: kernel.Int8, Waiting: eval.Waiting}
	// Its default is not that of the flag, which counts wherever it was set.
	if o.localModel.precision == precisionFloat32 && o.flags.Changed("precision") {
		options.Precision = kernel.Float32
	}
	g, f, err := embedded.Open(o.localModel.file, options)
	if err != nil {
		return nil, fmt.Errorf("--judge embedded: %w", err)
	}
	return &embeddedModel{g, f}, nil
}

// checkEmbedded finds flags that the embedded judge needs, or that have no effect
// on it.
func (o *scoreOptions) checkEmbedded() error {
	if o.judge != withEmbedded {
		if o.typed("model-file") {
			return usagef("--model-file has no effect without --judge embedded")
		}
		return nil
	}
	for _, name := range []string{"models", "model-batch-size", "label-map", "onnxruntime"} {
		if o.typed(name) {
			return usagef("--%s has no effect on --judge embedded", name)
		}
	}
	if o.localModel.device.Provider != ort.None {
		return usagef("--judge embedded runs on --device cpu, not on %s", o.localModel.device)
	}
	return nil
}

func (m *embeddedModel) judge(o *scoreOptions) (eval.Judge, float64, error) {
	words, err := o.newLexical()
	if err != nil {
		return nil, 0, err
	}
	opts := embedded.Options{Model: m.Grounding, Formula: m.formula, Words: words, Threshold: embedded.DefaultThreshold, Sentences: o.sentences}
	if o.threshold != nil {
		opts.Threshold = *o.threshold
	}
	return markup.Judge{Inner: embedded.New(opts)}, opts.Threshold, nil
}

func (m *embeddedModel) settled(*scoreOptions) (journal.Settings, error) {
	return journal.Settings{
		{Name: "model", Value: m.Digest()},
		{Name: "--precision", Value: precisionName(m.Info().Precision)},
	}, nil
}

func (m *embeddedModel) String() string {
	info := m.Info()
	return fmt.Sprintf("%s in %s (%d layers of %d, kernels %s)", info.Architecture, precisionName(info.Precision), info.Layers, info.Hidden, info.Kernel)
}
