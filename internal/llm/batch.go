package llm

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// BatchOptions configure a Batch.
type BatchOptions struct {
	Dir          string                           // state directory, created if necessary
	Settings     json.RawMessage                  // of the run; those of a resumed one replace them
	PollInterval time.Duration                    // interval between status requests
	Notify       func(format string, args ...any) // called with what happens
}

// A Pass processes all rows once with ask as the model. A row whose error satisfies
// IsDeferred is left to a later pass.
type Pass func(ctx context.Context, ask Completer) error

// A Batch sends the requests of a run through a server's Batch API, which costs half as much and
// can last up to a day. Some requests of a row depend on earlier replies, so a batch needs several
// passes over the rows. Each round begins with a recording pass: it stores requests without a
// reply, up to the limits of a file, and defers their rows. The file is uploaded and becomes a
// batch, whose replies are stored in place of the requests. When few requests remain, the last pass
// is an ordinary run that reads replies from the store and sends the remaining requests
// individually. All replies are parsed by the same code, so the results do not depend on batching.
//
// Each step that costs money is recorded on disk before it starts. After a crash, the next
// process finds a batch by its recorded id, or on the server by that of its file.
//
// Only Complete may be called concurrently, and only Close after an error.
type Batch struct {
	BatchOptions
	Resumed bool // the run was started by another process

	stack       *Stack
	store       *batchStore
	state       batchState
	maxRequests int // in a file
	maxBytes    int64

	mu      sync.Mutex // held to record a request
	maxCost amount     // of the recorded requests
}

// Limits of a request file in OpenAI's Batch API.
const (
	maxBatchRequests = 50_000
	maxBatchBytes    = 200_000_000
)

// OpenBatch starts a batch run in a directory, or resumes the unfinished one there. It sends no
// requests. It returns a *StoreError if another process uses the directory.
func (s *Stack) OpenBatch(ctx context.Context, opts BatchOptions) (*Batch, error) {
	if info, err := os.Lstat(opts.Dir); err == nil && !info.IsDir() { // a symbolic link may come from a repository
		return nil, &StoreError{opts.Dir, errors.New("is not a directory")}
	}
	if err := safefile.MkdirPrivate(opts.Dir); err != nil {
		return nil, err
	}
	if safefile.Exposed(opts.Dir) {
		opts.Notify("warning: every user can write to %s and replace replies", opts.Dir)
	}
	store, state, err := openBatchStore(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	resumed := len(state.Files) > 0
	if !resumed { // never use replies of another run
		state = batchState{Settings: opts.Settings}
		if _, err := store.exec(ctx, `DELETE FROM state; DELETE FROM requests`); err != nil {
			return nil, errors.Join(err, store.db.Close())
		}
	}
	opts.Settings = state.Settings
	return &Batch{
		BatchOptions: opts, Resumed: resumed,
		stack: s, store: store, state: state, maxRequests: maxBatchRequests, maxBytes: maxBatchBytes,
	}, nil
}

// CheckNoBatch returns an error if dir is the state directory of a batch that may be submitted,
// which a run that does not resume it would pay for again.
func CheckNoBatch(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, batchStoreFile)); err != nil {
		return nil //nolint:nilerr // there is no batch
	}
	return errors.New(dir + " may have a submitted batch: collect it with --batch --resume, or remove the directory")
}

// CheckRows returns an error if rows, a digest of the rows, differs from that of earlier passes.
func (b *Batch) CheckRows(rows string) error {
	if b.state.Rows != "" && b.state.Rows != rows {
		return errors.New("the dataset has changed since the batch in " + b.Dir + " was submitted; to start over, remove the directory")
	}
	b.state.Rows = rows
	return nil
}

// Submitted reports whether any requests of the run were uploaded.
func (b *Batch) Submitted() bool { return len(b.state.Files) > 0 }

// cost returns the cost of tokens in a batch.
func (b *Batch) cost(prompt, reply int) amount {
	c := b.stack.Client.price.cost(prompt, reply)
	c.usd *= BatchFactor()
	return c
}

// Completer returns the Completer for the last pass: the stack, with a lookup
// in the store before the client.
func (b *Batch) Completer() Completer { return b.stack.wrap(b, true) }

// Complete returns the reply from the store. If there is none, the last pass sends the request. A
// recording pass stores it, unless it is left to a later pass, and returns errDeferred.
func (b *Batch) Complete(ctx context.Context, r *Request) (*Reply, error) {
	key := base64.RawURLEncoding.EncodeToString(requestKey(b.stack.Client.Endpoint(), b.stack.Client.ModelKey(), r))
	if reply, err := b.replay(ctx, key, r); !IsDeferred(err) {
		return reply, err
	}
	if b.state.Scoring {
		return b.stack.Client.Complete(ctx, r)
	}
	line, err := b.line(key, r)
	if err != nil {
		return nil, err
	}
	var size Size
	if b.stack.Client.sender.budget.isLimited() {
		size = b.stack.Tokens.Request(r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s, n := &b.state, int64(len(line))
	if s.Requests >= b.maxRequests || s.Bytes+n > b.maxBytes { // left to the next file
		return nil, errDeferred
	}
	added, err := b.store.exec(ctx, `INSERT OR IGNORE INTO requests (key, round, request) VALUES (?, ?, ?)`, key, s.Round, line)
	if added > 0 { // no other row has sent the same request
		s.Requests, s.Bytes = s.Requests+1, s.Bytes+n
		b.maxCost = b.maxCost.add(b.cost(size.Prompt, size.Reply))
	}
	return nil, cmp.Or(err, errDeferred)
}

// line encodes a request as a line of a request file, with its key as custom id.
func (b *Batch) line(key string, r *Request) ([]byte, error) {
	c := b.stack.Client
	q := c.request(r, b.state.Form)
	q.Model = cmp.Or(c.wire.endpoint.deployment, q.Model)
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(map[string]any{
		"custom_id": key, "method": http.MethodPost, "url": c.batchURL(), "body": json.RawMessage(c.wire.completeBody(body)),
	})
	return append(line, '\n'), err
}

// A batchLine is the response to a request in a reply file.
type batchLine struct {
	Key      string `json:"custom_id"`
	Response struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

// err returns the error that the server responded with, or nil.
func (l *batchLine) err() error {
	if l.Response.Status == http.StatusOK {
		return nil
	}
	e := &StatusError{Status: l.Response.Status}
	e.parseBody(string(l.Response.Body))
	return classify(e)
}

// replay processes the stored reply to a request like a new response. If there is none that
// can be used, the error is errDeferred.
func (b *Batch) replay(ctx context.Context, key string, r *Request) (*Reply, error) {
	c, body := b.stack.Client, []byte(nil)
	if err := b.store.get(ctx, `SELECT reply FROM requests WHERE key = ?`, []any{key}, &body); err != nil {
		return nil, err
	}
	res, err := c.wire.decodeChat(body)
	if err != nil || len(res.Choices) == 0 {
		return nil, errDeferred
	}
	used := usage.Usage{Requests: 1}.Add(c.replyUsage(r, &res))
	reply, err := c.read(ctx, r, c.currentForm(), &res)
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.Usage = used
	return reply, nil
}

// Finish ends the batch run by deleting its files on the server, if possible,
// and the state directory. Call it only after saving the results.
func (b *Batch) Finish(ctx context.Context) error {
	for _, id := range b.state.Files {
		if _, err := b.stack.Client.callBatch(ctx, http.MethodDelete, "/files/"+id, nil); err != nil {
			b.Notify("can't delete file %s from the server", id)
		}
	}
	b.state.Files = nil
	return b.Close()
}

// Close closes the store. It keeps the directory if a batch was submitted, and
// otherwise deletes it.
func (b *Batch) Close() error {
	err := b.store.db.Close()
	if !b.Submitted() {
		err = errors.Join(err, safefile.Remove(b.store.path, b.store.path+"-journal"))
		_ = os.Remove(b.Dir) // fails if it contains other files
	}
	return err
}

// transact keeps the changes made by f, also those by other goroutines, and saves the state
// only if it succeeds.
func (b *Batch) transact(ctx context.Context, f func() error) error {
	before := b.state
	_, err := b.store.exec(ctx, `BEGIN`)
	if err != nil {
		return err
	}
	if err = f(); err == nil {
		err = b.store.save(ctx, &b.state)
	}
	if err == nil {
		_, err = b.store.exec(ctx, `COMMIT`)
	}
	if err != nil {
		_, _ = b.store.exec(ctx, `ROLLBACK`) // fails after errors that ended the transaction
		b.state = before
	}
	return err
}

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
