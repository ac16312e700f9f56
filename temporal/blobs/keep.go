package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/patchbay-mcp/patchbay/diag"
)

const (
	// MaxInline is how large a value may be that is kept in a history: less than the 2 MiB
	// that a Temporal service takes, as a message also has names and times.
	MaxInline = 2<<20 - 16<<10
	// MaxBlob is how large a value may be that is kept in a store.
	MaxBlob = 1 << 30
)

// Keep stores a value if it is too large for a history, so that a message that refers to
// it can be sent. What says what the value is, as in "the arguments of a#0". A nil store
// takes nothing. The fault says why the value cannot be sent.
func Keep(ctx context.Context, s Store, what string, p *commonpb.Payload) *diag.Fault {
	size := proto.Size(p)
	if size < Threshold || s == nil && size <= MaxInline {
		return nil
	}
	_, fault := put(ctx, s, what, p)
	return fault
}

// put stores a value by its hash.
func put(ctx context.Context, s Store, what string, p *commonpb.Payload) (hash string, fault *diag.Fault) {
	size := int64(proto.Size(p))
	switch {
	case s == nil:
		f := diag.Faultf(runs.CodeValueTooLarge, "%s: %s are more than the %s that a history takes, and this worker has no store of large values", what, diag.Bytes(size), diag.Bytes(MaxInline))
		f.Hint = "set runtime.temporal.blobs for every worker, or pass less from node to node"
		return "", f
	case size > MaxBlob:
		f := diag.Faultf(runs.CodeValueTooLarge, "%s: %s are more than the %s that are kept of one value", what, diag.Bytes(size), diag.Bytes(MaxBlob))
		f.Hint = "pass less from node to node"
		return "", f
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err == nil {
		sum := sha256.Sum256(b)
		hash = hex.EncodeToString(sum[:])
		err = s.Put(ctx, hash, b)
	}
	if err != nil {
		f := diag.Faultf(runs.CodeValueNotStored, "%s: %s are more than the %s that a history takes, and cannot be stored in runtime.temporal.blobs: %w", what, diag.Bytes(size), diag.Bytes(Threshold), err)
		f.Hint = "see that runtime.temporal.blobs works on every worker: patchbay-temporal doctor writes and reads a value. Then resume the run"
		return "", f
	}
	return hash, nil
}
