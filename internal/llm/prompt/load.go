package prompt

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// MostBytes is how large a template may be.
const MostBytes = 1 << 20

//go:embed data/*.tmpl
var data embed.FS

// A builtin is a prompt that comes with the program. Its version goes up with
// every change of its text: replies in caches are kept by it.
type builtin struct {
	name    Name
	version int
	needs   []string // fields that its user message must show
	text    []byte
}

// builtins lists the prompts in the order of a row's way.
func builtins() ([]builtin, error) {
	list := []builtin{
		{name: Claims, version: 1, needs: []string{"Sentences"}},
		{name: Judge, version: 1, needs: []string{"Contexts", "Claims"}},
		{name: JudgeWord, version: 1, needs: []string{"Contexts", "Claims"}},
		{name: RagasClaims, version: 1, needs: []string{"Answer"}},
		{name: RagasJudge, version: 1, needs: []string{"Joined", "Claims"}},
		{name: RagEvals, version: 1, needs: []string{"Contexts", "Sentences"}},
	}
	for i := range list {
		text, err := data.ReadFile("data/" + list[i].file())
		if err != nil {
			return nil, err
		}
		list[i].text = text
	}
	return list, nil
}

func (b builtin) file() string { return string(b.name) + ".tmpl" }

// Load returns the prompts. A file of dir named after a prompt, such as
// judge.tmpl, takes the place of the one that is built in; with "" none does.
// Every template is parsed and tried here, so that an error (which names the
// file and, where there is one, the field) comes before anything is spent: each
// must define "system" and "user", use no field that there is not, and show the
// texts that it is about. A .tmpl file that is named after no prompt, and a
// folder without any, are errors too.
func Load(dir string) (*Set, error) {
	list, err := builtins()
	if err != nil {
		return nil, err
	}
	own := map[string][]byte{}
	if dir != "" {
		if own, err = readFolder(dir, list); err != nil {
			return nil, err
		}
	}
	s := &Set{templates: make(map[Name]*entry, len(list))}
	for _, b := range list {
		file, text := b.file(), b.text
		if changed, ok := own[file]; ok {
			file, text = filepath.Join(dir, file), changed
		}
		parsed, err := parse(b, file, text)
		if err != nil {
			return nil, err
		}
		s.templates[b.name] = &entry{version: versionOf(b, text), parsed: parsed}
	}
	return s, nil
}

// readFolder reads the templates of dir, by file name.
func readFolder(dir string, list []builtin) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	known := map[string]bool{}
	for _, b := range list {
		known[b.file()] = true
		names = append(names, b.file())
	}
	own := map[string][]byte{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".tmpl" {
			continue
		}
		if !known[e.Name()] {
			return nil, fmt.Errorf("%s: there is no such prompt; there are %s", filepath.Join(dir, e.Name()), strings.Join(names, ", "))
		}
		if own[e.Name()], err = safefile.ReadFile(filepath.Join(dir, e.Name()), MostBytes); err != nil {
			return nil, err
		}
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("%s: no prompt in it; a folder of prompts has some of %s", dir, strings.Join(names, ", "))
	}
	return own, nil
}

// parse reads a template and tries it.
func parse(b builtin, file string, text []byte) (*template.Template, error) {
	t, err := template.New(file).Option("missingkey=error").Funcs(refused()).Parse(string(text))
	if err != nil {
		return nil, inWords(file, err)
	}
	if err := checkSteps(t); err != nil {
		return nil, inWords(file, err)
	}
	for _, part := range []string{"system", "user"} {
		if t.Lookup(part) == nil {
			return nil, fmt.Errorf("%s: it does not define %q: write {{define %q}}…{{end}}", file, part, part)
		}
	}
	for i := range 4 {
		if err := try(b, file, t, i&1 == 1, i&2 == 2); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// try fills a template with marks in place of texts and looks for them.
func try(b builtin, file string, t *template.Template, strict, again bool) error {
	marks := map[string]encoded{}
	for _, f := range []string{"Question", "Answer", "Before", "Joined", "Sentences", "Contexts", "Claims"} {
		marks[f] = encoded("\x00" + f + "\x00")
	}
	v := view{
		Strict: strict, Again: again,
		Question: marks["Question"], Answer: marks["Answer"], Before: marks["Before"], Joined: marks["Joined"],
		Sentences: marks["Sentences"], Contexts: marks["Contexts"], Claims: marks["Claims"],
	}
	system, user := bounded{most: mostFilled}, bounded{most: mostFilled}
	if err := t.ExecuteTemplate(&system, "system", v); err != nil {
		return inWords(file, err)
	}
	if err := t.ExecuteTemplate(&user, "user", v); err != nil {
		return inWords(file, err)
	}
	if strings.TrimSpace(system.String()) == "" {
		return fmt.Errorf("%s: \"system\" is empty", file)
	}
	if bytes.IndexByte(system.Bytes(), 0) >= 0 {
		return fmt.Errorf("%s: \"system\" shows a text of the dataset: put it into \"user\"", file)
	}
	for _, f := range b.needs {
		if !strings.Contains(user.String(), string(marks[f])) {
			return fmt.Errorf("%s: \"user\" does not use the field {{.%s}} (strict %t, again %t)", file, f, strict, again)
		}
	}
	return nil
}

// inWords makes an error of text/template name the file once.
func inWords(file string, err error) error {
	msg := strings.TrimPrefix(err.Error(), "template: ")
	if !strings.HasPrefix(msg, file) {
		msg = file + ": " + msg
	}
	return errors.New(msg)
}

// Export writes the prompts that are built in to dir, which is made where there
// is none, and returns the paths of the files. A file that is there and has
// another text is an error, and then nothing is written.
func Export(dir string) ([]string, error) {
	list, err := builtins()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, b := range list {
		path := filepath.Join(dir, b.file())
		old, err := safefile.ReadFile(path, MostBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !bytes.Equal(old, b.text):
			return nil, fmt.Errorf("%s: it is there and was changed; remove it or choose another folder", path)
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
