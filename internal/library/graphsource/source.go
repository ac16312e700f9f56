// Package graphsource gets a graph and its tests from a file, an https URL or a git
// repository, as texts. It does not read what they mean, and starts nothing but git. It
// imports diag and files.
package graphsource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A Source is where a graph comes from.
type Source struct {
	text string   // as a person wrote it, a file with its whole path
	file string   // of a file
	url  *url.URL // of a page, or of a repository
	rev  string   // of a repository; "" for a page
	path string   // in the repository
}

// A Fetched is what a source has.
type Fetched struct {
	Source string `json:"source"`
	Commit string `json:"commit,omitempty"` // of a git repository
	Graph  string `json:"-"`
	Tests  string `json:"-"`      // "" if there are none
	SHA256 string `json:"sha256"` // of Graph and, if there are some, of Tests
}

// Options say how sources are reached.
type Options struct {
	MaxBytes  int64 // of a text
	Transport func(url string) http.RoundTripper
}

// inRepository is a git source: an address, and what of it is meant.
var inRepository = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:git\+)?((?:https|ssh|file)://.+)@([^@:]+):([^:]+)$`)
})

// plainName is what a revision or a path consists of: neither can be an option of git, or
// leave its folder.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/+-]{0,255}$`) })

// Parse returns the source that a text means: an https URL, git+URL@REVISION:PATH, or a
// file.
func Parse(text string) (*Source, *diag.Fault) {
	if m := inRepository().FindStringSubmatch(text); m != nil {
		u, err := url.Parse(m[1])
		if err != nil || u.Host == "" && u.Scheme != "file" || strings.HasPrefix(u.Host, "-") {
			return nil, refused("%q is not the URL of a repository", diag.Excerpt(m[1]))
		}
		if u.Scheme == "file" && !strings.HasPrefix(text, "git+") {
			return nil, refused("a repository in a folder is git+file:///FOLDER@REVISION:PATH")
		}
		if !plainName().MatchString(m[2]) || strings.Contains(m[2], "..") {
			return nil, refused("%q is not the name of a revision", diag.Excerpt(m[2]))
		}
		if !plainName().MatchString(m[3]) || path.Clean(m[3]) != m[3] {
			return nil, refused("%q is not the path of a file in the repository", diag.Excerpt(m[3]))
		}
		return &Source{text: text, url: u, rev: m[2], path: m[3]}, withoutPassword(u)
	}
	scheme, _, remote := strings.Cut(text, "://")
	switch {
	case strings.HasPrefix(text, "git+"), scheme == "ssh", scheme == "file", scheme == "git":
		return nil, refused("%q does not say which file of the repository is meant", diag.Excerpt(text))
	case remote && scheme != "https":
		return nil, refused("graphs are fetched by https only, not by %s", diag.Excerpt(scheme))
	case remote:
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" {
			return nil, refused("%q is not a URL", diag.Excerpt(text))
		}
		return &Source{text: text, url: u}, withoutPassword(u)
	}
	whole, err := filepath.Abs(text)
	if err != nil {
		return nil, refused("%v", err)
	}
	return &Source{text: whole, file: whole}, nil
}

func withoutPassword(u *url.URL) *diag.Fault {
	if _, has := u.User.Password(); has {
		return refused("the URL has a password, which would be recorded: let git or a public address do without")
	}
	return nil
}

var (
	codeBadSource  = diag.DefineFault("bad-source", diag.RefusesRequest, "the source of `graphs add` is not a file, an https URL or a file in a git repository", "write it as the hint says")
	codeNotFetched = diag.DefineFault("not-fetched", diag.RefusesRequest, "a graph cannot be fetched from its source", "check the address, and that it can be reached")
)

func refused(format string, args ...any) *diag.Fault {
	return diag.Faultf(codeBadSource, format, args...).WithHint("write a file, https://HOST/PATH, or git+https://HOST/REPOSITORY@REVISION:PATH")
}

// Name is the name of the graph's file without its extension.
func (s *Source) Name() string {
	name := s.path
	switch {
	case s.file != "":
		name = filepath.Base(s.file)
	case s.rev == "":
		name = s.url.Path
	}
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

// testsPath is the path of the tests of a graph: next to it.
func testsPath(path string) string {
	for _, extension := range []string{".yaml", ".yml", ".json"} {
		if base, ok := strings.CutSuffix(path, extension); ok {
			return base + ".test.yaml"
		}
	}
	return path + ".test.yaml"
}

// Fetch gets the graph and its tests.
func (s *Source) Fetch(ctx context.Context, o Options) (*Fetched, *diag.Fault) {
	got := &Fetched{Source: s.text}
	var err error
	switch {
	case s.file != "":
		err = s.fetchFile(got, o)
	case s.rev != "":
		err = s.fetchGit(ctx, got, o)
	default:
		err = s.fetchPage(ctx, got, o)
	}
	if err != nil {
		if fault, ok := errors.AsType[*diag.Fault](err); ok {
			return nil, fault
		}
		return nil, diag.Faultf(codeNotFetched, "%s cannot be fetched: %w", s.text, err).WithHint("check the address, and that it can be reached from here")
	}
	h := sha256.New()
	h.Write([]byte(got.Graph))
	if got.Tests != "" {
		h.Write([]byte("\x00" + got.Tests))
	}
	got.SHA256 = hex.EncodeToString(h.Sum(nil))
	return got, nil
}

func (s *Source) fetchFile(got *Fetched, o Options) (err error) {
	if got.Graph, err = files.ReadText(s.file, o.MaxBytes); err != nil {
		return err
	}
	got.Tests, err = files.ReadText(testsPath(s.file), o.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
