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

// What a batch's store has of a request, where it is no HTTP status.
const (
	noReply = 0  // asked, and nothing came back that could be used
	doubled = -1 // two replies came
	misfit  = -2 // refused for its form, as for a response_format

	batchStoreFile = "requests.sqlite"
)

// A StoreError says that what a batch brought can't be read or kept. It ends the
// run: to go on would be to pay again.
type StoreError struct {
	Path string
	Err  error
}

func (e *StoreError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap is the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// A batchStore holds, in one SQLite file, which requests were put into which part
// of a batch run, and what came back. Only one process can have it open.
type batchStore struct {
	path string
	db   *sql.DB
}

// An answered request is what the store has of one.
type answered struct {
	status int
	body   []byte
}

func openBatchStore(ctx context.Context, path string) (*batchStore, error) {
	if err := createDatabase(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, &StoreError{path, err}
	}
	db.SetMaxOpenConns(1) // which holds the lock
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
				return nil, &StoreError{path, errors.New("another run uses it")}
			}
			return nil, s.fault(ctx, err)
		}
	}
	// The file may have come with a repository, and a trigger or a view in it would
	// run whenever something is stored.
	var foreign int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE sql NOT IN (?, ?)`, `CREATE TABLE `+table, `CREATE INDEX `+index).Scan(&foreign)
	if err == nil && foreign > 0 {
		err = errors.New("was not written by this program; to start over, remove it")
	}
	if err != nil {
		_ = db.Close()
		return nil, s.fault(ctx, err)
	}
	return s, nil
}

// empty forgets all requests and replies.
func (s *batchStore) empty(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests`)
	return s.fault(ctx, err)
}

// fault names the file, unless it was the caller who ended.
func (s *batchStore) fault(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &StoreError{s.path, err}
}

// add puts a request into a part, and says whether it was in none before.
func (s *batchStore) add(ctx context.Context, key []byte, part string) (bool, error) {
	res, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO requests (key, part) VALUES (?, ?)`, key, part)
	if err != nil {
		return false, s.fault(ctx, err)
	}
	n, err := res.RowsAffected()
	return n > 0, s.fault(ctx, err)
}

// get is what there is of a request.
func (s *batchStore) get(ctx context.Context, key []byte) (a answered, ok bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT status, body FROM requests WHERE key = ?`, key).Scan(&a.status, &a.body)
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	return a, err == nil, s.fault(ctx, err)
}

// forget takes the requests of a round out again.
func (s *batchStore) forget(ctx context.Context, round int) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests WHERE part LIKE ?`, fmt.Sprintf("%d.%%", round))
	return s.fault(ctx, err)
}

// A partFill writes what came back for one part. All of it counts or nothing.
type partFill struct {
	s      *batchStore
	tx     *sql.Tx
	part   string
	update *sql.Stmt
	again  *sql.Stmt
}

// fill calls with for a part that has no replies, whatever an earlier call left.
func (s *batchStore) fill(ctx context.Context, part string, with func(*partFill) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.fault(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	f := &partFill{s: s, tx: tx, part: part}
	if _, err = tx.ExecContext(ctx, `UPDATE requests SET status = 0, body = NULL WHERE part = ?`, part); err == nil {
		f.update, err = tx.PrepareContext(ctx, `UPDATE requests SET status = ?, body = ? WHERE key = ? AND part = ? AND status = 0`)
	}
	if err == nil {
		f.again, err = tx.PrepareContext(ctx, `UPDATE requests SET status = -1, body = NULL WHERE key = ? AND part = ?`)
	}
	if err != nil {
		return s.fault(ctx, err)
	}
	if err := with(f); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return s.fault(ctx, err)
	}
	return s.sync(ctx)
}

// sync puts everything on the disk. The state that is written next says that it is
// there, also after a power cut.
func (s *batchStore) sync(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.fault(ctx, err)
}

// put keeps what came back for a request. A second reply to one takes the first
// away as well: nobody knows which of the two is meant. It reports whether the
// request is of this part.
func (f *partFill) put(ctx context.Context, key []byte, status int, body []byte) (known bool, err error) {
	res, err := f.update.ExecContext(ctx, status, body, key, f.part)
	if err != nil {
		return false, f.s.fault(ctx, err)
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return true, f.s.fault(ctx, err)
	}
	if res, err = f.again.ExecContext(ctx, key, f.part); err != nil {
		return false, f.s.fault(ctx, err)
	}
	n, err := res.RowsAffected()
	return n > 0, f.s.fault(ctx, err)
}

// count is how many requests of the part have a reply, and how many were refused
// for their form.
func (f *partFill) count(ctx context.Context) (replies, misfits int, err error) {
	err = f.tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE status = 200), count(*) FILTER (WHERE status = ?) FROM requests WHERE part = ?`,
		misfit, f.part).Scan(&replies, &misfits)
	return replies, misfits, f.s.fault(ctx, err)
}

// release takes those of a part that were refused for their form out again, so
// that they are asked anew.
func (s *batchStore) release(ctx context.Context, part string) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM requests WHERE part = ? AND status = ?`, part, misfit)
	return s.fault(ctx, err)
}

func (s *batchStore) close() error { return s.db.Close() }

// delete removes the file of a closed store.
func (s *batchStore) delete() error {
	for _, end := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(s.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
