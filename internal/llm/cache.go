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

// CacheFile is the name of the cache file in its directory.
const CacheFile = "replies.sqlite"

const (
	lockFile         = "replies.turns" // empty: only used for byte range locks
	busyTimeout      = 2 * time.Second
	sqliteBusy       = 5
	maxCacheFailures = 3 // consecutive failures after which the cache is disabled
)

// A Cache stores replies and small values in a SQLite file that several processes can
// share. It never fails a run: if the file is corrupt, locked or not writable, it calls
// warn, and after a few failures the cache is disabled.
type Cache struct {
	path  string
	clock Clock
	warn  func(error)
	locks *keyLocks

	mu       sync.Mutex
	db       *sql.DB
	failures int
	disabled error
}

// OpenCache opens or creates the cache in directory dir (mode 0700, file mode 0600).
// warn is called with problems, from any goroutine.
func OpenCache(ctx context.Context, dir string, c Clock, warn func(error)) *Cache {
	k := &Cache{path: filepath.Join(dir, CacheFile), clock: c, warn: warn, locks: &keyLocks{clock: c, held: map[string]chan struct{}{}}}
	if err := k.open(ctx, dir); err != nil {
		k.disabled = fmt.Errorf("cache %s: %w", k.path, err)
		k.warnIfSet(k.disabled)
	}
	return k
}

func (k *Cache) open(ctx context.Context, dir string) error {
	if err := safefile.MkdirPrivate(dir); err != nil {
		return err
	}
	if safefile.Exposed(dir) {
		k.warnIfSet(fmt.Errorf("cache %s: every user can write to its directory and replace replies", k.path))
	}
	if err := createPrivateFile(k.path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dataSource(k.path))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(8)
	for _, q := range []string{
		`PRAGMA journal_mode = WAL`, // persistent
		`CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, value BLOB NOT NULL, made INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS items (space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID`,
	} {
		if err := k.execRetry(ctx, db, q); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	k.db = db
	// Without the lock file each process sends its own requests.
	if k.locks.file, err = safefile.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		k.locks.file = nil
	}
	return nil
}

// createPrivateFile makes sure that SQLite opens a file that only its owner can access and
// that is not a symbolic link. SQLite creates the files beside it with the same mode and
// does not follow links in their place.
func createPrivateFile(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := safefile.CheckPath(path + suffix); err != nil {
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

// execRetry repeats q while the file is busy: SQLite does not wait if two processes
// create a file at the same time.
func (k *Cache) execRetry(ctx context.Context, db *sql.DB, query string) error {
	for deadline := k.clock.Now().Add(2 * busyTimeout); ; {
		_, err := db.ExecContext(ctx, query)
		e, ok := errors.AsType[*sqlite.Error](err)
		if !ok || e.Code()&0xff != sqliteBusy || k.clock.Now().After(deadline) {
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

func (k *Cache) warnIfSet(err error) {
	if k.warn != nil {
		k.warn(err)
	}
}

// database returns the open database, or nil if the cache is disabled.
func (k *Cache) database() *sql.DB {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.disabled != nil {
		return nil
	}
	return k.db
}

// recordResult counts consecutive failures, except in a canceled run.
func (k *Cache) recordResult(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	var warning error
	k.mu.Lock()
	switch {
	case err == nil:
		k.failures = 0
	case k.disabled == nil:
		if k.failures++; k.failures >= maxCacheFailures {
			k.disabled = fmt.Errorf("cache %s: disabled after %d failures: %w", k.path, k.failures, err)
			warning = k.disabled
		} else if k.failures == 1 {
			warning = fmt.Errorf("cache %s: %w", k.path, err)
		}
	}
	k.mu.Unlock()
	if warning != nil {
		k.warnIfSet(warning)
	}
}

// queryValue returns one value. It records errors and reports them as missing values.
func (k *Cache) queryValue(ctx context.Context, query string, args ...any) (v []byte, ok bool) {
	db := k.database()
	if db == nil {
		return nil, false
	}
	err := db.QueryRowContext(ctx, query, args...).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		k.recordResult(ctx, nil)
		return nil, false
	}
	k.recordResult(ctx, err)
	return v, err == nil
}

func (k *Cache) exec(ctx context.Context, query string, args ...any) {
	db := k.database()
	if db == nil {
		return
	}
	_, err := db.ExecContext(ctx, query, args...)
	k.recordResult(ctx, err)
}

// CacheStats describes the content of a cache.
type CacheStats struct {
	Path           string
	Replies, Items int
	Bytes          int64 // including the files beside the database
	Oldest         time.Time
}

// Stats returns the content of the cache, or an error if it can't be read.
func (k *Cache) Stats(ctx context.Context) (CacheStats, error) {
	s := CacheStats{Path: k.path}
	db := k.database()
	if db == nil {
		return s, k.disabledError()
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
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(k.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s, nil
}

// Clear removes entries older than age, or all with an age of 0, and returns how many.
// With an age of 0 it deletes the file of a cache that can't be read.
func (k *Cache) Clear(ctx context.Context, age time.Duration) (int, error) {
	db := k.database()
	if db == nil {
		if age > 0 {
			return 0, k.disabledError()
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(k.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, err
			}
		}
		return 0, nil
	}
	cutoff := k.clock.Now().Add(-age).Unix()
	if age <= 0 {
		cutoff = 1 << 62
	}
	n := int64(0)
	for _, table := range []string{"replies", "items"} {
		res, err := db.ExecContext(ctx, `DELETE FROM `+table+` WHERE made < ?`, cutoff)
		if err != nil {
			return int(n), fmt.Errorf("cache %s: %w", k.path, err)
		}
		if m, err := res.RowsAffected(); err == nil {
			n += m
		}
	}
	if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
		k.warnIfSet(fmt.Errorf("cache %s: entries were deleted, but the disk space was not freed: %w", k.path, err))
	}
	return int(n), nil
}

func (k *Cache) disabledError() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.disabled
}

// Close closes the cache file.
func (k *Cache) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.db == nil {
		return nil
	}
	err := k.db.Close()
	k.db = nil
	if k.locks.file != nil {
		_ = k.locks.file.Close() // nothing is ever written to it
	}
	if k.disabled == nil {
		k.disabled = fmt.Errorf("cache %s: closed", k.path)
	}
	return err
}
