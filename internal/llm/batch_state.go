package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	stateFile     = "state.json"
	stateVersion  = 1
	maxStateBytes = 256 << 20 // far above the size for thousands of parts
)

// Phases of a batch run. Recording and sending alternate until scoring.
const (
	phaseRecording = "recording" // requests are recorded but not sent
	phaseSending   = "sending"   // parts are uploaded, polled and fetched
	phaseScoring   = "scoring"   // remaining requests are sent individually
)

// Statuses of a part.
const (
	partRecorded = "recorded" // the request file is complete on disk
	partUploaded = "uploaded" // the request file is on the server
	partCreating = "creating" // a batch may have been created
	partCreated  = "created"  // a batch was created
	partWaiting  = "waiting"  // waiting for other batches because the server's queue is full
	partFetched  = "fetched"  // the replies are in the store
)

// A batchState contains everything needed to resume the batches of another
// process. It is saved before and after each step that costs money.
type batchState struct {
	Version  int             `json:"version"`
	Run      string          `json:"run"` // random name, sent as metadata of each batch
	Settings json.RawMessage `json:"settings"`
	Rows     string          `json:"rows,omitempty"` // hash of the rows
	Phase    string          `json:"phase"`
	Round    int             `json:"round"`   // from 1
	Form     form            `json:"form"`    // form of this round's requests
	Learned  form            `json:"learned"` // form learned from rejections
	Parts    []*batchPart    `json:"parts,omitempty"`
}

// A batchPart is a file of requests and its batch.
type batchPart struct {
	Name         string      `json:"name"` // "2.1" is the first part of the second round
	Status       string      `json:"status"`
	Requests     int         `json:"requests"`
	Bytes        int64       `json:"bytes"`
	PromptTokens int         `json:"prompt_tokens"` // estimated maximum
	ReplyTokens  int         `json:"reply_tokens"`  // sum of output token limits
	File         string      `json:"file,omitempty"`
	Attempt      int         `json:"try"` // number of rejected batches so far
	Batch        string      `json:"batch,omitempty"`
	Output       string      `json:"output_file,omitempty"`
	Failed       string      `json:"error_file,omitempty"`
	Replies      int         `json:"replies"`
	FormRejected bool        `json:"misfit"` // most requests were rejected because of their form
	Usage        usage.Usage `json:"spent"`  // reported by the server
}

// readState returns the state in dir, or nil if there is none.
func readState(dir string) (*batchState, error) {
	path := filepath.Join(dir, stateFile)
	content, err := safefile.ReadFile(path, maxStateBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s batchState
	if err := json.Unmarshal(content, &s); err != nil || s.Version != stateVersion || s.Run == "" || s.Round < 1 || !s.isValid() {
		return nil, fmt.Errorf("%s is not a batch state of this version; to start over, remove %s", path, dir)
	}
	return &s, nil
}

// isValid checks the forms in s and its names, which become parts of file names and
// URLs. A state may come from an untrusted repository.
func (s *batchState) isValid() bool {
	for _, f := range []form{s.Form, s.Learned} {
		if f.Format < jsonSchema || f.Format > jsonInPrompt || f.TokenParam < maxTokens || f.TokenParam > noMaxTokens {
			return false
		}
	}
	partName, fileID := regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}$`), regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}$`)
	for _, p := range s.Parts {
		if p == nil || !partName.MatchString(p.Name) {
			return false
		}
		for _, name := range []string{p.File, p.Batch, p.Output, p.Failed} {
			if name != "" && !fileID.MatchString(name) {
				return false
			}
		}
	}
	return true
}

// write saves s atomically.
func (s *batchState) write(dir string) error {
	content, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return safefile.WriteFile(filepath.Join(dir, stateFile), append(content, '\n'), 0o600)
}

// submitted reports whether any request files were uploaded.
func (s *batchState) submitted() bool {
	return slices.ContainsFunc(s.Parts, func(p *batchPart) bool { return p.File != "" })
}

// partsOf returns the parts of a round.
func (s *batchState) partsOf(round int) (parts []*batchPart) {
	for _, p := range s.Parts {
		if strings.HasPrefix(p.Name, strconv.Itoa(round)+".") {
			parts = append(parts, p)
		}
	}
	return parts
}

// requestCount returns the number of requests of a round.
func (s *batchState) requestCount(round int) (n int) {
	for _, p := range s.partsOf(round) {
		n += p.Requests
	}
	return n
}

// usage returns the usage of all batches.
func (s *batchState) usage() (u usage.Usage) {
	for _, p := range s.Parts {
		u = u.Add(p.Usage)
	}
	return u
}

// BatchSubmitted reports whether dir contains an unfinished run with a
// submitted batch.
func BatchSubmitted(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, stateFile)); err != nil {
		return false
	}
	s, err := readState(dir)
	return err != nil || s != nil && s.submitted()
}
