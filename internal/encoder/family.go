package encoder

import (
	"fmt"
	"strings"
)

// CheckConfig returns the error of Open for a model whose architecture is not supported.
// file is the name of its configuration in errors, data the content; sentence means that
// the model has a modules.json.
func CheckConfig(file string, data []byte, sentence bool, o Options) error {
	c, err := parseConfig(file, data)
	if err != nil {
		return err
	}
	_, _, err = new(Model).familyOf(c, sentence, o)
	return err
}

// familyOf returns the family and the kind of a model. sentence means that it has a
// modules.json.
func (m *Model) familyOf(c *config, sentence bool, o Options) (family string, kind Kind, err error) {
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
	// The classes of transformers have the model type as their prefix.
	class, ok := map[string]string{
		"bert": "Bert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta",
		"deberta-v2": "DebertaV2", "modernbert": "ModernBert",
	}[family]
	if !ok {
		return "", "", fmt.Errorf("%s: model_type: %.100q is not supported; supported: bert, roberta, xlm-roberta, deberta-v2, modernbert, HHEMv2", c.file, family)
	}
	task, ok := strings.CutPrefix(name, class)
	switch {
	case !ok && name != "":
		return "", "", fmt.Errorf("%s: architectures: %.100q does not match model_type %q", c.file, name, family)
	case o.Head != "" && (family == "bert" || family == "roberta"), task == "ForSequenceClassification":
		return family, Classify, nil
	case task == "ForTokenClassification" && family == "modernbert":
		return family, Tokens, nil
	case sentence:
		return family, Embed, nil
	}
	return "", "", fmt.Errorf("%s: architectures: %.100q is not supported; supported: sequence classifiers, ModernBERT token classifiers, and sentence encoders with %s", c.file, name, modulesFile)
}
