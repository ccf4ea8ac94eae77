package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

func newPrompts() *cobra.Command {
	return group("prompts", "Export the prompts for language models", &cobra.Command{
		Use:   "export DIR",
		Short: "Write the built-in prompts to a directory",
		Long: `Write the built-in prompts to DIR, as templates. Edit them, delete those you do not
change, and pass the directory to "ragfaith score --prompts".`,
		Example: `  ragfaith prompts export prompts
  ragfaith score dataset.jsonl --judge llm --prompts prompts`,
		Args: argCount(1, 1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := prompt.Export(args[0])
			if err != nil {
				return err
			}
			for _, f := range files {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), f); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
