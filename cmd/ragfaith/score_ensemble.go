package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/verdict/ensemble"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
)

// ensembleOf returns the judges of a --judge such as hhem,lexical, or nil for one judge.
func ensembleOf(judge string) []string {
	if !strings.Contains(judge, ",") {
		return nil
	}
	if _, err := os.Stat(judge); err == nil { // a directory
		return nil
	}
	return strings.Split(judge, ",")
}

// checkEnsemble returns an error for judges that can't be combined.
func checkEnsemble(names []string) error {
	for i, name := range names {
		var one string
		if err := (judgeName{&one}).Set(name); err != nil {
			return err
		}
		if _, _, server := local.Parse(one); server || one == judgeLLM || one == judgeAuto {
			return fmt.Errorf("%s can't be combined with other judges; only lexical and local models can", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s is repeated", name)
		}
	}
	return nil
}

// member returns the options for one judge of an ensemble.
func (o *scoreOptions) member(judge string) *scoreOptions {
	one := *o
	one.judge = judge
	return &one
}

// A localJudge is a judge that runs on this machine: a model or an ensemble.
type localJudge interface {
	// judge returns the judge and its threshold.
	judge(o *scoreOptions) (eval.Judge, float64, error)
	// settings returns the settings that affect its verdicts.
	settings(o *scoreOptions) (settingValues, error)
	// models returns its models, in the order of --judge.
	models() []*localModel
}

func (m *localModel) models() []*localModel { return []*localModel{m} }

// openJudge opens the models of --judge.
func (o *scoreOptions) openJudge(sys system) (localJudge, error) {
	names := ensembleOf(o.judge)
	if names == nil {
		m, err := o.openLocal(sys)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	e := &ensembleModel{names: names}
	for _, name := range names {
		if name == judgeLexical {
			e.members = append(e.members, lexicalModel{})
			continue
		}
		m, err := o.member(name).openLocal(sys)
		if err != nil {
			closeAll(e.models())
			return nil, err
		}
		for i, other := range e.members {
			if same, ok := other.(*localModel); ok && sameFile(same.dir, m.dir) {
				closeAll(append(e.models(), m))
				return nil, usagef("--judge %s: %s and %s are the same model, %s", o.judge, names[i], name, m.dir)
			}
		}
		e.members = append(e.members, m)
	}
	return e, nil
}

func closeAll(models []*localModel) {
	for _, m := range models {
		_ = m.Close()
	}
}

// An ensembleModel is the localJudge of several judges.
type ensembleModel struct {
	names   []string
	members []localJudge
}

func (e *ensembleModel) judge(o *scoreOptions) (eval.Judge, float64, error) {
	j := new(ensemble.Judge)
	for i, m := range e.members {
		inner, threshold, err := m.judge(o.member(e.names[i]))
		if err != nil {
			return nil, 0, err
		}
		if i > 0 && threshold != j.Threshold {
			return nil, 0, fmt.Errorf("--judge %s: thresholds differ: %v and %v", o.judge, j.Threshold, threshold)
		}
		j.Members, j.Threshold = append(j.Members, ensemble.Member{Name: e.names[i], Judge: inner}), threshold
	}
	return j, j.Threshold, nil
}

// settings lists the values of all judges that have a setting, in their order.
func (e *ensembleModel) settings(o *scoreOptions) (settingValues, error) {
	all := make(settingValues)
	for i, m := range e.members {
		values, err := m.settings(o.member(e.names[i]))
		if err != nil {
			return nil, err
		}
		for name, list := range values {
			all[name] = append(all[name], list...)
		}
	}
	return all, nil
}

func (e *ensembleModel) models() (all []*localModel) {
	for _, m := range e.members {
		all = append(all, m.models()...)
	}
	return all
}

// A lexicalModel is the lexical judge in an ensemble.
type lexicalModel struct{}

func (lexicalModel) judge(o *scoreOptions) (eval.Judge, float64, error) {
	words, err := o.newLexical()
	if err != nil {
		return nil, 0, err
	}
	return markup.Judge{Inner: words}, words.Threshold(), nil
}

func (lexicalModel) settings(*scoreOptions) (settingValues, error) { return nil, nil }

func (lexicalModel) models() []*localModel { return nil }
