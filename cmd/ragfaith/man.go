package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// newMan is a command for those who package ragfaith.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a manual page of each command to a folder",
		Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("to which folder? Name one")
			}
			return nil
		},
		PersistentPreRunE: begin,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			for _, c := range documented(cmd.Root()) {
				path := filepath.Join(args[0], pageName(c)+".1")
				if err := regular.Write(path, []byte(manPage(c))); err != nil {
					return errors.Join(err, os.Remove(path)) // half a page is none
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// documented are a command and those below it that its help names.
func documented(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, documented(sub)...)
		}
	}
	return all
}

// pageName is what the page of a command is called: ragfaith-score.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// A manual is a page in the macros of man(7). It has no date, so that it is the
// same whenever it is made.
type manual struct{ b strings.Builder }

// manPage is the page of a command, with what its help says.
func manPage(cmd *cobra.Command) string {
	var m manual
	m.macro("TH", strings.ToUpper(pageName(cmd)), "1", "", "ragfaith", "ragfaith manual")
	m.line(".nh") // what is hyphenated can't be copied
	m.section("Name")
	m.line(roff(pageName(cmd)) + ` \- ` + roff(lowerFirst(cmd.Short)))
	m.section("Synopsis")
	m.line(roff(strings.ReplaceAll(cmd.UseLine(), " [flags]", " [FLAG...]")))
	m.section("Description")
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	for i, paragraph := range strings.Split(long, "\n\n") {
		if i > 0 {
			m.macro("PP")
		}
		m.paragraph(paragraph)
	}
	m.options(cmd)
	usage := cmd.UsageString()
	if _, codes, ok := strings.Cut(usage, "\nExit codes:\n"); ok {
		m.section("Exit status")
		m.exits(codes)
	}
	if cmd.Example != "" {
		m.section("Examples")
		m.macro("EX")
		m.line(roff(cmd.Example))
		m.macro("EE")
	}
	m.seeAlso(cmd)
	return m.b.String()
}

// paragraph writes a paragraph, in which lines that are indented are kept as they
// are: they are there to be copied.
func (m *manual) paragraph(text string) {
	var filled []string
	flush := func() {
		if len(filled) > 0 {
			m.line(roff(strings.Join(filled, " ")))
		}
		filled = nil
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if command := strings.TrimLeft(line, " \t"); command != line && command != "" {
			flush()
			m.macro("EX")
			m.line(roff("  " + command))
			m.macro("EE")
		} else if line != "" {
			filled = append(filled, line)
		}
	}
	flush()
}

// options lists the flags by group.
func (m *manual) options(cmd *cobra.Command) {
	flags := inOrder(cmd)
	if len(flags) == 0 {
		return
	}
	m.section("Options")
	group := ""
	for _, f := range flags {
		fallback := everyCommand
		if cmd.InheritedFlags().Lookup(f.Name) == nil {
			fallback = "Flags"
		}
		if h := heading(f, fallback); h != group {
			group = h
			m.macro("SS", h)
		}
		name, usage := pflag.UnquoteUsage(f)
		m.macro("TP")
		tag := ""
		if f.Shorthand != "" {
			tag = `\fB` + roff("-"+f.Shorthand) + `\fR, `
		}
		tag += `\fB` + roff("--"+f.Name) + `\fR`
		if name != "" {
			tag += ` \fI` + roff(name) + `\fR`
		}
		m.line(tag)
		if plain := strings.Trim(f.DefValue, "[]"); plain != "" && plain != "false" && plain != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		m.line(roff(usage))
	}
}

// exits lists exit codes, of which each stands on a line with what it means, and
// then what the help ends with.
func (m *manual) exits(text string) {
	codes, rest, _ := strings.Cut(strings.TrimRight(text, "\n"), "\n\n")
	for line := range strings.Lines(codes) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		m.macro("TP")
		m.line(`\fB` + roff(code) + `\fR`)
		m.line(roff(strings.TrimSpace(meaning)))
	}
	if rest != "" {
		m.section("Environment")
		m.line(roff(strings.ReplaceAll(rest, "\n", " ")))
	}
}

// seeAlso names the pages of the commands above and below.
func (m *manual) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, pageName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub))
		}
	}
	if len(pages) == 0 {
		return
	}
	m.section("See also")
	for i, p := range pages {
		end := ","
		if i == len(pages)-1 {
			end = ""
		}
		m.line(".BR " + roff(p) + " (1)" + end)
	}
}

func (m *manual) section(name string) { m.macro("SH", strings.ToUpper(name)) }

// macro writes a macro with its arguments in quotes.
func (m *manual) macro(name string, args ...string) {
	m.b.WriteString("." + name)
	for _, a := range args {
		m.b.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	m.b.WriteByte('\n')
}

// line writes text as it is.
func (m *manual) line(text string) { m.b.WriteString(text + "\n") }

// roff escapes what is no plain text to roff: backslashes, hyphens that are to be
// copied as they are, and dots and quotes where they would begin a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// lowerFirst begins a text with a small letter, unless a name stands there.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
