// Package web serves the user interface to browsers: the built page at /ui/, the
// operations as JSON over HTTP at /ui/api/, and a stream of events. It decides
// nothing: a request of a page is judged as one of MCP is, and each operation is
// that of the table. It knows which browser has signed in, and the one file that
// the operator has named. It imports app, mcpserver and access.
package web

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// Path is where the page is.
const Path = "/ui/"

// Options say what is served, and to whom.
type Options struct {
	Files   fs.FS         // index.html and what it loads
	HTTP    httpd.Options // pages of other origins are refused, whatever it allows
	Version string        // of the program
	File    string        // the graph document that pages edit; "": none
	// LinkOnly lets in those only who have a link of [UI.Link]. Otherwise a browser needs what
	// a client of MCP needs.
	LinkOnly bool
	Wait     time.Duration                         // how long a request waits for its run, unless it says; 0 means 45 s
	Redact   func(json.RawMessage) json.RawMessage // masks secrets in what pages are sent; nil masks nothing
	Loaded   <-chan struct{}                       // closed when the catalog is loaded; operations wait for it. Nil means it is
}

// A UI serves the user interface of an App.
type UI struct {
	pb        *app.App
	o         Options
	sessions  *sessions
	endpoints []*mcpserver.Endpoint
	named     map[string]*mcpserver.Endpoint
	file      *file // nil without one
	streams   streams

	mu     sync.Mutex
	queues map[*queue]bool // of the streams of events
}

// defaultWait is how long a request waits for its run.
const defaultWait = 45 * time.Second

// New returns the user interface of an App.
func New(pb *app.App, o Options) *UI {
	o.Wait = cmp.Or(o.Wait, defaultWait)
	o.HTTP.AllowedOrigins = nil // they are of clients of MCP
	u := &UI{pb: pb, o: o, sessions: newSessions(), endpoints: mcpserver.Endpoints(), named: map[string]*mcpserver.Endpoint{}, queues: map[*queue]bool{}}
	for _, e := range u.endpoints {
		u.named[e.Name] = e
	}
	if o.File != "" {
		u.file = &file{path: o.File}
	}
	pb.RunChanges.Listen(func(string) { u.tell(func(q *queue) { q.runs = true }) })
	pb.Catalog().OnChange(func() { u.tell(func(q *queue) { q.catalog = true }) })
	return u
}

// Link returns the path of the page with a token that signs a browser in as the operator,
// once.
func (u *UI) Link() string { return Path + "?token=" + u.sessions.link() }

// Handler serves /ui and everything below it.
func (u *UI) Handler() http.Handler {
	open, signed := u.o.HTTP, u.o.HTTP
	signed.SignIn = u.signIn
	api := http.NewServeMux()
	api.HandleFunc("GET /ui/api/session", u.showSession)
	api.HandleFunc("DELETE /ui/api/session", u.endSession)
	api.HandleFunc("POST /ui/api/op/{name}", u.operate)
	api.HandleFunc("GET /ui/api/events", u.events)
	api.HandleFunc("GET /ui/api/file", u.showFile)
	api.HandleFunc("POST /ui/api/file", u.saveFile)
	api.HandleFunc("/ui/api/", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(Path, http.StatusFound))
	mux.Handle("GET /ui", http.RedirectHandler(Path, http.StatusPermanentRedirect))
	mux.Handle("/ui/", open.Guard(&pages{files: u.o.Files}, httpd.Public))
	mux.Handle("POST /ui/api/session", u.withFaults(open.Guard(http.HandlerFunc(u.openSession), httpd.Public)))
	mux.Handle("/ui/api/", u.withFaults(signed.Guard(api, httpd.AnyScope)))
	return mux
}
