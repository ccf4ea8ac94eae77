package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
)

// A catalogue is what a file of settings can say: the flags of all commands, and
// the commands that have a section. It is of a tree of commands of its own, whose
// flags are set to see whether they take a value.
type catalogue struct {
	sections map[string]*cobra.Command
	flags    map[string][]*pflag.Flag // by name; that of score first
}

// newCatalogue takes all commands.
func newCatalogue(sys system) *catalogue {
	c := &catalogue{sections: make(map[string]*cobra.Command), flags: make(map[string][]*pflag.Flag)}
	all := configurables(newRoot(sys))
	slices.SortStableFunc(all, func(a, b *cobra.Command) int { return rank(a) - rank(b) })
	for _, cmd := range all {
		if !cmd.Parent().HasParent() {
			c.sections[cmd.Name()] = cmd
		}
		for _, f := range flagsOf(cmd) {
			if f.Name != "config" { // one file names no other
				c.flags[f.Name] = append(c.flags[f.Name], f)
			}
		}
	}
	return c
}

// rank puts score first.
func rank(cmd *cobra.Command) int {
	if cmd.Name() == "score" {
		return 0
	}
	return 1
}

// check finds what is wrong with a file, in all of it and not only in what the
// command that runs takes from it.
func (c *catalogue) check(f settingsFile, sys system) []error {
	var errs []error
	for _, e := range f.Entries {
		cmd, section := c.sections[e.Key]
		switch {
		case section && e.Value.Shape == config.Mapping:
			errs = append(errs, c.checkSection(f, cmd, e.Value.Entries, sys)...)
		case section && e.Value.Shape == config.Empty: // all of it is commented out
		case section:
			errs = append(errs, f.fault(e.Line, "%s: want settings of this command, each on a line of its own", e.Key))
		case len(c.flags[currentName(e.Key)]) == 0:
			errs = append(errs, f.fault(e.Line, "%s", unknownSetting(e.Key, c.names())))
		default:
			// It is for all commands that have the flag, but not all of them may take it.
			var first error
			for i, flag := range c.flags[currentName(e.Key)] {
				err := f.set(flag, e, sys)
				if i == 0 {
					first = err
				}
				if err == nil {
					first = nil
					break
				}
			}
			if first != nil {
				errs = append(errs, first)
			}
		}
	}
	return errs
}

func (c *catalogue) checkSection(f settingsFile, cmd *cobra.Command, entries []config.Entry, sys system) []error {
	var names []string
	for _, flag := range flagsOf(cmd) {
		if flag.Name != "config" { // one file names no other
			names = append(names, flag.Name)
		}
	}
	var errs []error
	for _, e := range entries {
		if !slices.Contains(names, currentName(e.Key)) {
			errs = append(errs, f.fault(e.Line, "%s: %s", cmd.Name(), unknownSetting(e.Key, names)))
		} else if err := f.set(cmd.Flag(e.Key), e, sys); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// names are those that can stand at the top of a file.
func (c *catalogue) names() []string {
	var all []string
	for name := range c.flags {
		all = append(all, name)
	}
	for name := range c.sections {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// unknownSetting says what is wrong with a name, and which was probably meant.
func unknownSetting(name string, known []string) string {
	if holdsKey(name) {
		return name + ": " + keyAdvice
	}
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("unknown setting %s, did you mean %s?", name, near)
	}
	return "unknown setting " + name
}

// apply sets the flags of a command that nothing before has set: from the section
// of the command, and else from the top of the file. There the name of a command
// is that of its section, even where cmd has a flag of that name. It returns the
// flags that it has set.
func (c *catalogue) apply(f settingsFile, cmd *cobra.Command, sys system) (applied []*pflag.Flag, errs []error) {
	set := func(entries []config.Entry, hint string) {
		for _, e := range entries {
			flag := cmd.Flag(e.Key)
			if flag == nil || flag.Changed {
				continue
			}
			if err := f.set(flag, e, sys); err != nil {
				errs = append(errs, fmt.Errorf("%w%s", err, hint))
			}
			trust := ""
			if !f.trusted && !harmless(flag) {
				trust = untrusted
			}
			mark(flag, fromFile, f.Path, strconv.Itoa(e.Line), trust)
			applied = append(applied, flag)
		}
	}
	for _, e := range f.Entries {
		if e.Value.Shape == config.Mapping && e.Key == cmd.Name() && !cmd.Parent().HasParent() {
			set(e.Value.Entries, "")
		}
	}
	top := slices.DeleteFunc(slices.Clone(f.Entries), func(e config.Entry) bool { return c.sections[e.Key] != nil })
	set(top, " (for \""+cmd.CommandPath()+"\"; below \"score:\" it is for score alone)")
	return applied, errs
}

// set sets a flag to what an entry says.
func (f settingsFile) set(flag *pflag.Flag, e config.Entry, sys system) error {
	texts, err := f.texts(flag, e)
	if err != nil {
		return err
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok && len(texts) == 0 {
		return list.Replace(nil)
	}
	for _, t := range texts {
		err := safeSetting(flag, t.Text)
		if err == nil {
			err = flag.Value.Set(f.place(flag, t.Text, sys))
		}
		if err != nil {
			return f.fault(t.Line, "%s: %w", e.Key, err)
		}
	}
	return nil
}

// texts are the values that an entry gives a flag.
func (f settingsFile) texts(flag *pflag.Flag, e config.Entry) ([]config.Value, error) {
	_, list := flag.Value.(pflag.SliceValue)
	switch v := e.Value; {
	case v.Shape == config.Scalar:
		return []config.Value{v}, nil
	case v.Shape == config.Empty:
		return nil, f.fault(e.Line, "%s: there is no value", e.Key)
	case v.Shape == config.List && list:
		for _, item := range v.Items {
			if item.Shape != config.Scalar {
				return nil, f.fault(item.Line, "%s: want a list of texts", e.Key)
			}
		}
		return v.Items, nil
	case v.Shape == config.Mapping && list && takesPairs(flag):
		var texts []config.Value
		for _, pair := range v.Entries {
			if pair.Value.Shape != config.Scalar {
				return nil, f.fault(pair.Line, "%s: %s: want a text", e.Key, pair.Key)
			}
			texts = append(texts, config.Value{Shape: config.Scalar, Line: pair.Line, Text: pair.Key + "=" + pair.Value.Text})
		}
		return texts, nil
	case list:
		return nil, f.fault(e.Line, "%s: want a text or a list of texts", e.Key)
	}
	return nil, f.fault(e.Line, "%s: want a single value", e.Key)
}

// place makes the name of a file or folder relative to the folder of the file of
// settings, so that it is the same one from wherever ragfaith is called. A judge
// is such a name where it begins with a dot.
func (f settingsFile) place(flag *pflag.Flag, text string, sys system) string {
	folder := flag.Name == "judge" && (strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "~"))
	if !folder && !isPath(flag) || text == "" {
		return text
	}
	base := filepath.Dir(f.Path)
	if text = expand(text, sys); filepath.IsAbs(text) || base == "." {
		return text
	}
	return filepath.Join(base, text)
}

func (f settingsFile) fault(line int, format string, args ...any) error {
	return &config.Error{Path: f.Path, Line: line, Err: fmt.Errorf(format, args...)}
}

// safeSetting finds what must not be in a file that is shared with others.
func safeSetting(flag *pflag.Flag, text string) error {
	switch {
	case strings.HasSuffix(flag.Name, "api-key-env") && text != "" && !isVariable(text):
		return errors.New("want the name of an environment variable, such as OPENAI_API_KEY; " + keyAdvice)
	case strings.HasSuffix(flag.Name, "base-url") && hasUser(text):
		return errors.New("the URL holds a user or a password; " + variableOf(flag.Name) + " in the environment is the place for such a URL")
	case flag.Value.Type() == "bool" && text != "true" && text != "false":
		return errors.New("want true or false")
	}
	return nil
}
