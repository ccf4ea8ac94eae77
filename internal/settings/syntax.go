package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// syntaxError says where a file is no YAML.
func syntaxError(path string, err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return &Error{Path: path, Err: err}
	}
	what := strings.Join(slices.DeleteFunc([]string{load.ContextMsg, load.Message}, func(s string) bool { return s == "" }), ": ")
	if began := load.ContextMark.Line; began > 0 && began != load.Mark.Line {
		what += fmt.Sprintf(" (it begins on line %d)", began)
	}
	return &Error{Path: path, Line: load.Mark.Line, Err: errors.New("this is no YAML: " + what)}
}
