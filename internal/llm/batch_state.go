package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	stateFile    = "state.json"
	stateVersion = 1
	maxState     = 256 << 20 // bytes, far more than thousands of parts take
)

// The phases of a batch run. Rounds of the first two follow each other until the
// last one.
const (
	phaseRecording = "recording" // requests are collected; nothing of the round is sent
	phaseSending   = "sending"   // the round's parts are sent, waited for and fetched
	phaseScoring   = "scoring"   // whatever is missing now is asked online
)

// The statuses of a part, each on the disk before what it names is begun.
const (
	partRecorded = "recorded" // the file of requests lies here
	partUploaded = "uploaded" // and on the server
	partCreating = "creating" // a batch of it may have been made
	partCreated  = "created"  // a batch of it was made
	partWaiting  = "waiting"  // the server had too much in its queue; others of the round are in it
	partFetched  = "fetched"  // the replies are in the store
)

// A batchState is all that a run has to know to go on with batches that another
// process submitted. It is written before and after each step that costs.
type batchState struct {
	Version  int             `json:"version"`
	Run      string          `json:"run"` // a random name; the server has it with each batch
	Settings json.RawMessage `json:"settings"`
	Rows     string          `json:"rows,omitempty"` // a hash of the dataset's rows
	Phase    string          `json:"phase"`
	Round    int             `json:"round"`   // from 1
	Form     form            `json:"form"`    // of the round's requests
	Learned  form            `json:"learned"` // by their refusals
	Parts    []*batchPart    `json:"parts,omitempty"`
}

// A batchPart is one file of requests and the batch that is made of it.
type batchPart struct {
	Name         string      `json:"name"` // "2.1": the first one of the second round
	Status       string      `json:"status"`
	Requests     int         `json:"requests"`
	Bytes        int64       `json:"bytes"`
	PromptTokens int         `json:"prompt_tokens"` // at most, by our count
	ReplyTokens  int         `json:"reply_tokens"`  // at most: the room that is asked for
	File         string      `json:"file,omitempty"`
	Try          int         `json:"try"` // how many batches of it the server has refused
	Batch        string      `json:"batch,omitempty"`
	Output       string      `json:"output_file,omitempty"`
	Failed       string      `json:"error_file,omitempty"`
	Replies      int         `json:"replies"`
	Misfit       bool        `json:"misfit"` // most were refused for their form
	Spent        usage.Usage `json:"spent"`  // as the server counts
}

// MarshalJSON keeps what a model takes over a restart.
func (f form) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedForm{
		int(f.format), int(f.tokenParam), f.maxOutput, f.schemaInPrompt, f.noTemperature, f.noSeed, f.noSystem, f.noBounds,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *form) UnmarshalJSON(b []byte) error {
	var s storedForm
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s.Format < int(bySchema) || s.Format > int(byPrompt) || s.Room < int(maxTokens) || s.Room > int(noMaxTokens) {
		return errors.New("an unknown form of requests")
	}
	*f = form{format(s.Format), tokenParam(s.Room), s.MaxOutputTokens, s.Told, s.NoTemperature, s.NoSeed, s.NoSystem, s.NoBrief}
	return nil
}

type storedForm struct {
	Format          int  `json:"format"`
	Room            int  `json:"room"`
	MaxOutputTokens int  `json:"max_room"`
	Told            bool `json:"told"`
	NoTemperature   bool `json:"no_temperature"`
	NoSeed          bool `json:"no_seed"`
	NoSystem        bool `json:"no_system"`
	NoBrief         bool `json:"no_brief"`
}

// readState is nil where there is no state.
func readState(folder string) (*batchState, error) {
	path := filepath.Join(folder, stateFile)
	content, err := safefile.ReadFile(path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s batchState
	if err := json.Unmarshal(content, &s); err != nil || s.Version != stateVersion || s.Run == "" || s.Round < 1 || !s.valid() {
		return nil, fmt.Errorf("%s does not hold the state of a batch that this version knows; to start over, remove %s", path, folder)
	}
	return &s, nil
}

// sound reports whether the names in s are such as this program and servers give.
// A state may have come with a repository, and its names become parts of the names
// of files and of URLs.
func (s *batchState) valid() bool {
	part, id := regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}$`), regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}$`)
	for _, p := range s.Parts {
		if p == nil || !part.MatchString(p.Name) {
			return false
		}
		for _, name := range []string{p.File, p.Batch, p.Output, p.Failed} {
			if name != "" && !id.MatchString(name) {
				return false
			}
		}
	}
	return true
}

// write puts s on the disk, whole or not at all.
func (s *batchState) write(folder string) error {
	content, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, stateFile)
	return safefile.WriteFile(path, append(content, '\n'), 0o600)
}

// submitted says that the server has something of the run.
func (s *batchState) submitted() bool {
	for _, p := range s.Parts {
		if p.File != "" {
			return true
		}
	}
	return false
}

// of lists the parts of a round.
func (s *batchState) of(round int) (parts []*batchPart) {
	for _, p := range s.Parts {
		if strings.HasPrefix(p.Name, strconv.Itoa(round)+".") {
			parts = append(parts, p)
		}
	}
	return parts
}

// requests counts those of a round.
func (s *batchState) requests(round int) (n int) {
	for _, p := range s.of(round) {
		n += p.Requests
	}
	return n
}

// spent is what all batches cost.
func (s *batchState) spent() (u usage.Usage) {
	for _, p := range s.Parts {
		u = u.Add(p.Spent)
	}
	return u
}

// BatchSubmitted says that a folder holds a batch that was submitted, and that no
// run has finished with.
func BatchSubmitted(folder string) bool {
	if _, err := os.Stat(filepath.Join(folder, stateFile)); err != nil {
		return false
	}
	s, err := readState(folder)
	return err != nil || s != nil && s.submitted()
}
