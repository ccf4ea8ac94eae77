package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// completeValues registers the completion of the flags of a command and those below
// it: the known words, and nothing for numbers and names. cobra completes paths by
// their annotations.
func completeValues(cmd *cobra.Command) {
	complete := func(f *pflag.Flag) {
		words, directive := []string(nil), cobra.ShellCompDirectiveNoFileComp
		switch v := f.Value.(type) {
		case *choice:
			words = v.known
		case deviceName:
			words = []string{"cpu", "ort-cpu", "cuda:0"}
		case judgeName: // or a directory
			words, directive = judgeNames(), cobra.ShellCompDirectiveDefault
		}
		// This fails only for flags that have a completion already.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, directive))
	}
	cmd.Flags().VisitAll(complete)
	cmd.PersistentFlags().VisitAll(complete)
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
}

// completeScore registers completions that a flag alone does not determine: datasets,
// local models, models with a known price, and the columns of the dataset.
func completeScore(cmd *cobra.Command, sys system) {
	register := func(name string, f cobra.CompletionFunc) {
		_ = cmd.RegisterFlagCompletionFunc(name, f) // fails only for unknown flags
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(
		append(dataset.Formats(), "ndjson", "gz", "zst"), cobra.ShellCompDirectiveFilterFileExt)
	register("model", cobra.FixedCompletions(llm.PricedModels(), cobra.ShellCompDirectiveNoFileComp))
	register("map", cobra.FixedCompletions(
		[]string{"id=", "question=", "answer=", "contexts="}, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	register("judge", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append(judgeNames(), localModelNames(cmd, sys)...), cobra.ShellCompDirectiveDefault
	})
	register("keep", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append([]string{"all"}, columnsOf(args)...), cobra.ShellCompDirectiveNoFileComp
	})
}

// localModelNames returns the local models without a short name.
func localModelNames(cmd *cobra.Command, sys system) []string {
	store, err := modelStore(cmd.Flag("models").Value.String(), sys)
	if err != nil {
		return nil
	}
	list, _ := store.List() // without models that can't be read
	var names []string
	for i := range list {
		if n := list[i].Name; n.Short == "" && !slices.Contains(names, n.Repo) {
			names = append(names, n.Repo)
		}
	}
	return names
}

// columnsOf returns the columns of the first row of a dataset that are not fields.
func columnsOf(paths []string) []string {
	if len(paths) == 0 {
		return nil
	}
	if info, err := os.Stat(paths[0]); err != nil || !info.Mode().IsRegular() { // a pipe can be read only once
		return nil
	}
	set, err := dataset.Open(paths[:1], dataset.Options{Reserved: result.Names(), KeepAll: true})
	if err != nil {
		return nil
	}
	defer set.Close()
	for row, err := range set.Rows() {
		if err != nil {
			return nil
		}
		var names []string
		for _, c := range row.Kept {
			if report.Printable(c.Name) == c.Name { // safe to print to a terminal
				names = append(names, c.Name)
			}
		}
		return names
	}
	return nil
}
