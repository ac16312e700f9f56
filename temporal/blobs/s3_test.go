package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A bucket that refuses, or is not there, is an error that says why.
func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*S3){
		"SignatureDoesNotMatch": func(s *S3) { s.SecretKey = "another" },
		"AccessDenied":          func(s *S3) { s.SessionToken = "" },
		"NoSuchBucket":          func(s *S3) { s.Bucket = "another" },
		"AuthorizationHeader":   func(s *S3) { s.Region = "another" },
		"InvalidAccessKeyId":    func(s *S3) { s.AccessKey = "another" },
		"Not an S3 server":      func(s *S3) { s.Endpoint += "/website" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := bucketOf(t)
			change(s)
			for _, err := range []error{Check(t.Context(), s), s.Put(t.Context(), "large", make([]byte, closesAt))} {
				if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), s.Endpoint) {
					t.Errorf("%v", err)
				}
			}
			if _, err := s.Get(t.Context(), strings.Repeat("0", 64)); err == nil || errors.Is(err, ErrNotFound) {
				t.Errorf("reading: %v", err)
			}
		})
	}
}

// A blob is stored under its prefix, whatever characters that has.
func TestPrefix(t *testing.T) {
	s, b := bucketOf(t)
	for _, prefix := range []string{"", "p", "/p//q/", "a b+c=d/%41?#ü"} {
		s.Prefix = prefix
		if err := s.Put(t.Context(), "hash", []byte("value")); err != nil {
			t.Error(err)
		}
		at := path.Join("/b", prefix, "hash")
		if _, there := b.blobs[at]; !there {
			t.Errorf("%s is not among %q", at, slices.Collect(maps.Keys(b.blobs)))
		}
	}
}

// A request that fails at the server is made again, but not without an end.
func TestTroubleOfTheBucket(t *testing.T) {
	s, b := bucketOf(t)
	b.fails = 2
	if err := Check(t.Context(), s); err != nil {
		t.Error(err)
	}
	b.fails = 1000
	if err := Check(t.Context(), s); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("%v", err)
	}
	s.Endpoint = "http://127.0.0.1:1"
	if err := Check(t.Context(), s); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("%v", err)
	}
}

// bucketOf returns a store over a server with a bucket of its own.
func bucketOf(t *testing.T) (*S3, *bucket) {
	b := &bucket{blobs: map[string][]byte{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return &S3{Endpoint: server.URL, Region: "r", Bucket: "b", Prefix: "p/q", AccessKey: "key", SecretKey: "secret", SessionToken: "token"}, b
}

// closesAt is from how many bytes on the server closes the connection without an answer when
// it refuses a value, as servers do that do not read it.
const closesAt = 1 << 20

// bucket is a server that keeps what is put into the bucket "b". It takes requests that are
// signed with the key "secret" for the region "r".
type bucket struct {
	mu    sync.Mutex
	blobs map[string][]byte
	puts  int
	fails int // requests
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	refuse := func(status int, code string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
	}
	stored, there := b.blobs[r.URL.Path]
	switch refused := signedBadly(r, body); {
	case b.fails > 0:
		b.fails--
		refuse(http.StatusServiceUnavailable, "SlowDown")
	case strings.HasPrefix(r.URL.Path, "/website/"):
		http.Error(w, "Not an S3 server", http.StatusNotFound)
	case refused != "" && len(body) >= closesAt:
		panic(http.ErrAbortHandler)
	case refused == "InvalidAccessKeyId": // as versitygw answers
		refuse(http.StatusNotFound, refused)
	case refused != "":
		refuse(http.StatusForbidden, refused)
	case !strings.HasPrefix(r.URL.Path, "/b/"):
		refuse(http.StatusNotFound, "NoSuchBucket")
	case r.Method == http.MethodPut:
		b.blobs[r.URL.Path] = body
		b.puts++
	case !there:
		refuse(http.StatusNotFound, "NoSuchKey")
	case r.Method == http.MethodDelete:
		delete(b.blobs, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default:
		_, _ = w.Write(stored)
	}
}

// signedBadly says what is wrong with the signature of a request.
func signedBadly(r *http.Request, body []byte) string {
	if r.Header.Get("X-Amz-Security-Token") != "token" {
		return "AccessDenied"
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 15*time.Minute {
		return "RequestTimeTooSkewed"
	}
	sum := sha256.Sum256(body)
	if r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return "XAmzContentSHA256Mismatch"
	}
	got := r.Header.Get("Authorization")
	if !strings.Contains(got, "Credential=key/") {
		return "InvalidAccessKeyId"
	}
	if !strings.Contains(got, "Credential=key/"+at.Format("20060102")+"/r/s3/aws4_request,") {
		return "AuthorizationHeaderMalformed"
	}
	again := r.Clone(r.Context())
	again.Header, again.URL.Host = http.Header{}, r.Host
	(&S3{Region: "r", AccessKey: "key", SecretKey: "secret", SessionToken: "token"}).sign(again, body, at)
	if again.Header.Get("Authorization") != got {
		return "SignatureDoesNotMatch"
	}
	return ""
}
