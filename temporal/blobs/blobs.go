// Package blobs keeps values that are too large for the history of a workflow, by their
// hash: in a folder that all processes share, or in a bucket that speaks the protocol of
// S3. It knows nothing of runs.
package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Threshold is from how many bytes on a value is kept here.
const Threshold = 256 << 10

// ErrNotFound is the error of a store that does not have a blob.
var ErrNotFound = errors.New("the blob is not there")

// A Store keeps blobs by the hash of their bytes, in hexadecimal. It is safe for
// concurrent use. Put of a blob that it has does nothing. The program that deletes blobs must
// know that no history refers to them.
type Store interface {
	Put(ctx context.Context, hash string, b []byte) error
	Get(ctx context.Context, hash string) ([]byte, error)
	Delete(ctx context.Context, hash string) error
}

// External has the clients and workers of a deployment keep large values in a store. All of
// them need the same.
func External(s Store) converter.ExternalStorage {
	return converter.ExternalStorage{Drivers: []converter.StorageDriver{driver{s}}, PayloadSizeThreshold: Threshold}
}

// driverName is in histories: it stays as it is, whatever the store is.
const driverName = "patchbay-blobs"

const hashKey = "sha256"

type driver struct{ store Store }

func (driver) Name() string { return driverName }
func (driver) Type() string { return driverName }

// Store implements [converter.StorageDriver].
func (d driver) Store(c converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	claims := make([]converter.StorageDriverClaim, len(payloads))
	for i, p := range payloads {
		var hash string
		var fault *diag.Fault
		err := c.GetLimiter().Permit(c.Context, p, func() error {
			hash, fault = put(c.Context, d.store, "a value of the run", p)
			return nil
		})
		switch {
		case err != nil:
			return nil, err
		case fault != nil:
			return nil, fault
		}
		claims[i].ClaimData = map[string]string{hashKey: hash}
	}
	return claims, nil
}

// Retrieve implements [converter.StorageDriver].
func (d driver) Retrieve(c converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	payloads := make([]*commonpb.Payload, len(claims))
	for i, claim := range claims {
		hash := claim.ClaimData[hashKey]
		if !isHash(hash) {
			return nil, fmt.Errorf("%q does not name a blob", hash)
		}
		var b []byte
		err := c.GetLimiter().Permit(c.Context, claim, func() (err error) {
			b, err = d.store.Get(c.Context, hash)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("the value %s cannot be read: %w (every worker and every process that shows runs needs the same runtime.temporal.blobs)", hash, err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != hash {
			return nil, fmt.Errorf("the value %s is damaged", hash)
		}
		payloads[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(b, payloads[i]); err != nil {
			return nil, fmt.Errorf("the value %s cannot be read: %w", hash, err)
		}
	}
	return payloads, nil
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}
