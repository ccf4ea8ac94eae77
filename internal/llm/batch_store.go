package llm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
)

// Request statuses in the store that are not HTTP statuses.
const (
	statusNoReply      = 0  // recorded, without a usable reply
	statusDuplicate    = -1 // more than one reply
	statusFormRejected = -2 // form rejected, such as an unsupported response_format

	batchStoreFile = "requests.sqlite"
)

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

// A storedResult is the response to a request in the store.
type storedResult struct {
	status int
	body   []byte
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
	const table = `requests (key BLOB PRIMARY KEY, part TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0, body BLOB)`
	const index = `parts ON requests (part)`
	for _, q := range []string{
		`PRAGMA locking_mode = EXCLUSIVE`,
		`PRAGMA journal_mode = WAL`,
		`CREATE TABLE IF NOT EXISTS ` + table,
		`CREATE INDEX IF NOT EXISTS ` + index,
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			_ = db.Close()
			if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqliteBusy {
				return nil, &StoreError{path, errors.New("in use by another run")}
			}
			return nil, s.wrapError(ctx, err)
		}
	}
	// The file may come from an untrusted repository and contain a trigger or a view.
	var foreign int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE sql NOT IN (?, ?)`, `CREATE TABLE `+table, `CREATE INDEX `+index).Scan(&foreign)
	if err == nil && foreign > 0 {
		err = errors.New("not written by this program; to start over, remove it")
	}
	if err != nil {
		_ = db.Close()
		return nil, s.wrapError(ctx, err)
	}
	return s, nil
}

// deleteAll deletes all requests and replies.
func (s *batchStore) deleteAll(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests`)
	return s.wrapError(ctx, err)
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

// add adds a request to a part and reports whether it was new.
func (s *batchStore) add(ctx context.Context, key []byte, part string) (bool, error) {
	res, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO requests (key, part) VALUES (?, ?)`, key, part)
	if err != nil {
		return false, s.wrapError(ctx, err)
	}
	n, err := res.RowsAffected()
	return n > 0, s.wrapError(ctx, err)
}

// get returns the stored result of a request.
func (s *batchStore) get(ctx context.Context, key []byte) (a storedResult, ok bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT status, body FROM requests WHERE key = ?`, key).Scan(&a.status, &a.body)
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	return a, err == nil, s.wrapError(ctx, err)
}

// deleteRound deletes the requests of a round.
func (s *batchStore) deleteRound(ctx context.Context, round int) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests WHERE part LIKE ?`, fmt.Sprintf("%d.%%", round))
	return s.wrapError(ctx, err)
}

// A replyWriter stores the replies of one part in a transaction.
type replyWriter struct {
	store  *batchStore
	tx     *sql.Tx
	part   string
	update *sql.Stmt
}

// replaceReplies discards the replies of a part, calls store to write new ones,
// and commits.
func (s *batchStore) replaceReplies(ctx context.Context, part string, store func(*replyWriter) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.wrapError(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // no-op after Commit
	f := &replyWriter{store: s, tx: tx, part: part}
	if _, err = tx.ExecContext(ctx, `UPDATE requests SET status = 0, body = NULL WHERE part = ?`, part); err == nil {
		f.update, err = tx.PrepareContext(ctx, `UPDATE requests SET status = iif(status = 0, ?, -1), body = iif(status = 0, ?, NULL) WHERE key = ? AND part = ?`)
	}
	if err != nil {
		return s.wrapError(ctx, err)
	}
	if err := store(f); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return s.wrapError(ctx, err)
	}
	return s.sync(ctx)
}

// sync writes everything to disk, so that the store stays consistent with the
// state that is saved next, even after a power failure.
func (s *batchStore) sync(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.wrapError(ctx, err)
}

// put stores the reply to a request. A second reply also removes the first one,
// since either may be wrong. known is false if the request does not belong to
// this part.
func (f *replyWriter) put(ctx context.Context, key []byte, status int, body []byte) (known bool, err error) {
	res, err := f.update.ExecContext(ctx, status, body, key, f.part)
	if err != nil {
		return false, f.store.wrapError(ctx, err)
	}
	n, err := res.RowsAffected()
	return n > 0, f.store.wrapError(ctx, err)
}

// counts returns the number of requests of the part with a reply, and the
// number whose form was rejected.
func (f *replyWriter) counts(ctx context.Context) (replies, misfits int, err error) {
	err = f.tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE status = 200), count(*) FILTER (WHERE status = ?) FROM requests WHERE part = ?`,
		statusFormRejected, f.part).Scan(&replies, &misfits)
	return replies, misfits, f.store.wrapError(ctx, err)
}

// deleteFormRejected deletes the requests of a part whose form was rejected, so
// that they are recorded again.
func (s *batchStore) deleteFormRejected(ctx context.Context, part string) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests WHERE part = ? AND status = ?`, part, statusFormRejected)
	return s.wrapError(ctx, err)
}

func (s *batchStore) close() error { return s.db.Close() }

// deleteFiles deletes the files of a closed store.
func (s *batchStore) deleteFiles() error {
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
