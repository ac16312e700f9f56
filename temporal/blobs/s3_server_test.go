package blobs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var s3Server = flag.String("s3.server", "", "the `FILE` of the program versitygw, an S3 server, which tests start")

// Values come back from an S3 server as they were, also 16 at a time.
func TestServer(t *testing.T) {
	s := serverOf(t)
	for _, prefix := range []string{"", "p", "p/q/r", "/p//q/", "with space/ü/a+b=c&d", "!$'()*,;:@~%41#?[]"} {
		of := *s
		of.Prefix = prefix
		if err := Check(t.Context(), &of); err != nil {
			t.Errorf("prefix %q: %v", prefix, err)
		}
	}
	t.Run("sizes", func(t *testing.T) {
		for _, size := range []int{0, 1, Threshold, 5 << 20, 64 << 20, MaxBlob - 100} {
			roundTrip(t, s, bytes.Repeat([]byte{byte(size>>20) + 1}, size))
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for n := range 8 {
					roundTrip(t, s, bytes.Repeat([]byte{byte(i), byte(n), 'x'}, Threshold))
				}
				b, hash := []byte("of all"), hashOf([]byte("of all"))
				if err := s.Put(t.Context(), hash, b); err != nil {
					t.Error(err)
				}
				if got, err := s.Get(t.Context(), hash); err != nil || !bytes.Equal(got, b) {
					t.Errorf("%q %v", got, err)
				}
			})
		}
		all.Wait()
	})
}

// What an S3 server refuses is an error that says why.
func TestServerRefuses(t *testing.T) {
	s := serverOf(t)
	large := bytes.Repeat([]byte("large"), 1<<20)
	for name, change := range map[string]func(*S3){
		"SignatureDoesNotMatch":        func(s *S3) { s.SecretKey = "another" },
		"XAdminUserNotFound":           func(s *S3) { s.AccessKey = "another" },
		"NoSuchBucket":                 func(s *S3) { s.Bucket = "another" },
		"AuthorizationHeaderMalformed": func(s *S3) { s.Region = "another" },
		"RequestTimeTooSkewed":         func(s *S3) { s.Now = func() time.Time { return time.Now().Add(-time.Hour) } },
	} {
		of := *s
		change(&of)
		_, reading := of.Get(t.Context(), hashOf(large))
		for what, err := range map[string]error{
			"doctor": Check(t.Context(), &of), "writing": of.Put(t.Context(), hashOf(large), large), "reading": reading,
		} {
			if err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), s.Endpoint) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// roundTrip writes a value twice, reads and deletes it.
func roundTrip(t *testing.T, s Store, b []byte) {
	t.Helper()
	hash := hashOf(b)
	missing := func(when string) {
		if got, err := s.Get(t.Context(), hash); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s, reading %d bytes: %d bytes, %v", when, len(b), len(got), err)
		}
	}
	missing("before writing")
	for range 2 {
		if err := s.Put(t.Context(), hash, b); err != nil {
			t.Errorf("writing %d bytes: %v", len(b), err)
		}
	}
	if got, err := s.Get(t.Context(), hash); err != nil || !bytes.Equal(got, b) {
		t.Errorf("reading %d bytes: %d bytes, %v", len(b), len(got), err)
	}
	if err := s.Delete(t.Context(), hash); err != nil {
		t.Errorf("deleting %d bytes: %v", len(b), err)
	}
	missing("after deleting")
}

// serverOf returns a store in a bucket of an S3 server of its own.
func serverOf(t *testing.T) *S3 {
	t.Helper()
	if *s3Server == "" {
		t.Skip("make s3 runs it")
	}
	const bucket = "runs"
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	s := &S3{Endpoint: "http://" + address, Region: "eu-central-1", Bucket: bucket, AccessKey: "key", SecretKey: "secret"}
	server := exec.CommandContext(context.Background(), *s3Server, "--quiet", "--port", address, "--region", s.Region, "--access", s.AccessKey, "--secret", s.SecretKey, "posix", dir)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for end := time.Now().Add(time.Minute); ; { // Check waits between its attempts
		if err = Check(t.Context(), s); err == nil {
			return s
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
