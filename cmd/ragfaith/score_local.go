package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/crossencoder"
	"github.com/ragfaith/ragfaith/internal/verdict/spans"
)

// The values of --judge that do not name a model, and the short name of HHEM.
const (
	judgeLexical  = "lexical"
	judgeEmbedded = "embedded"
	judgeHHEM     = "hhem" // short for hhemModel
	hhemModel     = "hhem-2.1-open"
)

// The values of --precision.
const (
	precisionFloat32 = "float32"
	precisionInt8    = "int8"
)

// defaultPrefilter is the default of --prefilter.
const defaultPrefilter = 8

// embedLocal is the value of --embed-model for the built-in embeddings.
const embedLocal = "local"

// localOptions are the options of "ragfaith score" for a local model.
type localOptions struct {
	models    string // directory of downloaded models
	device    ort.Device
	library   string // path of ONNX Runtime
	batch     int
	prefilter int // windows that each claim is judged against, or 0 for all
	precision string
	labels    []string // values of --label-map
}

// flags returns the flags for local models.
func (l *localOptions) flags() []flagSpec {
	return []flagSpec{
		modelsFlag(&l.models),
		{name: "device", arg: "DEVICE", value: deviceName{&l.device}, help: "cpu, or cuda:N with ONNX Runtime (experimental)"},
		{name: "onnxruntime", arg: "FILE", value: &l.library, path: filePath, help: "ONNX Runtime library, or the directory that contains it"},
		{name: "model-batch-size", arg: "N", value: flagvalue.Int(&l.batch, crossencoder.DefaultBatch, 1), help: "evaluate N claim and context pairs at a time"},
		{name: "prefilter", arg: "N", value: flagvalue.Int(&l.prefilter, defaultPrefilter, 0), help: "judge each claim against the N nearest passages; 0 for all"},
		{
			name: "precision", arg: "TYPE", value: flagvalue.OneOf(&l.precision, precisionFloat32, precisionFloat32, precisionInt8),
			help: "float32, or int8: faster, slightly less exact",
		},
		{name: "label-map", arg: "LABEL=MEANING", value: &l.labels, help: "read LABEL as supported, contradicted or not_mentioned; repeatable"},
	}
}

// usesLocalModel reports whether the judge is a local model.
func (o *scoreOptions) usesLocalModel() bool { return !o.usesBuiltin() && o.judge != judgeLLM }

// usesBuiltin reports whether the judge is part of the program.
func (o *scoreOptions) usesBuiltin() bool { return o.judge == judgeLexical || o.judge == judgeEmbedded }

// checkLocal returns an error for invalid combinations of local model options.
func (o *scoreOptions) checkLocal() error {
	if !o.usesLocalModel() {
		if o.profile == profileLettuce {
			return usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.judge)
		}
		unused := o.explicitFlags(localModelGroup)
		if o.llm.semanticCache && o.llm.embedsLocally() { // the embedding model may be in --models
			unused = slices.DeleteFunc(unused, func(name string) bool { return name == "--models" })
		}
		if len(unused) > 0 {
			return usagef("%s: no local model is used without --judge hhem or MODEL", strings.Join(unused, ", "))
		}
		return nil
	}
	device := o.localModel.device
	switch {
	case device.Provider != ort.None && o.localModel.precision == precisionInt8:
		return usagef("--precision int8 needs --device cpu: %s computes in float32", device)
	case device.Provider == ort.None && o.explicit("onnxruntime"):
		return usagef("--onnxruntime has no effect on --device cpu: use --device cuda:N")
	}
	return nil
}

// A deviceName is the pflag.Value of --device.
type deviceName struct{ device *ort.Device }

func (d deviceName) String() string { return d.device.String() }

func (d deviceName) Type() string { return "string" }

func (d deviceName) Set(s string) (err error) {
	*d.device, err = ort.ParseDevice(s)
	return err
}

// openLocal opens the model of --judge.
func (o *scoreOptions) openLocal(sys system) (*localModel, error) {
	labels, err := o.localModel.labelMap()
	if err != nil {
		return nil, err
	}
	store, err := sys.modelStore(o.localModel.models)
	if err != nil {
		return nil, err
	}
	name := o.judge
	if name == judgeHHEM {
		name = hhemModel
	}
	dir, err := store.Find(name)
	if err != nil {
		if _, ok := errors.AsType[*hub.UnknownError](err); ok {
			return nil, &usageError{fmt.Errorf("--judge: %w", err)}
		}
		return nil, fmt.Errorf("--judge: %w", err)
	}
	options := encoder.Options{Labels: labels, Device: o.localModel.device, Library: o.localModel.library, Waiting: eval.Waiting}
	if o.localModel.precision == precisionInt8 {
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
	if o.profile == profileLettuce { // which has one layout for all models
		local.spans, local.layoutName = spans.LettuceDetect(), profileLettuce
	}
	m, err := encoder.Open(dir, options)
	if err != nil {
		return nil, err
	}
	if info := m.Info(); o.judge == judgeHHEM && info.Kind != encoder.HHEM {
		return nil, errors.Join(fmt.Errorf("%s: not an HHEM model but a %s", dir, info.Architecture), m.Close())
	}
	local.Model = m
	if m.Info().Kind == encoder.Tokens && local.layoutName == "" {
		local.spans, local.layoutName = spans.LayoutOf(m.Info().Labels)
	}
	return local, nil
}

// labelMap parses the values of --label-map into a map from label to meaning.
func (l *localOptions) labelMap() (map[string]string, error) {
	labels := map[string]string{}
	for _, text := range l.labels {
		label, meaning, ok := strings.Cut(text, "=")
		if !ok || label == "" || meaning == "" {
			return nil, usagef("--label-map %s: want LABEL=MEANING", text)
		}
		if known := []string{"supported", "contradicted", "not_mentioned"}; !slices.Contains(known, meaning) {
			return nil, usagef("--label-map %s: unknown meaning %q (known: %s)", text, meaning, strings.Join(known, ", "))
		}
		if _, duplicate := labels[label]; duplicate {
			return nil, usagef("--label-map: two meanings for %s", label)
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

// Count implements crossencoder.Model.
func (m *localModel) Count(text string) int { return m.Tokenizer().Count(text) }

// Specials implements crossencoder.Model.
func (m *localModel) Specials() int {
	n, err := m.Length(encoder.Pair{})
	if err != nil {
		return 0
	}
	return n // the length of two empty texts
}

// judge returns the judge and its threshold.
func (m *localModel) judge(o *scoreOptions) (verdict.Judge, float64, error) {
	quoter, err := o.newLexical()
	if err != nil {
		return nil, 0, err
	}
	threshold := cmp.Or(o.threshold, new(crossencoder.DefaultThreshold))
	if o.profile == profileLettuce && m.Info().Kind != encoder.Tokens {
		return nil, 0, usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.judge)
	}
	if m.Info().Kind == encoder.Tokens {
		if o.explicit("prefilter") {
			return nil, 0, usagef("--prefilter has no effect on --judge %s, which reads all contexts at once", o.judge)
		}
		j, err := spans.New(spans.Options{
			Model: m, Layout: m.spans, Threshold: *threshold, Strictest: o.profile == profileLettuce, Sentences: o.sentences, Quoter: quoter,
		})
		if err != nil {
			return nil, 0, fmt.Errorf("--judge %s: %w", o.judge, err)
		}
		return j, j.Threshold(), nil
	}
	opts := crossencoder.Options{
		Model: m, Layout: m.layout, Threshold: *threshold, Joined: o.evidence == "joined",
		Batch: o.localModel.batch, Sentences: o.sentences, Quoter: quoter,
		Rounded: o.roundsScores(), Nearest: o.localModel.prefilter, Rank: quoter.Scores,
	}
	j, err := crossencoder.New(opts)
	if err != nil {
		return nil, 0, fmt.Errorf("--judge %s: %w", o.judge, err)
	}
	return j, j.Threshold(), nil
}

// settings returns the settings that affect the verdicts.
func (m *localModel) settings(o *scoreOptions) (settingValues, error) {
	fingerprint, err := encoder.Fingerprint(m.dir)
	if err != nil {
		return nil, err
	}
	values := settingValues{
		"model":       {fingerprint},
		"rounded":     {strconv.FormatBool(o.roundsScores())},
		"--device":    {o.localModel.device.String()},
		"--precision": {o.localModel.precision},
		"--label-map": o.localModel.labels,
	}
	if m.Info().Kind != encoder.Tokens {
		values["--prefilter"] = []string{strconv.Itoa(o.localModel.prefilter)}
	}
	if m.layoutName != "" {
		values["layout"] = []string{m.layoutName}
	}
	if o.localModel.device.Provider != ort.None {
		// Rounding depends on the library and on which pairs share a padded batch.
		values["kernels"] = []string{m.Info().Kernel}
		values["--model-batch-size"] = []string{strconv.Itoa(o.localModel.batch)}
	}
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
		return precisionInt8
	}
	return precisionFloat32
}
