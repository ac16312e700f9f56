package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// policy lets the page load its own files and ask its own server, and nothing else: no inline
// script and no inline style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are the content types of the files of a page; others are not served.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2", ".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// pages serve the built files, which are public.
type pages struct {
	files  fs.FS
	packed sync.Map // the bytes of a file, compressed by gzip, by its name
}

// ServeHTTP implements [http.Handler].
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "pages are read only", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, Path)
	if name == "" || name == "index.html" {
		name = "index.html"
	}
	kind, body := p.get(name)
	if body == nil {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", kind)
	switch {
	case name == "index.html":
		h.Set("Cache-Control", "no-store")
	case strings.HasPrefix(name, "assets/"): // their names change with what is in them
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	default:
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = p.compressed(name, body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}

// get returns the content type of a file and its bytes, nil if no file is served by this name.
func (p *pages) get(name string) (kind string, body []byte) {
	kind = types[path.Ext(name)]
	if kind == "" || !fs.ValidPath(name) {
		return "", nil
	}
	body, err := fs.ReadFile(p.files, name)
	if err != nil {
		return "", nil
	}
	return kind, body
}

// compressed returns the bytes of a file compressed by gzip, which is done once.
func (p *pages) compressed(name string, body []byte) []byte {
	if packed, ok := p.packed.Load(name); ok {
		return packed.([]byte)
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = z.Write(body)                                  // a buffer takes all
	_ = z.Close()
	p.packed.Store(name, b.Bytes())
	return b.Bytes()
}
