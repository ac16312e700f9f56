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

// policy lets the page load its own files and ask its own server, and nothing else. There is
// no inline script. A style that a script adds has the nonce of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// nonceMark is where index.html has the nonce of the page.
const nonceMark = "__PATCHBAY_NONCE__"

// types are the content types of the files of a page; others are not served.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2", ".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// pages serve the built files. They are public: they know nothing of anybody.
type pages struct {
	files fs.FS
	sign  func(http.ResponseWriter, *http.Request) (answered bool)

	mu     sync.Mutex
	packed map[string]*packedFile
}

// A packedFile is a file as it is sent.
type packedFile struct {
	plain, gzip []byte // gzip is nil where it saves nothing
	kind        string
}

// ServeHTTP implements [http.Handler].
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	nonce := secret()[:22]
	h.Set("Content-Security-Policy", strings.Replace(policy, "NONCE", nonce, 1))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "pages are read only", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, Path)
	if name == "" || name == "index.html" {
		name = "index.html"
		if p.sign(w, r) {
			return
		}
	}
	f := p.get(name)
	if f == nil {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", f.kind)
	body := f.plain
	switch {
	case name == "index.html":
		h.Set("Cache-Control", "no-store")
		body = bytes.ReplaceAll(body, []byte(nonceMark), []byte(nonce))
	case strings.HasPrefix(name, "assets/"): // their names change with what is in them
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	default:
		h.Set("Cache-Control", "no-cache")
	}
	if name != "index.html" && f.gzip != nil {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = f.gzip
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}

// get returns a file by its path, nil if there is none to serve.
func (p *pages) get(name string) *packedFile {
	kind := types[path.Ext(name)]
	if kind == "" || !fs.ValidPath(name) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.packed[name]; f != nil {
		return f
	}
	plain, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil
	}
	f := &packedFile{plain: plain, kind: kind}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = z.Write(plain)
	if z.Close() == nil && b.Len() < len(plain)*9/10 {
		f.gzip = b.Bytes()
	}
	if p.packed == nil {
		p.packed = map[string]*packedFile{}
	}
	p.packed[name] = f
	return f
}
