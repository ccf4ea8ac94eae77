package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// modulesFile lists the modules of a sentence-transformers model.
const modulesFile = "modules.json"

// classPrefixes maps model types to the prefix of their class names in
// transformers.
func classPrefixes() map[string]string {
	return map[string]string{
		"bert": "Bert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta",
		"deberta-v2": "DebertaV2", "modernbert": "ModernBert",
	}
}

// detectFamily returns the family and the kind of a model.
func (m *Model) detectFamily(dir string, c *config, o Options) (family string, kind Kind, err error) {
	var architectures []string
	c.get("architectures", &architectures, "a list of strings")
	family = c.text("model_type", "")
	if c.err != nil {
		return "", "", c.err
	}
	name := ""
	if len(architectures) > 0 {
		name = architectures[0]
	}
	m.info.Architecture = name
	if name == "HHEMv2ForSequenceClassification" {
		return "t5", HHEM, nil
	}
	if name == "T5ForConditionalGeneration" && family == "t5" {
		if len(o.LabelTokens) == 0 {
			return "", "", fmt.Errorf("%s: architectures: %s writes text; it can judge only if the tokens of its verdicts are known", c.file, name)
		}
		return "t5", Classify, nil
	}
	class, ok := classPrefixes()[family]
	if !ok {
		return "", "", fmt.Errorf("%s: model_type: %q is not supported; supported: bert, roberta, xlm-roberta, deberta-v2, modernbert, HHEMv2", c.file, family)
	}
	task, ok := strings.CutPrefix(name, class)
	switch {
	case !ok && name != "":
		return "", "", fmt.Errorf("%s: architectures: %q does not match model_type %q", c.file, name, family)
	case o.Head != "" && (family == "bert" || family == "roberta"), task == "ForSequenceClassification":
		return family, Classify, nil
	case task == "ForTokenClassification" && family == "modernbert":
		return family, Tokens, nil
	}
	switch _, err := os.Stat(filepath.Join(dir, modulesFile)); {
	case err == nil:
		return family, Embed, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", "", err
	}
	return "", "", fmt.Errorf("%s: architectures: %q is not supported; supported: sequence classifiers, ModernBERT token classifiers, and sentence encoders with %s", c.file, name, modulesFile)
}
