package llm

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A batchState contains everything needed to resume the batches of another
// process. It is saved before and after each step that costs money.
type batchState struct {
	Settings json.RawMessage `json:"settings"`
	Rows     string          `json:"rows"`    // digest of the rows
	Form     form            `json:"form"`    // form of this round's requests
	First    int             `json:"first"`   // requests of the first round
	Spent    usage.Usage     `json:"spent"`   // in earlier rounds, as reported by the server
	Files    []string        `json:"files"`   // ids of all files on the server
	Scoring  bool            `json:"scoring"` // no round is left

	// The current round, which is one batch.
	Round    int    `json:"round"`    // from 0
	Requests int    `json:"requests"` // 0 until all are recorded
	Bytes    int64  `json:"bytes"`    // of the requests
	File     string `json:"file"`     // id; empty until the requests are uploaded
	Batch    string `json:"batch"`    // id; empty until the batch is known to exist
}

// isValid checks the form in s and its ids, which become parts of URLs. A state may come from
// an untrusted repository.
func (s *batchState) isValid() bool {
	if f := s.Form; f.Format < jsonSchema || f.Format > jsonInPrompt || f.TokenParam < maxTokens || f.TokenParam > noMaxTokens {
		return false
	}
	id := regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]{0,255})?$`)
	return !slices.ContainsFunc(append(slices.Clip(s.Files), s.File, s.Batch), func(text string) bool { return !id.MatchString(text) })
}

// A batchStore is a SQLite file that contains the state of a batch run, its requests and
// their replies. Only one process can open it at a time. No statement is interrupted, since
// that would end the transaction and unlock the file.
type batchStore struct {
	path string
	db   *sql.DB
}

const (
	batchStoreFile = "requests.sqlite"

	// A file with other tables is rejected, so that any change to these is a new version.
	stateTable = `state (id INTEGER PRIMARY KEY, version4 BLOB NOT NULL)`
	// A request is replaced by its reply.
	requestTable = `requests (key TEXT PRIMARY KEY, round INTEGER NOT NULL, request BLOB, reply BLOB)`
)

// openBatchStore opens or creates the store in dir, and returns its state, which is empty if
// none was saved.
func openBatchStore(ctx context.Context, dir string) (s *batchStore, state batchState, err error) {
	path := filepath.Join(dir, batchStoreFile)
	db, err := openSQLite(path)
	if err != nil {
		return nil, state, err
	}
	db.SetMaxOpenConns(1) // it holds the lock and the transaction
	s = &batchStore{path, db}
	if err = s.load(ctx, &state); err != nil {
		_ = db.Close()
	}
	return s, state, err
}

// load locks the store and reads its state.
func (s *batchStore) load(ctx context.Context, state *batchState) error {
	_, err := s.exec(ctx, `PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE;
		CREATE TABLE IF NOT EXISTS `+stateTable+`; CREATE TABLE IF NOT EXISTS `+requestTable+`; COMMIT`)
	if isBusy(err) {
		return &StoreError{s.path, errors.New("in use by another run")}
	}
	// The file may come from an untrusted repository and contain a trigger or a view.
	var foreign int
	if err == nil {
		err = s.get(ctx, `SELECT count(*) FROM sqlite_master WHERE sql NOT IN ('CREATE TABLE `+stateTable+`', 'CREATE TABLE `+requestTable+`')`, nil, &foreign)
	}
	if err == nil && foreign > 0 {
		err = &StoreError{s.path, errors.New("not written by this version: collect the batch with the version that submitted it, or remove the file to start over")}
	}
	if err != nil {
		return err
	}
	content := []byte("{}")
	if err := s.get(ctx, `SELECT version4 FROM state`, nil, &content); err != nil {
		return err
	}
	if json.Unmarshal(content, state) != nil || !state.isValid() {
		return fmt.Errorf("%s is not a batch state of this version; to start over, remove %s", s.path, filepath.Dir(s.path))
	}
	return nil
}

// exec executes statements and returns the number of rows that the last one changed.
func (s *batchStore) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	res, err := s.db.ExecContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return 0, &StoreError{s.path, err}
	}
	return res.RowsAffected()
}

// get reads the row that a query returns, if any.
func (s *batchStore) get(ctx context.Context, query string, args []any, into ...any) error {
	err := s.db.QueryRowContext(context.WithoutCancel(ctx), query, args...).Scan(into...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return &StoreError{s.path, err}
	}
	return nil
}

func (s *batchStore) save(ctx context.Context, state *batchState) error {
	content, err := json.Marshal(state)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `INSERT OR REPLACE INTO state VALUES (1, ?)`, content)
	return err
}

// requests returns the request file of a round, which must be closed.
func (s *batchStore) requests(ctx context.Context, round int) (io.ReadCloser, error) {
	rows, err := s.db.QueryContext(context.WithoutCancel(ctx), `SELECT request FROM requests WHERE round = ? ORDER BY rowid`, round)
	if err != nil {
		return nil, &StoreError{s.path, err}
	}
	reader, writer := io.Pipe()
	go func() {
		defer rows.Close()
		var line []byte
		for err == nil && rows.Next() {
			if err = rows.Scan(&line); err == nil {
				_, err = writer.Write(line)
			}
		}
		writer.CloseWithError(cmp.Or(err, rows.Err()))
	}()
	return reader, nil
}
