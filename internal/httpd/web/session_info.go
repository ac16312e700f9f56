package web

import (
	"cmp"
	"net/http"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// sessionInfo is what a page knows at its start.
type sessionInfo struct {
	Version    string          `json:"version"`
	Project    string          `json:"project,omitempty"`
	File       *fileInfo       `json:"file"`
	Principal  string          `json:"principal"`
	Scopes     []string        `json:"scopes"`
	Operations []operationInfo `json:"operations"`
	Limits     limits          `json:"limits"`
}

type fileInfo struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// operationInfo describes an operation that the principal may do.
type operationInfo struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Summary  string `json:"summary"`
	ReadOnly bool   `json:"readOnly"`
}

// limits are those that a page meets.
type limits struct {
	RequestBytes int   `json:"requestBytes"`
	ReplyBytes   int   `json:"replyBytes"`
	GraphBytes   int   `json:"graphBytes"`
	Streams      int   `json:"streams"` // of events, of one principal
	WaitMs       int64 `json:"waitMs"`  // for a run, unless a request says
}

// showSession describes the session of a browser.
func (u *UI) showSession(w http.ResponseWriter, r *http.Request) {
	who := callerFrom(r)
	info := sessionInfo{
		Version: u.o.Version, Principal: who.name, Project: u.pb.Config().Project, Scopes: who.scopes(), Operations: []operationInfo{},
		Limits: limits{RequestBytes: httpd.MaxBody, ReplyBytes: mcpserver.MaxReply, GraphBytes: graph.MaxBytes, Streams: maxStreams, WaitMs: u.o.Wait.Milliseconds()},
	}
	if u.file != nil && who.session.operator {
		info.File = &fileInfo{Path: u.file.path, Name: filepath.Base(u.file.path)}
	}
	for _, e := range u.endpoints {
		if o := e.Operation; who.mayDo(o) {
			title := cmp.Or(o.Title, o.Summary)
			info.Operations = append(info.Operations, operationInfo{Name: e.Name, Title: title, Summary: o.Summary, ReadOnly: o.Hints.ReadOnly})
		}
	}
	writeJSON(w, http.StatusOK, info)
}
