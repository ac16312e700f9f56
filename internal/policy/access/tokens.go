package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

const (
	secretPrefix = "pbt_"   // of every token, so that scanners recognize one
	secretBytes  = 32       // that are random
	maxFile      = 16 << 20 // bytes
)

// A Token is what the operator has given to one client. The token itself is not kept.
type Token struct {
	Name string `json:"name"`
	Hash string `json:"hash"` // SHA-256, in hexadecimal digits
	Rights
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Quota   Quota     `json:"quota,omitzero"`
}

// Tokens are the tokens in a file of the operator's. They are safe for concurrent use; a
// file that another process changes is read again.
type Tokens struct {
	file string

	mu   sync.Mutex
	seen fs.FileInfo // of what was read; nil if there was no file
	read bool
	list []entry
	err  error
}

// An entry is a token as requests need it.
type entry struct {
	hash     []byte
	identity *Identity
}

// Open returns the tokens in a file, which need not exist.
func Open(file string) *Tokens { return &Tokens{file: file} }

// File is where the tokens are kept.
func (t *Tokens) File() string { return t.file }

// The reasons why a token is not accepted, for errors.Is.
var (
	ErrUnknown = errors.New("the token is not valid")
	ErrExpired = errors.New("the token has expired")
)

// Verify returns whose a token is. The identity of a token stays the same pointer until
// the file changes.
func (t *Tokens) Verify(secret string, now time.Time) (*Identity, error) {
	list, err := t.current()
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(secret))
	var found *Identity
	for _, e := range list { // all of them, so that the time does not depend on which it is
		if subtle.ConstantTimeCompare(e.hash, hash[:]) == 1 {
			found = e.identity
		}
	}
	switch {
	case found == nil:
		return nil, ErrUnknown
	case !found.Expires.IsZero() && !now.Before(found.Expires):
		return nil, ErrExpired
	}
	return found, nil
}

// current are the tokens in the file as it is now.
func (t *Tokens) current() ([]entry, error) {
	info, err := os.Stat(t.file)
	if err != nil {
		info = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read && files.Unchanged(t.seen, info) {
		return t.list, t.err
	}
	tokens, err := load(t.file)
	t.read, t.seen, t.list, t.err = true, info, nil, err
	for _, k := range tokens {
		hash, wrong := hex.DecodeString(k.Hash)
		if wrong != nil || len(hash) != sha256.Size {
			continue
		}
		t.list = append(t.list, entry{hash, &Identity{Principal: "token:" + k.Name, Rights: k.Rights, Quota: k.Quota, Expires: k.Expires}})
	}
	return t.list, t.err
}

// Any reports whether there is a token that has not expired.
func (t *Tokens) Any(now time.Time) bool {
	list, err := t.current()
	return err == nil && slices.ContainsFunc(list, func(e entry) bool { return e.identity.Expires.IsZero() || now.Before(e.identity.Expires) })
}

// List returns the tokens by name.
func (t *Tokens) List() ([]Token, *diag.Fault) {
	list, err := load(t.file)
	if err != nil {
		return nil, unusable(err)
	}
	return list, nil
}

// nameForm is what the name of a token looks like.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

// Add makes a token and returns it, which cannot be had again. Name, rights, expiry and
// quota are those of k.
func (t *Tokens) Add(k Token) (secret string, fault *diag.Fault) {
	if !nameForm().MatchString(k.Name) {
		return "", diag.BadArgument("/name", "use up to 64 letters, digits, and . _ -", "%q is not a name for a token", diag.Excerpt(k.Name))
	}
	if fault := k.check(); fault != nil {
		return "", fault
	}
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random)
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random)
	hash := sha256.Sum256([]byte(secret))
	k.Hash = hex.EncodeToString(hash[:])
	fault = t.change(func(list []Token) ([]Token, *diag.Fault) {
		if slices.ContainsFunc(list, func(o Token) bool { return o.Name == k.Name }) {
			return nil, diag.BadArgument("/name", "patchbay token revoke "+k.Name+" removes it", "there is a token %q already", k.Name)
		}
		return append(list, k), nil
	})
	if fault != nil {
		return "", fault
	}
	return secret, nil
}

var (
	codeUnknownToken = diag.DefineFault("unknown-token", diag.RefusesRequest, "there is no token with this name", "`patchbay token list` shows what there is")
	codeTokensFile   = diag.DefineFault("tokens-file", diag.RefusesRequest, "the file of tokens cannot be read or written, is damaged, or can be read by other users", "the message says why; until then no token is accepted")
)

// Revoke removes a token.
func (t *Tokens) Revoke(name string) *diag.Fault {
	return t.change(func(list []Token) ([]Token, *diag.Fault) {
		var names []string
		for i, k := range list {
			if k.Name == name {
				return slices.Delete(list, i, i+1), nil
			}
			names = append(names, k.Name)
		}
		f := diag.Faultf(codeUnknownToken, "there is no token %q", diag.Excerpt(name))
		f.Path, f.Suggestions, f.Hint = "/name", diag.Closer(name, names, 3), "there are no tokens"
		if len(names) > 0 {
			f.Hint = "the tokens are " + diag.OneOf(names, 12)
		}
		return nil, f
	})
}

func (t *Tokens) change(f func([]Token) ([]Token, *diag.Fault)) *diag.Fault {
	if t.file == "" {
		return diag.Faultf(codeTokensFile, "there is no folder for the file of tokens: set HOME or XDG_STATE_HOME")
	}
	err := files.Update(t.file, 0o600, func([]byte) ([]byte, error) {
		list, err := load(t.file) // which also looks who else can read it
		if err != nil {
			return nil, unusable(err)
		}
		list, fault := f(list)
		if fault != nil {
			return nil, fault
		}
		slices.SortFunc(list, func(a, b Token) int { return strings.Compare(a.Name, b.Name) })
		b, err := json.MarshalIndent(formats.Tokens.Wrap(list), "", "  ")
		return append(b, '\n'), err
	})
	if fault, ok := errors.AsType[*diag.Fault](err); ok || err == nil {
		return fault
	}
	return diag.Faultf(codeTokensFile, "the token cannot be stored: %w", err)
}

func unusable(err error) *diag.Fault {
	return diag.Faultf(codeTokensFile, "%w", err).WithHint("no token is accepted until the file is corrected or removed")
}

// load reads a file. One that others may read or that is damaged has no tokens.
func load(file string) ([]Token, error) {
	b, err := files.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the file of tokens %s cannot be read: %w", file, err)
	}
	if info, err := os.Stat(file); err == nil && exposed(info.Mode()) {
		return nil, fmt.Errorf("the file of tokens %s can be read or changed by other users: chmod 600 %s", file, file)
	}
	var list []Token
	err = formats.Tokens.Decode(b, &list)
	if newer, ok := errors.AsType[*formats.NewerError](err); ok {
		return nil, fmt.Errorf("the file of tokens %s cannot be used: %w", file, newer)
	}
	if err != nil {
		return nil, fmt.Errorf("the file of tokens %s is damaged: %w", file, err)
	}
	return list, nil
}
