package prompt

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	syntax "text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// MaxBytes is the maximum size of a template.
const MaxBytes = 1 << 20

//go:embed data/*.tmpl
var data embed.FS

// A builtin is a prompt included in the program. Its version must change with
// its text because it is part of cache keys.
type builtin struct {
	name     Name
	version  int
	required []string // fields required in the user message
	noSystem bool     // the system message may be empty
	text     []byte
}

// builtins returns the built-in prompts in the order in which a row uses them.
func builtins() []builtin {
	list := []builtin{
		{name: Claims, version: 1, required: []string{"Sentences"}},
		{name: Judge, version: 1, required: []string{"Contexts", "Claims"}},
		{name: JudgeWord, version: 1, required: []string{"Contexts", "Claims"}},
		{name: RagasClaims, version: 1, required: []string{"Answer"}},
		{name: RagasJudge, version: 1, required: []string{"Joined", "Claims"}},
		{name: RagEvals, version: 1, required: []string{"Contexts", "Sentences"}},
		{name: MiniCheck, version: 1, required: []string{"Document", "Claim"}},
		{name: Lynx, version: 1, required: []string{"Document", "Claim"}, noSystem: true},
		{name: Guardian, version: 1, noSystem: true},
		{name: DeepEvalTruths, version: 1, required: []string{"Contexts"}},
		{name: DeepEvalJudge, version: 1, required: []string{"Contexts", "Claims"}},
	}
	for i := range list {
		list[i].text, _ = data.ReadFile("data/" + list[i].file()) // tests ensure that it exists
	}
	return list
}

func (b builtin) file() string { return string(b.name) + ".tmpl" }

// Load returns the built-in prompts. A file in dir with the name of a prompt, such as judge.tmpl,
// replaces it; dir may be empty. Load parses and executes every template to report errors before
// the first request to a model. Each template must define "system" and "user", use only known
// fields, and include its required fields. Load fails if dir contains no .tmpl file or one with an
// unknown name.
func Load(dir string) (*Set, error) {
	list, replaced := builtins(), map[string][]byte{}
	if dir != "" {
		var err error
		if replaced, err = readDir(dir, list); err != nil {
			return nil, err
		}
	}
	s := &Set{templates: make(map[Name]*loadedPrompt, len(list))}
	for _, b := range list {
		file, text := b.file(), b.text
		if changed, ok := replaced[file]; ok {
			file, text = filepath.Join(dir, file), changed
		}
		parsed, err := parse(b, file, text)
		if err != nil {
			return nil, withFile(file, err)
		}
		s.templates[b.name] = &loadedPrompt{version: versionOf(b, text), text: string(text), parsed: parsed}
	}
	return s, nil
}

// readDir reads the templates in dir, by file name.
func readDir(dir string, list []builtin) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range list {
		names = append(names, b.file())
	}
	replaced := map[string][]byte{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".tmpl" {
			continue
		}
		if !slices.Contains(names, e.Name()) {
			return nil, fmt.Errorf("%s: unknown prompt; want one of %s", filepath.Join(dir, e.Name()), strings.Join(names, ", "))
		}
		if replaced[e.Name()], err = safefile.ReadFile(filepath.Join(dir, e.Name()), MaxBytes); err != nil {
			return nil, err
		}
	}
	if len(replaced) == 0 {
		return nil, fmt.Errorf("%s: no prompts found; want some of %s", dir, strings.Join(names, ", "))
	}
	return replaced, nil
}

func parse(b builtin, file string, text []byte) (*template.Template, error) {
	t, err := template.New(file).Option("missingkey=error").Funcs(disabledFuncs()).Parse(string(text))
	if err != nil {
		return nil, err
	}
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		if err := checkNodes(part.Root); err != nil {
			return nil, err
		}
	}
	for _, part := range []string{"system", "user"} {
		if t.Lookup(part) == nil {
			return nil, fmt.Errorf("missing template %q: add {{define %q}}…{{end}}", part, part)
		}
	}
	for i := range 4 {
		if err := checkTemplate(b, t, i&1 == 1, i&2 == 2); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// checkTemplate executes a template with markers instead of dataset texts. It
// rejects markers in the system message and missing markers in the user message.
func checkTemplate(b builtin, t *template.Template, strict, again bool) error {
	v := templateData{Strict: strict, Again: again}
	markers := v.texts()
	for name, text := range markers {
		*text = encoded("\x00" + name + "\x00")
	}
	text, err := execute(t, v, maxOutput)
	switch {
	case err != nil:
		return err
	case !b.noSystem && strings.TrimSpace(text.System) == "":
		return errors.New(`"system" is empty`)
	case strings.IndexByte(text.System, 0) >= 0:
		return errors.New(`"system" must not use dataset text; move it to "user"`)
	}
	for _, f := range b.required {
		if !strings.Contains(text.User, string(*markers[f])) {
			return fmt.Errorf("\"user\" does not use the field {{.%s}} (strict %t, again %t)", f, strict, again)
		}
	}
	return nil
}

// withFile adds the file name to an error of text/template, unless it is already included.
func withFile(file string, err error) error {
	msg := strings.TrimPrefix(err.Error(), "template: ")
	if !strings.HasPrefix(msg, file) {
		msg = file + ": " + msg
	}
	return errors.New(msg)
}

// Export writes the built-in prompts to dir, creating it if necessary, and returns their paths. If
// a file exists with different content, it writes nothing and returns an error.
func Export(dir string) ([]string, error) {
	list := builtins()
	var paths []string
	for _, b := range list {
		path := filepath.Join(dir, b.file())
		old, err := safefile.ReadFile(path, MaxBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !bytes.Equal(old, b.text):
			return nil, fmt.Errorf("%s: already exists with other content; remove it or choose another directory", path)
		}
		paths = append(paths, path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for i, b := range list {
		if err := safefile.WriteFile(paths[i], b.text, 0o644); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// maxOutput limits the bytes of output, not counting dataset texts: prompts may come from an
// untrusted repository.
const maxOutput = 64 << 20

// checkNodes rejects constructs that could run for a long time: loops, and calls of other
// templates. Templates only need to insert texts.
func checkNodes(lists ...*syntax.ListNode) error {
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, node := range l.Nodes {
			var err error
			switch n := node.(type) {
			case *syntax.RangeNode:
				return fmt.Errorf("line %d: {{range}} is not supported in prompts: lists are already encoded as text", n.Line)
			case *syntax.TemplateNode:
				return fmt.Errorf("line %d: {{template}} is not supported in prompts", n.Line)
			case *syntax.IfNode:
				err = checkNodes(n.List, n.ElseList)
			case *syntax.WithNode:
				err = checkNodes(n.List, n.ElseList)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// disabledFuncs returns replacements for functions that make texts longer.
// Nested calls of these could exhaust memory before anything is written.
func disabledFuncs() template.FuncMap {
	funcs := template.FuncMap{}
	for _, name := range []string{"print", "printf", "println", "html", "js", "urlquery"} {
		funcs[name] = func(...any) (string, error) {
			return "", fmt.Errorf("function %s is not supported in prompts", name)
		}
	}
	return funcs
}

// A limitedBuffer is a buffer that accepts at most limit bytes.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("output exceeds %d bytes", maxOutput)
	}
	return b.Buffer.Write(p)
}
