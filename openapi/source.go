package openapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// maxFiles is how many documents references may lead to.
const maxFiles = 1000

// A file is one document: the one of the options, or one that a reference leads to.
type file struct {
	name string   // for messages
	path string   // below the folder of the first, with slashes; "" if it is not a file
	url  *url.URL // nil if it was not fetched
	root *node
}

// fault is an error about a place in the file.
func (f *file) fault(n *node, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s", f.name, n.line, fmt.Sprintf(format, args...))
}

// A loader reads the documents of one API.
type loader struct {
	ctx     context.Context
	options *Options
	client  *client
	folder  string // of the first document, if it is a file
	files   map[string]*file
	targets map[target]found
}

// A target is a place that a reference names.
type target struct {
	in  *file
	ref string
}

type found struct {
	node *node
	id   string // of the place, the same however it is named
	err  error
}

// open reads the document of the options.
func (l *loader) open() (*file, error) {
	source := strings.TrimSpace(l.options.Source)
	f := &file{}
	switch {
	case source == "":
		return nil, errors.New("the source of the OpenAPI document is empty: give a file, a URL or the text")
	case apis.IsURL(source):
		u, err := url.Parse(source)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%s is not a URL", diag.Quote(source))
		}
		u.Fragment = ""
		f.url, f.name = u, apis.Address(source)
		text, err := l.fetch(u)
		if err != nil {
			return nil, err
		}
		return l.parsed(f, text)
	case apis.IsText(source):
		f.name = "the OpenAPI document"
		if len(source) > apis.MaxSource {
			return nil, fmt.Errorf("%s is larger than the limit of %s", f.name, apis.Size(apis.MaxSource))
		}
		return l.parsed(f, []byte(source))
	}
	full := source
	if !filepath.IsAbs(full) {
		full = filepath.Join(l.options.Dir, full)
	}
	l.folder, f.path, f.name = filepath.Dir(full), filepath.Base(full), source
	text, err := files.Read(full, apis.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return l.parsed(f, text)
}

// fetch requests a document. The error names its address.
func (l *loader) fetch(u *url.URL) ([]byte, error) {
	resp, err := l.client.docs.Fetch(l.ctx, u.String(), "application/json, application/yaml, text/yaml, */*;q=0.5")
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// parsed completes a file with its tree.
func (l *loader) parsed(f *file, text []byte) (*file, error) {
	var err error
	if f.root, err = f.read(text); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// other returns the document that a reference in a file names, without its fragment.
// Only files below the folder of the first document and URLs of its origin are read.
func (l *loader) other(from *file, ref string) (*file, error) {
	u, err := url.Parse(ref)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	switch {
	case from.url != nil:
		return l.fetched(from.url.ResolveReference(u), from.url)
	case u.Scheme != "" || u.Host != "":
		return nil, errors.New("a reference may only lead to files below the document's folder")
	case from.path == "":
		return nil, errors.New("a document that is given as text cannot refer to others")
	}
	at := path.Join(path.Dir(from.path), u.Path)
	if path.IsAbs(u.Path) || !filepath.IsLocal(filepath.FromSlash(at)) {
		return nil, errors.New("a reference may only lead to files below the document's folder")
	}
	if f, ok := l.files[at]; ok {
		return f, nil
	}
	f := &file{path: at, name: at}
	text, err := l.below(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return l.keep(at, f, text)
}

// below reads a file below the folder; symbolic links do not lead out of it.
func (l *loader) below(at string) ([]byte, error) {
	root, err := files.OpenRoot(l.folder)
	if err != nil {
		return nil, files.Reason(err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	f, err := root.OpenFile(filepath.FromSlash(at), files.OpenAtOnce, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, files.Reason(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return files.ReadOpen(f, apis.MaxSource)
}

func (l *loader) fetched(to, from *url.URL) (*file, error) {
	if origin(to) != origin(from) {
		return nil, fmt.Errorf("a reference may only lead to documents of the same origin, %s", origin(from))
	}
	to.Fragment = ""
	at := to.String()
	if f, ok := l.files[at]; ok {
		return f, nil
	}
	text, err := l.fetch(to)
	if err != nil {
		return nil, err
	}
	return l.keep(at, &file{url: to, name: apis.Address(at)}, text)
}

func (l *loader) keep(at string, f *file, text []byte) (*file, error) {
	if len(l.files) == maxFiles {
		return nil, fmt.Errorf("the references lead to more than %d documents", maxFiles)
	}
	f, err := l.parsed(f, text)
	if err != nil {
		return nil, err
	}
	l.files[at] = f
	return f, nil
}
