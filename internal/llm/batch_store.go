package llm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"modernc.org/sqlite"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	stateFile     = "state.json"
	stateVersion  = 2
	maxStateBytes = 256 << 20 // far above the size for thousands of parts
)

// Statuses of a batch run. It starts again with the first for each round, until the last.
const (
	batchRecording = "recording" // requests are recorded but not sent
	batchRecorded  = "recorded"  // the request file is complete on disk
	batchUploaded  = "uploaded"  // the request file is on the server
	batchCreating  = "creating"  // a batch may have been created
	batchCreated   = "created"   // a batch was created
	batchScoring   = "scoring"   // remaining requests are sent individually
)

// A batchState contains everything needed to resume the batches of another
// process. It is saved before and after each step that costs money.
type batchState struct {
	Version  int             `json:"version"`
	Run      string          `json:"run"` // random name, sent as metadata of each batch
	Settings json.RawMessage `json:"settings"`
	Rows     string          `json:"rows,omitempty"` // hash of the rows
	Status   string          `json:"status"`
	Form     form            `json:"form"`            // form of this round's requests
	First    int             `json:"first"`           // requests of the first round
	Spent    usage.Usage     `json:"spent"`           // in earlier rounds, as reported by the server
	Files    []string        `json:"files,omitempty"` // ids of all files on the server

	// About this round.
	Round    int         `json:"round"` // from 1
	Requests int         `json:"requests"`
	Limit    usage.Usage `json:"limit"`           // maximum usage of the batch
	File     string      `json:"file,omitempty"`  // id of the request file
	Batch    string      `json:"batch,omitempty"` // id
	Attempt  int         `json:"try"`             // number of rejected batches so far
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

// isValid checks the form in s and its ids, which become parts of URLs. A state may come from an untrusted repository.
func (s *batchState) isValid() bool {
	if f := s.Form; f.Format < jsonSchema || f.Format > jsonInPrompt || f.TokenParam < maxTokens || f.TokenParam > noMaxTokens {
		return false
	}
	id := regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]{0,255})?$`)
	return !slices.ContainsFunc(append([]string{s.File, s.Batch}, s.Files...), func(text string) bool { return !id.MatchString(text) })
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
func (s *batchState) submitted() bool { return len(s.Files) > 0 }

// BatchSubmitted reports whether dir contains an unfinished run with a
// submitted batch.
func BatchSubmitted(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, stateFile)); err != nil {
		return false
	}
	s, err := readState(dir)
	return err != nil || s != nil && s.submitted()
}

// Request statuses in the store that are not HTTP statuses. 0 means that there is no usable
// reply yet, and -1 that there is more than one, or that the request is sent individually.
const statusFormRejected = -2 // form rejected, such as an unsupported response_format

const batchStoreFile = "requests.sqlite"

// A StoreError reports that the replies of a batch can't be read or stored. It
// ends the run, since continuing would pay for them again.
type StoreError struct {
	Path string
	Err  error
}

func (e *StoreError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// A batchStore is a SQLite file that contains the requests and replies of a
// batch run. Only one process can open it at a time.
type batchStore struct {
	path string
	db   *sql.DB
}

func openBatchStore(ctx context.Context, path string) (*batchStore, error) {
	if err := createPrivateFile(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, &StoreError{path, err}
	}
	db.SetMaxOpenConns(1) // this connection holds the lock
	s := &batchStore{path, db}
	const table = `requests (key BLOB PRIMARY KEY, round INTEGER NOT NULL, status INTEGER NOT NULL DEFAULT 0, body BLOB)`
	_, err = db.ExecContext(ctx, `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS `+table)
	// The file may come from an untrusted repository and contain a trigger or a view.
	var foreign int
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE sql != ?`, `CREATE TABLE `+table).Scan(&foreign)
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqliteBusy {
		err = errors.New("in use by another run")
	} else if err == nil && foreign > 0 {
		err = errors.New("not written by this program; to start over, remove it")
	}
	if err != nil {
		_ = db.Close()
		return nil, s.wrapError(ctx, err)
	}
	return s, nil
}

// wrapError adds the file name to err. It returns the error of ctx if ctx is
// done.
func (s *batchStore) wrapError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &StoreError{s.path, err}
}

func (s *batchStore) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.db.ExecContext(ctx, query, args...)
	return s.wrapError(ctx, err)
}

func (s *batchStore) deleteAll(ctx context.Context) error { return s.exec(ctx, `DELETE FROM requests`) }

func (s *batchStore) deleteRound(ctx context.Context, round int) error {
	return s.exec(ctx, `DELETE FROM requests WHERE round = ?`, round)
}

// deleteFormRejected deletes the requests whose form was rejected, so that they are
// recorded again.
func (s *batchStore) deleteFormRejected(ctx context.Context) error {
	return s.exec(ctx, `DELETE FROM requests WHERE status = ?`, statusFormRejected)
}

// keepFormRejected leaves the requests whose form was rejected to the last pass.
func (s *batchStore) keepFormRejected(ctx context.Context) error {
	return s.exec(ctx, `UPDATE requests SET status = -1 WHERE status = ?`, statusFormRejected)
}

// sync writes everything to disk, so that the store stays consistent with the
// state that is saved next, even after a power failure.
func (s *batchStore) sync(ctx context.Context) error {
	return s.exec(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
}

// add adds a request to a round and reports whether it was new.
func (s *batchStore) add(ctx context.Context, key []byte, round int) (bool, error) {
	res, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO requests (key, round) VALUES (?, ?)`, key, round)
	if err != nil {
		return false, s.wrapError(ctx, err)
	}
	n, err := res.RowsAffected()
	return n > 0, s.wrapError(ctx, err)
}

func (s *batchStore) get(ctx context.Context, key []byte) (status int, body []byte, ok bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT status, body FROM requests WHERE key = ?`, key).Scan(&status, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, false, nil
	}
	return status, body, err == nil, s.wrapError(ctx, err)
}

// putReply stores the reply to a request. A second reply also removes the first one,
// since either may be wrong. known is false if the request does not belong to the round.
type putReply func(l *batchLine) (known bool, err error)

// replaceReplies discards the replies of a round, calls store to write new ones,
// commits, and returns the number of requests with a reply.
func (s *batchStore) replaceReplies(ctx context.Context, round int, store func(putReply) error) (replies int, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, s.wrapError(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // no-op after Commit
	if _, err := tx.ExecContext(ctx, `UPDATE requests SET status = 0, body = NULL WHERE round = ?`, round); err != nil {
		return 0, s.wrapError(ctx, err)
	}
	update, err := tx.PrepareContext(ctx, `UPDATE requests SET status = iif(status = 0, ?, -1), body = iif(status = 0, ?, NULL) WHERE key = ? AND round = ?`)
	if err != nil {
		return 0, s.wrapError(ctx, err)
	}
	err = store(func(l *batchLine) (bool, error) {
		res, err := update.ExecContext(ctx, l.status, l.body, l.key, round)
		if err != nil {
			return false, s.wrapError(ctx, err)
		}
		n, err := res.RowsAffected()
		return n > 0, s.wrapError(ctx, err)
	})
	if err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM requests WHERE status = 200 AND round = ?`, round).Scan(&replies); err != nil {
		return 0, s.wrapError(ctx, err)
	}
	if err := tx.Commit(); err != nil {
		return 0, s.wrapError(ctx, err)
	}
	return replies, s.sync(ctx)
}
