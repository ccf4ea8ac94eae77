package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
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
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/resultfile"
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

// otherToolFlags maps flags of similar tools to what ragfaith has instead, separated by a
// space from a value.
func otherToolFlags() map[string]string {
	flags := map[string]string{
		"llm": "--judge llm", "hhem": "--judge hhem", "ollama": "--judge ollama/MODEL", "vllm": "--judge vllm/MODEL", "ragas": "--profile ragas", "gpu": "--device cuda:0", "cuda": "--device cuda:0",
		"no-color": "--color never", "html": "--output FILE.html", "junit": "--output FILE.xml", "xml": "--output FILE.xml", "parquet": "--output FILE.parquet",
		"answer-column": "--map answer=COLUMN", "question-column": "--map question=COLUMN",
		"contexts-column": "--map contexts=COLUMN", "context-column": "--map contexts=COLUMN", "api-key": "--api-key-env VARIABLE",
	}
	for _, format := range []string{"json", "jsonl", "csv", "tsv", "markdown"} {
		flags[format] = "--to " + format
	}
	for name, others := range map[string]string{
		"--to":          "format output-format out-format report-format reporter f",
		"--output":      "out out-file output-file output-path save save-to report",
		"--min-mean":    "fail-under fail-below min-score min-faithfulness",
		"--base-url":    "provider endpoint api-base url host",
		"--concurrency": "jobs workers threads parallel max-workers max-concurrency j",
		"--limit":       "max-rows num-rows rows head first n",
		"--model":       "llm-model judge-model eval-model evaluator m",
		"--map":         "column columns column-map field fields rename",
		"--max-cost":    "budget max-budget",
		"--embed-model": "embedding-model embeddings",
		"--lang":        "language",
		"--quiet":       "silent",
		"--resume":      "continue",
		"--header":      "headers http-header extra-headers H",
		"--extra-body":  "extra-params model-args model-kwargs",
		"--client-cert": "cert client-certificate",
	} {
		for other := range strings.FieldsSeq(others) {
			flags[other] = name
		}
	}
	return flags
}

// suggestFlag returns a flag of cmd for an unknown one, or "" if none is similar.
func suggestFlag(cmd *cobra.Command, unknown string) string {
	if instead := otherToolFlags()[unknown]; instead != "" {
		name, _, _ := strings.Cut(strings.TrimPrefix(instead, "--"), " ")
		if cmd.Flags().Lookup(name) != nil {
			return instead
		}
	}
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

// suggestColumn adds the most similar column to the error for a missing column of results.
func suggestColumn(err error) error {
	missing, ok := errors.AsType[*resultfile.ColumnError](err)
	if !ok || len(missing.Columns) != 1 {
		return err
	}
	if similar := flagvalue.Nearest(missing.Columns[0], missing.Kept); similar != "" {
		return fmt.Errorf("%w; did you mean %s?", err, report.Printable(similar))
	}
	return err
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

// downloadHint returns how to download a dataset that is given as a URL, "" for a file.
func downloadHint(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	quoted := address
	if regexp.MustCompile(`[^A-Za-z0-9._~:/%@+=,-]`).MatchString(address) {
		quoted = "'" + strings.ReplaceAll(address, "'", `'\''`) + "'"
	}
	command := ""
	switch strings.ToLower(scheme) {
	case "http", "https":
		command = "curl -LO " + quoted
	case "s3":
		command = "aws s3 cp " + quoted + " ."
	case "gs":
		command = "gcloud storage cp " + quoted + " ."
	case "hf":
		if parts := strings.SplitN(strings.TrimPrefix(rest, "datasets/"), "/", 3); quoted == address && len(parts) == 3 {
			command = "hf download --repo-type dataset --local-dir . " + parts[0] + "/" + parts[1] + " " + parts[2]
		}
	}
	if command == "" {
		return "download it first"
	}
	return "download it first: " + command
}

// isLocalServer reports whether a URL names this machine or a private network.
func isLocalServer(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || host == "host.docker.internal"
}
