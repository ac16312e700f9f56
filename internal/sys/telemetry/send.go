package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
)

// maxSends is how often a message is sent that the collector cannot take just now.
const maxSends = 4

// send sends one message. It repeats what the collector cannot take just now, until the
// timeout.
func (c *collector) send(ctx context.Context, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	if c.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body) // to memory
		_ = w.Close()
		body = b.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for wait := time.Second; ; wait *= 2 {
		again, err := c.post(ctx, body)
		if err == nil || again < 0 || wait >= time.Second<<(maxSends-1) {
			return err
		}
		if c.pause(ctx, max(again, wait)) != nil {
			return err
		}
	}
}

// post makes one request. After a failure that may pass, again is the least time to
// wait; after others it is negative.
func (c *collector) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	req.Header = c.headers.Clone()
	req.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		again = time.Duration(seconds) * time.Second
	default:
		again = -1
	}
	return again, fmt.Errorf("the collector at %s answers %s", req.URL.Redacted(), res.Status)
}
