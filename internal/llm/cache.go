package llm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
	busyTimeout      = 2 * time.Second
	maxCacheFailures = 3 // consecutive failures before the cache is disabled
)

// A Cache stores replies and small values in a SQLite file that several processes can share. It
// never fails a run. If the file is corrupt, locked or not writable, the cache calls warn and
// disables itself after repeated failures.
type Cache struct {
	path  string
	clock Clock
	warn  func(error)

	mu       sync.Mutex
	db       *sql.DB
	failures int
	disabled error
}

// OpenCache opens or creates the cache in dir (mode 0700, file mode 0600). warn
// is called with problems from any goroutine.
func OpenCache(ctx context.Context, dir string, clock Clock, warn func(error)) *Cache {
	c := &Cache{path: filepath.Join(dir, CacheFile), clock: clock, warn: warn}
	if err := c.open(ctx, dir); err != nil {
		c.disabled = fmt.Errorf("cache %s: %w", c.path, err)
		c.warn(c.disabled)
	}
	return c
}

func (c *Cache) open(ctx context.Context, dir string) error {
	if err := safefile.MkdirPrivate(dir); err != nil {
		return err
	}
	if safefile.Exposed(dir) {
		c.warn(fmt.Errorf("cache %s: every user can write to its directory and replace replies", c.path))
	}
	db, err := openSQLite(c.path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(8)
	for _, q := range []string{
		`PRAGMA journal_mode = WAL`,
		`CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, value BLOB NOT NULL, made INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS items (space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID`,
	} {
		if err := c.execRetry(ctx, db, q); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	c.db = db
	return nil
}

// openSQLite opens or creates the SQLite file at path, which only its owner can access and which is
// not a symbolic link. SQLite creates auxiliary files with the same mode and does not follow links.
func openSQLite(path string) (*sql.DB, error) {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := safefile.CheckPath(path + suffix); err != nil {
			return nil, err
		}
	}
	f, err := safefile.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil && runtime.GOOS != "windows" {
		return nil, err
	}
	return sql.Open("sqlite", dataSource(path))
}

// execRetry executes query, retrying while the file is busy: SQLite does not
// wait if two processes create a file at the same time.
func (c *Cache) execRetry(ctx context.Context, db *sql.DB, query string) error {
	for deadline := c.clock.Now().Add(2 * busyTimeout); ; {
		_, err := db.ExecContext(ctx, query)
		if !isBusy(err) || c.clock.Now().After(deadline) {
			return err
		}
		if err := c.clock.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// isBusy reports whether another process has locked a SQLite file.
func isBusy(err error) bool {
	const sqliteBusy = 5 // SQLITE_BUSY
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqliteBusy
}

// dataSource returns the URI for opening the SQLite file at path.
func dataSource(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // Windows drive letter
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: fmt.Sprintf(
		"_pragma=busy_timeout(%d)&_pragma=synchronous(NORMAL)&_txlock=immediate", busyTimeout.Milliseconds())}
	return u.String()
}

// database returns the open database, or the reason why the cache is disabled.
func (c *Cache) database() (*sql.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.db, c.disabled
}

// use calls f with the database, unless the cache is disabled. It disables the cache after
// several failures in a row, other than those of a canceled run.
func (c *Cache) use(ctx context.Context, f func(*sql.DB) error) {
	db, err := c.database()
	if err != nil {
		return
	}
	if err = f(db); ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.failures = 0
	case c.disabled == nil:
		switch c.failures++; c.failures {
		case 1:
			c.warn(fmt.Errorf("cache %s: %w", c.path, err))
		case maxCacheFailures:
			c.disabled = fmt.Errorf("cache %s: disabled after %d failures: %w", c.path, c.failures, err)
			c.warn(c.disabled)
		}
	}
}

// queryValue returns a single value. ok is false if it is missing or can't be read.
func (c *Cache) queryValue(ctx context.Context, query string, args ...any) (v []byte, ok bool) {
	c.use(ctx, func(db *sql.DB) error {
		err := db.QueryRowContext(ctx, query, args...).Scan(&v)
		if ok = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return v, ok
}

func (c *Cache) exec(ctx context.Context, query string, args ...any) {
	c.use(ctx, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, query, args...)
		return err
	})
}

// CacheStats describes the contents of a cache.
type CacheStats struct {
	Path           string
	Replies, Items int
	Bytes          int64 // includes SQLite's auxiliary files
	Oldest         time.Time
}

// Stats returns statistics about the cache, or an error if it can't be read.
func (c *Cache) Stats(ctx context.Context) (CacheStats, error) {
	s := CacheStats{Path: c.path}
	db, err := c.database()
	if err != nil {
		return s, err
	}
	var oldest sql.NullInt64
	err = db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM replies), (SELECT count(*) FROM items),
		(SELECT min(made) FROM (SELECT min(made) AS made FROM replies UNION ALL SELECT min(made) FROM items))`).Scan(&s.Replies, &s.Items, &oldest)
	if err != nil {
		return s, fmt.Errorf("cache %s: %w", c.path, err)
	}
	if oldest.Valid {
		s.Oldest = time.Unix(oldest.Int64, 0).UTC()
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(c.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s, nil
}

// Clear deletes entries older than age, or all entries if age is 0, and returns their number. If
// the cache can't be read and age is 0, Clear deletes its files.
func (c *Cache) Clear(ctx context.Context, age time.Duration) (int, error) {
	db, err := c.database()
	if err != nil {
		if age > 0 {
			return 0, err
		}
		return 0, safefile.Remove(c.path, c.path+"-wal", c.path+"-shm")
	}
	cutoff := c.clock.Now().Add(-age).Unix()
	if age <= 0 {
		cutoff = 1 << 62
	}
	n := int64(0)
	for _, table := range []string{"replies", "items"} {
		res, err := db.ExecContext(ctx, `DELETE FROM `+table+` WHERE made < ?`, cutoff)
		if err != nil {
			return int(n), fmt.Errorf("cache %s: %w", c.path, err)
		}
		if m, err := res.RowsAffected(); err == nil {
			n += m
		}
	}
	if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
		c.warn(fmt.Errorf("cache %s: entries were deleted, but the disk space was not freed: %w", c.path, err))
	}
	return int(n), nil
}

// Close closes the cache file.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	err := c.db.Close()
	c.db = nil
	if c.disabled == nil {
		c.disabled = fmt.Errorf("cache %s: closed", c.path)
	}
	return err
}
