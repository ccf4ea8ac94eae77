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
	"github.com/ragfaith/ragfaith/internal/verdict/crossencoder"
	"github.com/ragfaith/ragfaith/internal/verdict/spans"
)

// OpenJudge opens the local model of Options.Judge. The caller closes the model.
func OpenJudge(o *Options, sys *System) (verdict.Judge, io.Closer, error) {
	m, err := o.openLocal(sys)
	if err != nil {
		return nil, nil, err
	}
	j, _, err := m.judge(o)
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
	local := &localModel{dir: dir}
	if n, ok := hub.Identify(dir); ok {
		if layout, ok := crossencoder.Layouts()[n.Repo]; ok {
			layout.Apply(&options)
			local.layout, local.layoutName = layout, n.Short
		}
		if layout, ok := spans.Layouts()[n.Repo]; ok {
			options.LabelNames = layout.Labels
			local.spans, local.layoutName = layout, n.Short
		}
	}
	if o.Profile == ProfileLettuce { // which has one layout for all models
		local.spans, local.layoutName = spans.LettuceDetect(), ProfileLettuce
	}
	m, err := encoder.Open(dir, options)
	if err != nil {
		return nil, err
	}
	if info := m.Info(); o.Judge == JudgeHHEM && info.Kind != encoder.HHEM {
		return nil, errors.Join(fmt.Errorf("%s: not an HHEM model but a %s", dir, info.Architecture), m.Close())
	}
	local.Model = m
	if m.Info().Kind == encoder.Tokens && local.layoutName == "" {
		local.spans, local.layoutName = spans.LayoutOf(m.Info().Labels)
	}
	return local, nil
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
	dir        string
	layout     crossencoder.Layout
	spans      spans.Layout
	layoutName string // name of the published judge whose layout it is, or ""
	meter      *meter // measures its speed in a dry run; otherwise nil
}

// judge returns the judge and its threshold.
func (m *localModel) judge(o *Options) (verdict.Judge, float64, error) {
	quoter, err := o.newLexical()
	if err != nil {
		return nil, 0, err
	}
	threshold := cmp.Or(o.Threshold, new(crossencoder.DefaultThreshold))
	if o.Profile == ProfileLettuce && m.Info().Kind != encoder.Tokens {
		return nil, 0, exit.Usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.Judge)
	}
	if m.Info().Kind == encoder.Tokens {
		if o.Local.PrefilterGiven {
			return nil, 0, exit.Usagef("--prefilter has no effect on --judge %s, which reads all contexts at once", o.Judge)
		}
		j, err := spans.New(spans.Options{
			Model: m, Layout: m.spans, Threshold: *threshold, Strictest: o.Profile == ProfileLettuce, Sentences: o.sentences, Quoter: quoter,
		})
		if err != nil {
			return nil, 0, fmt.Errorf("--judge %s: %w", o.Judge, err)
		}
		return j, j.Threshold(), nil
	}
	opts := crossencoder.Options{
		Model: m, Layout: m.layout, Threshold: *threshold, Joined: o.Evidence == "joined",
		Batch: o.Local.Batch, Sentences: o.sentences, Quoter: quoter,
		Rounded: o.roundsScores(), Nearest: o.Local.Prefilter, Rank: quoter.Scores,
	}
	j, err := crossencoder.New(opts)
	if err != nil {
		return nil, 0, fmt.Errorf("--judge %s: %w", o.Judge, err)
	}
	return j, j.Threshold(), nil
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
