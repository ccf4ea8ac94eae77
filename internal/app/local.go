package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
)

// OpenJudge opens the local model of Options.Judge. The caller closes the model.
func OpenJudge(o *Options, sys *System) (verdict.Judge, io.Closer, error) {
	m, err := o.openLocal(sys)
	if err != nil {
		return nil, nil, err
	}
	j, err := m.judge(o)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	return j, m, nil
}

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

// localThreshold returns the threshold of a local model.
func (o *Options) localThreshold() float64 { return *cmp.Or(o.Threshold, new(local.DefaultThreshold)) }

// judge returns the judge that runs the model.
func (m *localModel) judge(o *Options) (verdict.Judge, error) {
	quoter, err := o.newLexical()
	if err != nil {
		return nil, err
	}
	tokens := m.Info().Kind == encoder.Tokens
	if o.Profile == ProfileLettuce && !tokens {
		return nil, exit.Usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.Judge)
	}
	if o.Local.PrefilterGiven && tokens {
		return nil, exit.Usagef("--prefilter has no effect on --judge %s, which reads all contexts at once", o.Judge)
	}
	opts := local.Options{Threshold: o.localThreshold(), Sentences: o.sentences, Quoter: quoter}
	var j verdict.Judge
	if tokens {
		j, err = local.NewTokenClassifier(local.TokenClassifierOptions{
			Options: opts, Model: m.Model, Layout: m.tokenLayout, Strictest: o.Profile == ProfileLettuce,
		})
	} else {
		j, err = local.NewCrossEncoder(local.CrossEncoderOptions{
			Options: opts, Model: m.Model, Layout: m.pairLayout, Joined: o.Evidence == "joined", Batch: o.Local.Batch,
			Rounded: o.roundsScores(), Nearest: o.Local.Prefilter, Rank: quoter.Scores,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("--judge %s: %w", o.Judge, err)
	}
	return j, nil
}

// settings returns the settings that affect the verdicts.
func (m *localModel) settings(o *Options) (settingValues, error) {
	fingerprint, err := encoder.Fingerprint(m.dir)
	if err != nil {
		return nil, err
	}
	values := settingValues{
		"model":       {fingerprint},
		"rounded":     {strconv.FormatBool(o.roundsScores())},
		"--device":    {o.Local.Device.String()},
		"--precision": {o.Local.Precision},
		"--label-map": o.Local.Labels,
	}
	values.setIf(m.Info().Kind != encoder.Tokens, "--prefilter", strconv.Itoa(o.Local.Prefilter))
	values.setIf(m.layoutName != "", "layout", m.layoutName)
	// Rounding on a GPU depends on the library and on which pairs share a padded batch.
	gpu := o.Local.Device.Provider != ort.None
	values.setIf(gpu, "kernels", m.Info().Kernel)
	values.setIf(gpu, "--model-batch-size", strconv.Itoa(o.Local.Batch))
	return values, nil
}

// String describes the model for --verbose.
func (m *localModel) String() string {
	info := m.Info()
	return fmt.Sprintf("%s in %s (layout %s, %s, %d layers of %d, labels %s, kernels %s)", info.Architecture, filepath.Clean(m.dir),
		cmp.Or(m.layoutName, "of its files"), precisionName(info.Precision), info.Layers, info.Hidden, strings.Join(info.Labels, ", "), info.Kernel)
}

func precisionName(p kernel.Precision) string {
	if p == kernel.Int8 {
		return PrecisionInt8
	}
	return PrecisionFloat32
}
