package llm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// CacheFile is the name of a cache's file in its folder.
const CacheFile = "replies.sqlite"

const (
	turnsFile        = "replies.turns" // empty: its bytes are locked and never written
	busyTimeout      = 2 * time.Second
	sqliteBusy       = 5
	maxCacheFailures = 3 // failures in a row after which a run goes on without
)

// A Cache holds replies and small values in one SQLite file, which several
// processes may use at once. It never fails a run: a file that is corrupt, locked
// or not to be written is told to warn, and after a few such failures the cache is
// off: nothing is found and nothing kept.
type Cache struct {
	path  string
	clock Clock
	warn  func(error)
	turns *turn

	mu     sync.Mutex
	db     *sql.DB
	failed int
	off    error
}

// OpenCache opens or makes the cache in folder dir (0700, the file 0600). warn is
// told what goes wrong; it may be called from any goroutine.
func OpenCache(ctx context.Context, dir string, c Clock, warn func(error)) *Cache {
	k := &Cache{path: filepath.Join(dir, CacheFile), clock: c, warn: warn, turns: &turn{clock: c, asking: map[string]chan struct{}{}}}
	if err := k.open(ctx, dir); err != nil {
		k.off = fmt.Errorf("cache %s: %w", k.path, err)
		k.warnIf(k.off)
	}
	return k
}

func (k *Cache) open(ctx context.Context, dir string) error {
	if err := safefile.MkdirPrivate(dir); err != nil {
		return err
	}
	if safefile.Exposed(dir) {
		k.warnIf(fmt.Errorf("cache %s: every user can write to its directory and replace replies", k.path))
	}
	if err := createDatabase(k.path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dataSource(k.path))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(8)
	for _, q := range []string{
		`PRAGMA journal_mode = WAL`, // it stays with the file
		`CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, value BLOB NOT NULL, made INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS items (space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID`,
	} {
		if err := k.execRetry(ctx, db, q); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	k.db = db
	// Without it each process asks for itself.
	if k.turns.file, err = safefile.OpenFile(filepath.Join(dir, turnsFile), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		k.turns.file = nil
	}
	return nil
}

// createDatabase sees to it that SQLite opens a file that is for its owner alone,
// and is no link to another one. SQLite gives the files beside it the same mode,
// and follows no symbolic link in their place.
func createDatabase(path string) error {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if err := safefile.CheckPath(path + end); err != nil {
			return err
		}
	}
	f, err := safefile.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil && runtime.GOOS != "windows" {
		return err
	}
	return nil
}

// execRetry runs q again while the file is busy: SQLite does not wait where two
// processes make a file at once.
func (k *Cache) execRetry(ctx context.Context, db *sql.DB, q string) error {
	for end := k.clock.Now().Add(2 * busyTimeout); ; {
		_, err := db.ExecContext(ctx, q)
		e, ok := errors.AsType[*sqlite.Error](err)
		if !ok || e.Code()&0xff != sqliteBusy || k.clock.Now().After(end) {
			return err
		}
		if err := k.clock.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

func dataSource(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: fmt.Sprintf(
		"_pragma=busy_timeout(%d)&_pragma=synchronous(NORMAL)&_txlock=immediate", busyTimeout.Milliseconds())}
	return u.String()
}

func (k *Cache) warnIf(err error) {
	if k.warn != nil {
		k.warn(err)
	}
}

// handle is the open database, or nil when the cache is off.
func (k *Cache) handle() *sql.DB {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.off != nil {
		return nil
	}
	return k.db
}

// note keeps count of failures; a canceled run is none.
func (k *Cache) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	var word error
	k.mu.Lock()
	switch {
	case err == nil:
		k.failed = 0
	case k.off == nil:
		if k.failed++; k.failed >= maxCacheFailures {
			k.off = fmt.Errorf("cache %s: off after %d failures: %w", k.path, k.failed, err)
			word = k.off
		} else if k.failed == 1 {
			word = fmt.Errorf("cache %s: %w", k.path, err)
		}
	}
	k.mu.Unlock()
	if word != nil {
		k.warnIf(word)
	}
}

// load finds one value. What fails is noted and not found.
func (k *Cache) load(ctx context.Context, query string, args ...any) (v []byte, ok bool) {
	db := k.handle()
	if db == nil {
		return nil, false
	}
	err := db.QueryRowContext(ctx, query, args...).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		k.note(ctx, nil)
		return nil, false
	}
	k.note(ctx, err)
	return v, err == nil
}

func (k *Cache) exec(ctx context.Context, query string, args ...any) {
	db := k.handle()
	if db == nil {
		return
	}
	_, err := db.ExecContext(ctx, query, args...)
	k.note(ctx, err)
}

// CacheStats is what a cache holds.
type CacheStats struct {
	Path           string
	Replies, Items int
	Bytes          int64 // of the file and those beside it
	Oldest         time.Time
}

// Stats counts. It fails where the cache can't be read.
func (k *Cache) Stats(ctx context.Context) (CacheStats, error) {
	s := CacheStats{Path: k.path}
	db := k.handle()
	if db == nil {
		return s, k.offError()
	}
	var oldest sql.NullInt64
	err := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM replies), (SELECT count(*) FROM items),
		(SELECT min(made) FROM (SELECT min(made) AS made FROM replies UNION ALL SELECT min(made) FROM items))`).Scan(&s.Replies, &s.Items, &oldest)
	if err != nil {
		return s, fmt.Errorf("cache %s: %w", k.path, err)
	}
	if oldest.Valid {
		s.Oldest = time.Unix(oldest.Int64, 0).UTC()
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(k.path + end); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s, nil
}

// Clear removes what is older than age, or everything with an age of 0, and says
// how many entries. With 0 a cache that can't be read is removed as a file.
func (k *Cache) Clear(ctx context.Context, age time.Duration) (int, error) {
	db := k.handle()
	if db == nil {
		if age > 0 {
			return 0, k.offError()
		}
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(k.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, err
			}
		}
		return 0, nil
	}
	before := k.clock.Now().Add(-age).Unix()
	if age <= 0 {
		before = 1 << 62
	}
	n := int64(0)
	for _, table := range []string{"replies", "items"} {
		res, err := db.ExecContext(ctx, `DELETE FROM `+table+` WHERE made < ?`, before)
		if err != nil {
			return int(n), fmt.Errorf("cache %s: %w", k.path, err)
		}
		if m, err := res.RowsAffected(); err == nil {
			n += m
		}
	}
	if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
		k.warnIf(fmt.Errorf("cache %s: its entries are gone, its room is not: %w", k.path, err))
	}
	return int(n), nil
}

func (k *Cache) offError() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.off
}

// Close writes what is pending and closes the file.
func (k *Cache) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.db == nil {
		return nil
	}
	err := k.db.Close()
	k.db = nil
	if k.turns.file != nil {
		_ = k.turns.file.Close() // nothing is ever written to it
	}
	if k.off == nil {
		k.off = fmt.Errorf("cache %s: closed", k.path)
	}
	return err
}
