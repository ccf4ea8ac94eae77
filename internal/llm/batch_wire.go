package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// A transfer is how a request of the Batch API differs from others. It travels in
// the request's context, because go-openai builds and reads requests by itself: an
// upload whole in memory, and Azure's batches not at all, whose times are texts.
type transfer struct {
	path   string              // of the file that is uploaded; "" for none
	stream bool                // the answer is handed on unread
	plain  func([]byte) []byte // what go-openai is to see of the answer; nil for all of it
}

type transferKey struct{}

// stand is the content of an upload until transfer.dress puts the file there.
const stand = "the-file-goes-here"

func withTransfer(ctx context.Context, t *transfer) context.Context {
	return context.WithValue(ctx, transferKey{}, t)
}

// transferOf is nil for an ordinary request.
func transferOf(ctx context.Context) *transfer {
	t, _ := ctx.Value(transferKey{}).(*transfer)
	return t
}

// dress makes the body of an upload one that is read from the file as it is sent.
func (t *transfer) dress(r *http.Request) error {
	if t == nil || t.path == "" {
		return nil
	}
	form, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(form, []byte(stand))
	if !ok {
		return errors.New("the form of an upload has no place for the file")
	}
	info, err := os.Stat(t.path)
	if err != nil {
		return err
	}
	r.ContentLength = int64(len(before)) + info.Size() + int64(len(after))
	r.GetBody = func() (io.ReadCloser, error) {
		file, err := regular.OpenFile(t.path, os.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		return &between{io.MultiReader(bytes.NewReader(before), file, bytes.NewReader(after)), file}, nil
	}
	r.Body, err = r.GetBody()
	return err
}

// between is a file with something before and behind it.
type between struct {
	io.Reader
	io.Closer
}

// streams says that an answer is handed on unread. One that is a refusal is not.
func (t *transfer) streams(res *http.Response) bool {
	return t != nil && t.stream && res.StatusCode >= 200 && res.StatusCode < 300
}

// shown is what go-openai sees of an answer.
func (t *transfer) shown(body []byte) []byte {
	if t == nil || t.plain == nil {
		return body
	}
	return t.plain(body)
}

// plainBatch is a batch with what is read of it alone. A text where a number is
// expected would otherwise make the whole unreadable.
func plainBatch(body []byte) []byte {
	var b struct {
		ID       json.RawMessage `json:"id,omitempty"`
		Status   json.RawMessage `json:"status,omitempty"`
		Input    json.RawMessage `json:"input_file_id,omitempty"`
		Output   json.RawMessage `json:"output_file_id,omitempty"`
		Failed   json.RawMessage `json:"error_file_id,omitempty"`
		Errors   json.RawMessage `json:"errors,omitempty"`
		Counts   json.RawMessage `json:"request_counts,omitempty"`
		Metadata json.RawMessage `json:"metadata,omitempty"`
	}
	if json.Unmarshal(body, &b) != nil {
		return body
	}
	out, err := json.Marshal(b)
	if err != nil {
		return body
	}
	return out
}

// plainBatches is plainBatch for a list of them.
func plainBatches(body []byte) []byte {
	var l struct {
		Data   []json.RawMessage `json:"data"`
		LastID json.RawMessage   `json:"last_id,omitempty"`
		More   json.RawMessage   `json:"has_more,omitempty"`
	}
	if json.Unmarshal(body, &l) != nil {
		return body
	}
	for i := range l.Data {
		l.Data[i] = plainBatch(l.Data[i])
	}
	out, err := json.Marshal(l)
	if err != nil {
		return body
	}
	return out
}
