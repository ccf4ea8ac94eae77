package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const configInitLong = `Create a config file that lists every option of score as a comment, with its default.
FILE defaults to ragfaith.yaml, which ragfaith looks for in the working directory. An
existing file is not overwritten.`

func newConfigInit(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "init [FILE]",
		Short:   "Create a commented config file",
		Long:    configInitLong,
		Example: "  ragfaith config init\n  ragfaith config init config/nightly.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one FILE, got %d", len(args))
			}
			return nil
		},
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.Name
			if len(args) == 1 {
				path = args[0]
			}
			if err := writeNew(path, configTemplate(sys)); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	return cmd
}

// writeNew creates a file. It is an error if the file exists.
func writeNew(path, content string) error {
	f, err := safefile.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch reason, ok := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: already exists; not overwritten", path)
	case ok:
		return fmt.Errorf("%s: %w", path, reason.Err)
	case err != nil:
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // allow another attempt
	}
	return nil
}

// configTemplate returns a config file with every option of score commented out.
func configTemplate(sys system) string {
	const width = 76
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=" + schemaID + "\n#\n")
	for line := range strings.SplitSeq(text.WrapSoft(templateIntro, width), "\n") {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	root := newRoot(sys)
	score, _, err := root.Find([]string{"score"})
	if err != nil {
		return b.String()
	}
	group := ""
	for _, f := range flagsOf(score) {
		if f.Name == "config" {
			continue
		}
		if g := annotation(f, groupKey); g != group {
			group = g
			b.WriteString("\n# ---- " + group + "\n")
		}
		b.WriteByte('\n')
		b.WriteString("# " + f.Usage + "\n")
		b.WriteString("#" + f.Name + ": " + exampleOf(f) + "\n")
	}
	return b.String()
}

const templateIntro = `Options of ragfaith. Uncomment an option to set it. Flags override the environment (RAGFAITH_MIN_MEAN for min-mean), and the environment overrides this file. An option applies to every command that has such a flag; below the name of a command, such as "score:", it applies to that command only. Paths are relative to this file. Keys are not allowed here: name an environment variable with api-key-env.
"ragfaith config show" prints all options and where they come from.`

// exampleOf returns the default of a flag or, without a default, some valid value.
func exampleOf(f *pflag.Flag) string {
	if isList(f) {
		return "[]"
	}
	if f.DefValue != "" {
		return yamlScalar(f.DefValue, typeOf(f))
	}
	switch f.Value.Type() {
	case "float":
		return "0.5"
	case "IN,OUT":
		return `"0.15,0.60"`
	}
	return `""`
}

// schemaID is the URL of the published schema.
const schemaID = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/config.schema.json"

func newConfigSchema(sys system) *cobra.Command {
	return &cobra.Command{
		Use:               "schema",
		Short:             "Print the JSON Schema of config files",
		Args:              cobra.NoArgs,
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			content, err := configSchema(sys)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(content)
			}
			return err
		},
	}
}

// A schema is a JSON Schema, or a part of one.
type schema = map[string]any

// configSchema returns the JSON Schema of config files. It does not cover combinations of
// options.
func configSchema(sys system) ([]byte, error) {
	c := newCatalog(sys)
	properties := schema{}
	for name, flags := range c.flags {
		var all []any
		for _, f := range flags {
			if s := flagSchema(f); !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(other, s) }) {
				all = append(all, s)
			}
		}
		properties[name] = all[0]
		if len(all) > 1 {
			properties[name] = schema{"anyOf": all}
		}
	}
	for name, cmd := range c.sections {
		own := schema{}
		for _, f := range flagsOf(cmd) {
			if f.Name != "config" {
				own[f.Name] = flagSchema(f)
			}
		}
		properties[name] = schema{
			"type": []string{"object", "null"}, "additionalProperties": false, "properties": own,
			"description": "Options of \"ragfaith " + name + "\" alone; they override those at the top level.",
		}
	}
	content, err := json.MarshalIndent(schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": schemaID,
		"title":       "ragfaith configuration",
		"description": "ragfaith.yaml: each key is the name of a flag and applies to every command that has it.",
		"type":        []string{"object", "null"}, "additionalProperties": false, "properties": properties,
	}, "", "  ")
	return append(content, '\n'), err
}

// flagSchema returns the schema of a flag.
func flagSchema(f *pflag.Flag) schema {
	s := schema{}
	switch v := f.Value.(type) {
	case *flagvalue.Value:
		maps.Copy(s, v.Schema())
	case judgeName:
		s["type"], s["minLength"], s["examples"] = "string", 1, judgeNames()
	case pflag.SliceValue:
		shapes := []any{schema{"type": "string"}, schema{"type": "array", "items": schema{"type": "string"}}}
		if takesPairs(f) {
			shapes = append(shapes, schema{"type": "object", "additionalProperties": schema{"type": "string"}})
		}
		s["anyOf"] = shapes
	default:
		s["type"] = typeOf(f)
		if f.Value.Type() == "uint64" {
			s["minimum"] = 0
		}
		if strings.HasSuffix(f.Name, "api-key-env") {
			s["pattern"] = "^([A-Za-z_][A-Za-z0-9_]*)?$"
		}
	}
	s["description"] = f.Usage
	if !isList(f) && f.DefValue != "" {
		s["default"] = literal(f.DefValue, typeOf(f))
	}
	return s
}

// typeOf returns the JSON type of the value of a flag.
func typeOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "boolean"
	case "int", "uint64":
		return "integer"
	case "float", "USD":
		return "number"
	case "stringArray":
		return "array"
	}
	return "string"
}

// literal converts text to a value of the given JSON type.
func literal(text, kind string) any {
	switch kind {
	case "boolean":
		return text == "true"
	case "integer", "number":
		return json.Number(text)
	}
	return text
}

// yamlScalar quotes text if YAML would parse it as another type.
func yamlScalar(text, kind string) string {
	if kind != "string" || regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`).MatchString(text) {
		return text
	}
	return fmt.Sprintf("%q", text)
}
