package blobs

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Check writes, reads and deletes a small value. The error says which of these fails.
func Check(ctx context.Context, s Store) error {
	b := []byte("written by patchbay-temporal doctor " + rand.Text())
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	if err := s.Put(ctx, hash, b); err != nil {
		return fmt.Errorf("writing a value: %w", err)
	}
	got, err := s.Get(ctx, hash)
	if err == nil && !bytes.Equal(got, b) {
		err = errors.New("another value came back")
	}
	if err != nil {
		return fmt.Errorf("reading a value: %w", err)
	}
	if err := s.Delete(ctx, hash); err != nil {
		return fmt.Errorf("deleting a value: %w", err)
	}
	return nil
}
