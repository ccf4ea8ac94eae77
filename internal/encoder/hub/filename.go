package hub

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostPath      = 512 // bytes of a file's name with its folders
	mostComponent = 200 // bytes between two slashes; .part has to fit behind it
)

// checkFileName tells why a file's name, which a server chose, can't be used: a
// name is relative, has slashes between its parts, and means a place inside of
// the folder on every system.
func checkFileName(name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "it is empty"
	case len(name) > mostPath:
		reason, name = "it is too long", name[:mostPath]
	case !utf8.ValidString(name):
		reason = "it is not UTF-8"
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		reason = "it has control characters"
	case strings.ContainsAny(name, `\:`):
		reason = `it has a \ or a :`
	case !filepath.IsLocal(filepath.FromSlash(name)):
		reason = "it leads out of the folder"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case reason != "":
		case part == "" || part == "." || part == "..":
			reason = "it leads out of the folder"
		case len(part) > mostComponent:
			reason = "it is too long"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			reason = "a part of it ends in a dot or a blank" // which Windows drops
		}
	}
	if reason != "" {
		return fmt.Errorf("the server names a file %q: %s", name, reason)
	}
	return nil
}
