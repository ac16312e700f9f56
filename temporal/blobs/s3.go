package blobs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// S3 keeps blobs in a bucket of a server that speaks the protocol of S3.
type S3 struct {
	Endpoint string // such as https://s3.eu-central-1.amazonaws.com
	Region   string
	Bucket   string
	Prefix   string // before the names of blobs; may be empty

	AccessKey, SecretKey, SessionToken string // the last may be empty

	Client *http.Client     // nil is http.DefaultClient
	Now    func() time.Time // nil is time.Now
}

// A request that the bucket does not answer, or answers with its own trouble, is made again.
const (
	maxTries = 4
	firstTry = 100 * time.Millisecond
)

// Put implements [Store].
func (s *S3) Put(ctx context.Context, hash string, b []byte) error {
	if _, _, err := s.send(ctx, http.MethodHead, hash, nil); err == nil {
		return nil
	}
	_, err := s.repeat(ctx, http.MethodPut, hash, b)
	if unanswered := (*url.Error)(nil); errors.As(err, &unanswered) {
		// A server may refuse a value and close the connection while the value is being sent,
		// which loses its answer. It refuses to read for the same reason.
		if _, again, refused := s.send(ctx, http.MethodGet, hash, nil); !again && !errors.Is(refused, ErrNotFound) {
			return refused
		}
	}
	return err
}

// Get implements [Store].
func (s *S3) Get(ctx context.Context, hash string) ([]byte, error) {
	return s.repeat(ctx, http.MethodGet, hash, nil)
}

// Delete implements [Store].
func (s *S3) Delete(ctx context.Context, hash string) error {
	_, err := s.repeat(ctx, http.MethodDelete, hash, nil)
	return err
}

// repeat sends a request until it is answered.
func (s *S3) repeat(ctx context.Context, method, hash string, body []byte) (b []byte, err error) {
	for try, wait := 1, firstTry; ; try, wait = try+1, 3*wait {
		b, again, err := s.send(ctx, method, hash, body)
		if !again || try == maxTries || ctx.Err() != nil {
			return b, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		}
	}
}

// send sends a request once. It reports whether another attempt may succeed.
func (s *S3) send(ctx context.Context, method, hash string, body []byte) (b []byte, again bool, err error) {
	at, err := url.Parse(s.Endpoint)
	if err != nil {
		return nil, false, err
	}
	at.Path, at.RawPath = path.Join("/", at.Path, s.Bucket, s.Prefix, hash), ""
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	s.sign(req, body, now())
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, true, fmt.Errorf("the bucket %s at %s cannot be reached: %w", s.Bucket, s.Endpoint, err)
	}
	defer func() { _ = res.Body.Close() }()
	var read bytes.Buffer
	if method == http.MethodGet && res.ContentLength > 0 && res.ContentLength <= MaxBlob {
		read.Grow(int(res.ContentLength) + bytes.MinRead)
	}
	_, err = read.ReadFrom(io.LimitReader(res.Body, MaxBlob+MaxInline))
	b = read.Bytes()
	switch {
	case err != nil:
		return nil, true, err
	case res.StatusCode == http.StatusNotFound && bytes.Contains(b, []byte("NoSuchKey")): // other 404s are of a bucket or a user
		return nil, false, ErrNotFound
	case res.StatusCode/100 != 2:
		trouble := res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests
		return nil, trouble, fmt.Errorf("the bucket %s at %s answers %s: %.300s", s.Bucket, s.Endpoint, res.Status, b)
	}
	return b, false, nil
}

const algorithm = "AWS4-HMAC-SHA256"

// asSigned makes the path of a signature from a path that is escaped as a query: everything
// but letters, digits, "-", ".", "_", "~" and "/" is escaped by its bytes, which the path of
// a [url.URL] does not do.
var asSigned = strings.NewReplacer("+", "%20", "%2F", "/")

// sign adds the signature of a request, version 4, over its host, range and x-amz headers.
func (s *S3) sign(req *http.Request, body []byte, now time.Time) {
	sum := sha256.Sum256(body)
	stamp := now.UTC().Format("20060102T150405Z")
	req.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	req.Header.Set("X-Amz-Date", stamp)
	if s.SessionToken != "" {
		req.Header.Set("X-Amz-Security-Token", s.SessionToken)
	}
	headers := map[string]string{"host": req.URL.Host}
	for name := range req.Header {
		if lower := strings.ToLower(name); lower == "range" || strings.HasPrefix(lower, "x-amz-") {
			headers[lower] = strings.TrimSpace(req.Header.Get(name))
		}
	}
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", req.Method, asSigned.Replace(url.QueryEscape(req.URL.Path)), req.URL.RawQuery)
	for _, name := range names {
		fmt.Fprintf(&canonical, "%s:%s\n", name, headers[name])
	}
	signed := strings.Join(names, ";")
	fmt.Fprintf(&canonical, "\n%s\n%s", signed, req.Header.Get("X-Amz-Content-Sha256"))
	of := sha256.Sum256([]byte(canonical.String()))
	scope := stamp[:8] + "/" + s.Region + "/s3/aws4_request"
	text := algorithm + "\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(of[:])
	key := []byte("AWS4" + s.SecretKey)
	for part := range strings.SplitSeq(scope, "/") {
		key = keyed(key, part)
	}
	req.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s,SignedHeaders=%s,Signature=%s", algorithm, s.AccessKey, scope, signed, hex.EncodeToString(keyed(key, text))))
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum(nil)
}
