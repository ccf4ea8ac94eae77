package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/verdict/crossencoder"
)

// The judges that are not the name or the folder of a model.
const (
	withLexical = "lexical"
	withHHEM    = "hhem" // a short way to say hhemModel
	hhemModel   = "hhem-2.1-open"
)

// The values of --precision.
const (
	precisionFloat32 = "float32"
	precisionInt8    = "int8"
)

// localOptions are the flags of "ragfaith score" for a model on this machine.
type localOptions struct {
	models    string
	device    ort.Device
	library   string
	batch     int
	precision string
	labels    []string
	file      string // of the embedded judge
}

func (l *localOptions) flags() []flagSpec {
	return []flagSpec{
		modelsFlag(&l.models),
		{name: "device", arg: "DEVICE", value: deviceName{&l.device}, help: "cpu, or with ONNX Runtime ort-cpu or cuda:N"},
		{name: "onnxruntime", arg: "FILE", value: &l.library, path: filePath, help: "ONNX Runtime library, or the directory that contains it"},
		{name: "model-batch-size", arg: "N", value: atLeast(&l.batch, crossencoder.DefaultBatch, 1), help: "evaluate N claim and context pairs at a time"},
		{name: "precision", arg: "TYPE", value: oneOf(&l.precision, precisionFloat32, precisionFloat32, precisionInt8), found: anyValue,
			help: "float32, or int8: faster, slightly less exact"},
		{name: "model-file", arg: "FILE", value: &l.file, path: filePath, exts: []string{"safetensors"}, help: "model file for --judge embedded (default: the one built in)"},
		{name: "label-map", arg: "LABEL=MEANING", value: &l.labels, help: "read LABEL as supported, contradicted or not_mentioned; repeatable"},
	}
}

// judgeName is the value of --judge: a word of its own, or a model by its name or
// its folder.
type judgeName struct{ to *string }

func (j judgeName) String() string {
	if j.to == nil {
		return ""
	}
	return *j.to
}
func (j judgeName) Type() string { return "string" }

// Set takes what can be a judge. Whether a model is there is found later, when it
// is known where models are.
func (j judgeName) Set(s string) error {
	if s == "" {
		return errors.New("want lexical, embedded, llm, hhem, or a model")
	}
	known := judgeNames()
	if _, err := os.Stat(s); err != nil && !slices.Contains(known, s) && !strings.ContainsAny(s, `/\`) {
		if near := nearest(s, known); near != "" {
			return fmt.Errorf("unknown %q, did you mean %s? (known: %s, or the folder of a model)", s, near, strings.Join(known, ", "))
		}
		return fmt.Errorf("unknown %q (known: %s, or the folder of a model)", s, strings.Join(known, ", "))
	}
	*j.to = s
	return nil
}

// judgeNames are the judges that have a name.
func judgeNames() []string {
	return append([]string{withLexical, withEmbedded, withLLM, withHHEM}, shortNames()...)
}

// deviceName is the value of --device.
type deviceName struct{ to *ort.Device }

func (d deviceName) String() string {
	if d.to == nil {
		return ""
	}
	return d.to.String()
}
func (d deviceName) Type() string { return "string" }
func (d deviceName) Set(s string) (err error) {
	*d.to, err = ort.ParseDevice(s)
	return err
}

// local reports whether the judge is a model on this machine.
func (o *scoreOptions) local() bool { return o.judge != withLexical && o.judge != withLLM }

// checkLocal finds flags that would have no effect, as checkLLM does.
func (o *scoreOptions) checkLocal() error {
	if o.local() {
		if err := o.checkEmbedded(); err != nil {
			return err
		}
		return o.localModel.checkDevice(o.typed("onnxruntime"))
	}
	idle := o.typedFlags(localModelFlags)
	if o.llm.semanticCache && o.llm.embedsHere() { // its model is in --models
		idle = slices.DeleteFunc(idle, func(name string) bool { return name == "--models" })
	}
	if len(idle) > 0 {
		return usagef("%s: no model runs on this machine without --judge hhem, embedded or MODEL", strings.Join(idle, ", "))
	}
	return nil
}

// checkDevice finds flags that don't go with --device. library says that a library
// was named for this run.
func (l *localOptions) checkDevice(library bool) error {
	switch {
	case l.device.Provider != ort.None && l.precision == precisionInt8:
		return usagef("--precision int8 needs --device cpu: %s computes in float32", l.device)
	case l.device.Provider == ort.None && library:
		return usagef("--onnxruntime has no effect on --device cpu: give --device ort-cpu or cuda:N")
	}
	return nil
}

// A localModel is a model on this machine, and what a run has to say of it.
type localModel struct {
	*encoder.Model
	dir string
}

// Count implements crossencoder.Model.
func (m *localModel) Count(text string) int { return m.Tokenizer().Count(text) }

// Specials implements crossencoder.Model.
func (m *localModel) Specials() int {
	n, err := m.Length(encoder.Pair{})
	if err != nil { // of a pair without text
		return 0
	}
	return n
}

// openLocal opens the model of --judge.
func (o *scoreOptions) openLocal(sys system) (localJudge, error) {
	if o.judge == withEmbedded {
		return o.openEmbedded()
	}
	labels, err := o.localModel.labelMap()
	if err != nil {
		return nil, err
	}
	store, err := modelStore(o.localModel.models, sys)
	if err != nil {
		return nil, err
	}
	name := o.judge
	if name == withHHEM {
		name = hhemModel
	}
	dir, err := store.Find(name)
	if err != nil {
		if _, ok := errors.AsType[*hub.UnknownError](err); ok {
			return nil, &usageError{fmt.Errorf("--judge: %w", err)}
		}
		return nil, fmt.Errorf("--judge %s: %w", o.judge, err)
	}
	options := encoder.Options{Labels: labels, Device: o.localModel.device, Library: o.localModel.library, Waiting: eval.Waiting}
	if o.localModel.precision == precisionInt8 {
		options.Precision = kernel.Int8
	}
	m, err := encoder.Open(dir, options)
	if err != nil {
		return nil, err
	}
	if info := m.Info(); o.judge == withHHEM && info.Kind != encoder.HHEM {
		return nil, errors.Join(fmt.Errorf("%s: this is no HHEM but a %s", dir, info.Architecture), m.Close())
	}
	return &localModel{m, dir}, nil
}

// labelMap reads --label-map.
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
		if _, twice := labels[label]; twice {
			return nil, usagef("--label-map gives the label %s two meanings", label)
		}
		labels[label] = meaning
	}
	return labels, nil
}

// judge is the judge that asks m.
func (m *localModel) judge(o *scoreOptions) (eval.Judge, float64, error) {
	quoter, err := o.newLexical()
	if err != nil {
		return nil, 0, err
	}
	opts := crossencoder.Options{
		Model: m, Threshold: crossencoder.DefaultThreshold, Joined: o.evidence == "joined",
		Batch: o.localModel.batch, Sentences: o.sentences, Quoter: quoter,
		Rounded: o.rounded(),
	}
	if o.threshold != nil {
		opts.Threshold = *o.threshold
	}
	j, err := crossencoder.New(opts)
	if err != nil {
		return nil, 0, fmt.Errorf("--judge %s: %w", o.judge, err)
	}
	return j, j.Threshold(), nil
}

// rounded says that scores are rounded half to even to decide, as Ragas does with
// HHEM.
func (o *scoreOptions) rounded() bool { return o.profile == profileHHEM && o.threshold == nil }

// settled are the settings of a model on this machine that decide its verdicts.
func (m *localModel) settled(o *scoreOptions) (journal.Settings, error) {
	mark, err := encoder.Fingerprint(m.dir)
	if err != nil {
		return nil, err
	}
	s := journal.Settings{
		{Name: "model", Value: mark},
		{Name: "rounded", Value: strconv.FormatBool(o.rounded())},
		{Name: "--device", Value: o.localModel.device.String()},
		{Name: "--precision", Value: o.localModel.precision},
	}
	if o.localModel.device.Provider != ort.None {
		// The last digits are those of the library, and of what was padded together.
		s = append(s, journal.Setting{Name: "kernels", Value: m.Info().Kernel},
			journal.Setting{Name: "--batch-size", Value: strconv.Itoa(o.localModel.batch)})
	}
	return append(s, each("--label-map", o.localModel.labels)...), nil
}

// String describes the model for --verbose.
func (m *localModel) String() string {
	info := m.Info()
	return fmt.Sprintf("%s in %s (%s, %d layers of %d, labels %s, kernels %s)", info.Architecture, filepath.Clean(m.dir),
		precisionName(info.Precision), info.Layers, info.Hidden, strings.Join(info.Labels, ", "), info.Kernel)
}

func precisionName(p kernel.Precision) string {
	if p == kernel.Int8 {
		return precisionInt8
	}
	return precisionFloat32
}
