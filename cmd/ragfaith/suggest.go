package main

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
)

// withCommand inserts score before arguments that start with a dataset, so that
// "ragfaith FILE" scores it.
func withCommand(root *cobra.Command, args []string) []string {
	if len(args) == 0 || !isDataset(args[0]) {
		return args
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args[:1]); err == nil && cmd != root {
		return args // a file that has the name of a command
	}
	return append([]string{"score"}, args...)
}

// isDataset reports whether an argument is standard input, a file, or a name with the
// extension of a dataset.
func isDataset(arg string) bool {
	if arg == "-" || dataset.HasExtension(arg) && !strings.HasPrefix(arg, "-") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// suggestFlag returns a flag of cmd for an unknown one, or "" if none is similar.
func suggestFlag(cmd *cobra.Command, unknown string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if slices.Contains(names, unknown) { // after a single dash
		return "--" + unknown
	}
	if similar := flagvalue.Nearest(unknown, names); similar != "" && len(unknown) > 1 {
		return "--" + similar
	}
	return ""
}

// apiModel returns the name of a model of a common API, without its provider, and false
// if name is not one.
func apiModel(name string) (string, bool) {
	provider, model, found := strings.Cut(name, "/")
	if !found {
		model = name
	} else if !slices.Contains([]string{"openai", "anthropic", "gemini", "azure", "bedrock", "groq", "ollama", "openrouter", "vertex_ai", "xai"}, provider) {
		return "", false
	}
	known := regexp.MustCompile(`^(gpt-|chatgpt-|o[1-9](-|$)|claude|gemini|gemma|llama|mi[nsx]tral|ministral|codestral|qwen|deepseek|command-|grok|phi[-0-9]|kimi|glm)`)
	_, _, priced := llm.Price(model)
	return path.Base(model), priced || known.MatchString(strings.ToLower(path.Base(model)))
}
