package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

func newPrompts() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompts",
		Short: "Write what a language model is asked to files, to be changed",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "export DIR",
		Short: "Write the built-in prompts to a folder",
		Long: `Write the built-in prompts to a folder, as templates. Change them, leave out
those that you do not change, and give the folder to "ragfaith score --prompts".`,
		Example: `  ragfaith prompts export prompts
  ragfaith score dataset.jsonl --judge llm --prompts prompts`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("to which folder? Name one")
			}
			return nil
		},
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
	return cmd
}
