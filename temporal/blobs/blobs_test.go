package blobs

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// Values come back from a folder and from a bucket as they were.
func TestValuesComeBack(t *testing.T) {
	s3, bucket := bucketOf(t)
	for name, s := range map[string]Store{"files": Files(filepath.Join(t.TempDir(), "new")), "s3": s3} {
		t.Run(name, func(t *testing.T) {
			d := External(s).Drivers[0]
			payloads := []*commonpb.Payload{{Data: []byte("one")}, {Data: bytes.Repeat([]byte{1}, Threshold), Metadata: map[string][]byte{"a": {1}, "b": {2}}}}
			var claims []converter.StorageDriverClaim
			for range 2 { // the second time it is there already
				var err error
				if claims, err = d.Store(converter.StorageDriverStoreContext{Context: t.Context()}, payloads); err != nil {
					t.Fatal(err)
				}
			}
			got, err := d.Retrieve(converter.StorageDriverRetrieveContext{Context: t.Context()}, claims)
			if err != nil {
				t.Fatal(err)
			}
			for i := range payloads {
				if !bytes.Equal(got[i].Data, payloads[i].Data) || len(got[i].Metadata) != len(payloads[i].Metadata) {
					t.Errorf("value %d is another one", i)
				}
			}
			if _, err := s.Get(t.Context(), strings.Repeat("0", 64)); !errors.Is(err, ErrNotFound) {
				t.Errorf("of a blob that is not there: %v", err)
			}
			if err := Check(t.Context(), s); err != nil {
				t.Errorf("doctor: %v", err)
			}
		})
	}
	if len(bucket.blobs) != 2 || bucket.puts != 3 {
		t.Errorf("%d blobs were written in %d requests", len(bucket.blobs), bucket.puts)
	}
	for name := range bucket.blobs {
		if !strings.HasPrefix(name, "/b/p/q/") {
			t.Errorf("stored as %s", name)
		}
	}
}

// A damaged value is an error, and so is a name that is not a hash.
func TestDamagedValues(t *testing.T) {
	dir := t.TempDir()
	d := driver{Files(dir)}
	claims, err := d.Store(converter.StorageDriverStoreContext{Context: t.Context()}, []*commonpb.Payload{{Data: []byte("one")}})
	if err != nil {
		t.Fatal(err)
	}
	hash := claims[0].ClaimData[hashKey]
	if err := os.WriteFile(filepath.Join(dir, hash[:2], hash), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{hash, "../../../etc/passwd", ""} {
		if _, err := d.Retrieve(converter.StorageDriverRetrieveContext{Context: t.Context()}, []converter.StorageDriverClaim{{ClaimData: map[string]string{hashKey: name}}}); err == nil {
			t.Errorf("%q is read", name)
		}
	}
}

// The signature is that of the example in the documentation of S3, and where characters of
// the path are escaped, that of the AWS SDK for Go 1.45.1.
func TestSignature(t *testing.T) {
	s := &S3{Region: "us-east-1", AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	for path, want := range map[string]string{
		"/test.txt":                           "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		"/a+b/c d/ü=$(1)*&@:,;!'~%41[]#?.txt": "aed79f1314452fdaf52a50bef62f4f406227a316262c72571654e509f314a94a",
	} {
		at := url.URL{Scheme: "https", Host: "examplebucket.s3.amazonaws.com", Path: path}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, at.String(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Range", "bytes=0-9")
		s.sign(req, nil, time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
		if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
