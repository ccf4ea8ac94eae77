package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
)

// A catalog lists the valid options of config files: the flags of all commands, and the
// commands that can have a section. It uses a separate command tree, so that flags can be
// set to validate values.
type catalog struct {
	sections map[string]*cobra.Command
	flags    map[string][]*pflag.Flag // by name; the flag of score is first
}

// newCatalog returns a catalog of all commands.
func newCatalog(sys system) *catalog {
	c := &catalog{sections: make(map[string]*cobra.Command), flags: make(map[string][]*pflag.Flag)}
	all := configurableCommands(newRoot(sys))
	if i := slices.IndexFunc(all, func(cmd *cobra.Command) bool { return cmd.Name() == "score" }); i >= 0 {
		score := all[i]
		all = slices.Insert(slices.Delete(all, i, i+1), 0, score)
	}
	for _, cmd := range all {
		if !cmd.Parent().HasParent() {
			c.sections[cmd.Name()] = cmd
		}
		for _, f := range optionsOf(cmd) {
			c.flags[f.Name] = append(c.flags[f.Name], f)
		}
	}
	return c
}

// optionsOf returns the flags of a command that a config file can set. A file can't name
// another.
func optionsOf(cmd *cobra.Command) []*pflag.Flag {
	return slices.DeleteFunc(flagsOf(cmd), func(f *pflag.Flag) bool { return f.Name == "config" })
}

// check returns all errors in a file, including those in options of other commands.
func (c *catalog) check(f *configFile, sys system) []error {
	var errs []error
	for _, e := range f.Entries {
		cmd, section := c.sections[e.Key]
		switch {
		case section && e.Value.Shape == shapeMapping:
			errs = append(errs, c.checkSection(f, cmd, e.Value.Entries, sys)...)
		case section && e.Value.Shape == shapeEmpty: // all options are commented out
		case section:
			errs = append(errs, f.errorf(e.Line, "%s: want options of this command, one per line", e.Key))
		case len(c.flags[e.Key]) == 0:
			errs = append(errs, f.errorf(e.Line, "%s", unknownOption(e.Key)))
		default:
			// At least one of the commands with this flag must accept the value.
			var mistakes []error
			for _, flag := range c.flags[e.Key] {
				mistakes = append(mistakes, f.set(flag, e, sys))
			}
			if !slices.Contains(mistakes, nil) {
				errs = append(errs, mistakes[0])
			}
		}
	}
	return errs
}

func (c *catalog) checkSection(f *configFile, cmd *cobra.Command, entries []configEntry, sys system) []error {
	names := namesOf(optionsOf(cmd), func(f *pflag.Flag) string { return f.Name })
	var errs []error
	for _, e := range entries {
		if !slices.Contains(names, e.Key) {
			errs = append(errs, f.errorf(e.Line, "%s: %s", cmd.Name(), unknownOption(e.Key)))
		} else if err := f.set(cmd.Flag(e.Key), e, sys); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// unknownOption returns the error message for an unknown key.
func unknownOption(name string) string {
	if isKeyName(name) {
		return name + ": " + keyAdvice
	}
	return "unknown option " + name
}

// apply sets the unset flags of cmd from its section and then from the top level. A key with
// the name of a command is always a section, even if cmd has a flag of that name.
func (c *catalog) apply(f *configFile, cmd *cobra.Command, sys system) (errs []error) {
	refused := false
	set := func(entries []configEntry, hint string) {
		for _, e := range entries {
			flag := cmd.Flag(e.Key)
			if flag == nil || flag.Changed {
				continue
			}
			if err := f.set(flag, e, sys); err != nil {
				errs = append(errs, fmt.Errorf("%w%s", err, hint))
			} else if f.found && !isHarmless(flag) {
				refused, errs = true, append(errs, f.errorf(e.Line, "%s: only a config file named by --config can set this", e.Key))
			}
			setOrigin(flag, fromFile, f.Path, strconv.Itoa(e.Line))
		}
	}
	for _, e := range f.Entries {
		if e.Value.Shape == shapeMapping && e.Key == cmd.Name() && !cmd.Parent().HasParent() {
			set(e.Value.Entries, "")
		}
	}
	top := slices.DeleteFunc(slices.Clone(f.Entries), func(e configEntry) bool { return c.sections[e.Key] != nil })
	set(top, " (for \""+cmd.CommandPath()+"\"; below \"score:\" it applies to score only)")
	if refused {
		errs = append(errs, fmt.Errorf("%s was found in this directory: read it, then use --config %[1]s, or --config none to ignore it", f.Path))
	}
	return errs
}

// set sets a flag to the value of an entry.
func (f *configFile) set(flag *pflag.Flag, e configEntry, sys system) error {
	texts, err := f.texts(flag, e)
	if err != nil {
		return err
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok && len(texts) == 0 {
		return list.Replace(nil)
	}
	for _, t := range texts {
		err := checkSecret(flag, t.Text)
		if err == nil {
			err = flag.Value.Set(f.resolvePath(flag, t.Text, sys))
		}
		if err != nil {
			return f.errorf(t.Line, "%s: %w", e.Key, err)
		}
	}
	return nil
}

// texts returns the values to pass to a flag for an entry.
func (f *configFile) texts(flag *pflag.Flag, e configEntry) ([]configValue, error) {
	_, list := flag.Value.(pflag.SliceValue)
	switch v := e.Value; {
	case v.Shape == shapeScalar:
		return []configValue{v}, nil
	case v.Shape == shapeEmpty:
		return nil, f.errorf(e.Line, "%s: missing value", e.Key)
	case v.Shape == shapeList && list:
		for _, item := range v.Items {
			if item.Shape != shapeScalar {
				return nil, f.errorf(item.Line, "%s: want a list of strings", e.Key)
			}
		}
		return v.Items, nil
	case v.Shape == shapeMapping && list && takesPairs(flag):
		var texts []configValue
		for _, pair := range v.Entries {
			if pair.Value.Shape != shapeScalar {
				return nil, f.errorf(pair.Line, "%s: %s: want a string", e.Key, pair.Key)
			}
			texts = append(texts, configValue{Shape: shapeScalar, Line: pair.Line, Text: pair.Key + "=" + pair.Value.Text})
		}
		return texts, nil
	case list:
		return nil, f.errorf(e.Line, "%s: want a string or a list of strings", e.Key)
	case v.Shape == shapeMapping:
		return nil, f.errorf(e.Line, "%s: want a single value; put JSON in quotes", e.Key)
	}
	return nil, f.errorf(e.Line, "%s: want a single value", e.Key)
}

// resolvePath resolves a path relative to the directory of the config file, so that it
// does not depend on the working directory. A judge is a path if it starts with ./, ../
// or ~.
func (f *configFile) resolvePath(flag *pflag.Flag, text string, sys system) string {
	isJudgePath := flag.Name == "judge" && (strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "~"))
	if !isJudgePath && !isPath(flag) || text == "" {
		return text
	}
	base := filepath.Dir(f.Path)
	if text = hub.Environment(sys.Getenv).ExpandHome(text); filepath.IsAbs(text) || base == "." {
		return text
	}
	return filepath.Join(base, text)
}

// checkSecret returns an error for a value that may contain a secret, because config files
// are often shared.
func checkSecret(flag *pflag.Flag, text string) error {
	switch {
	case strings.HasSuffix(flag.Name, "api-key-env") && text != "" && !isVariable(text):
		return errors.New("want the name of an environment variable, such as OPENAI_API_KEY; " + keyAdvice)
	case flag.Name == "header" && !strings.Contains(text, "$"):
		if name, _, _ := strings.Cut(text, ":"); isKeyName(strings.TrimSpace(name)) || strings.EqualFold(strings.TrimSpace(name), "cookie") {
			return errors.New("want the value from the environment, such as 'Authorization: Bearer $TOKEN'; keys are not allowed in a config file")
		}
	case strings.HasSuffix(flag.Name, "base-url") && hasUser(text):
		return errors.New("the URL contains a user or a password; set it with " + variableOf(flag.Name) + " in the environment instead")
	case flag.Value.Type() == "bool" && text != "true" && text != "false":
		return errors.New("want true or false")
	}
	return nil
}

// keyAdvice completes errors about API keys in a config file.
const keyAdvice = "keys are not allowed in a config file: set an environment variable, and name it with api-key-env"

var (
	keyName      = regexp.MustCompile(`(?i)(^|[-_])(api-?key|authorization|bearer|key|token|secret|password|credentials)$`)
	variableName = regexp.MustCompile(`^([A-Z_][A-Z0-9_]*)?$`)
)

// isKeyName reports whether the name of an unknown option suggests an API key.
func isKeyName(name string) bool { return keyName.MatchString(name) }

// isVariable reports whether text is the name of an environment variable in capital letters.
// Keys have other letters, too.
func isVariable(text string) bool { return variableName.MatchString(text) }

// hasUser reports whether a URL contains a password or a user name, which may be a key.
func hasUser(text string) bool {
	u, err := url.Parse(text)
	if err != nil { // rejected later, but must not be printed
		return strings.Contains(text, "@")
	}
	return u.User != nil
}
