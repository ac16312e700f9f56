// Package ui has the built files of the user interface, so that the program serves them
// without Node. Their source is in the folder app. It imports nothing of ours.
package ui

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"sync"
)

//go:embed dist/*.gz dist/assets/*.gz
var dist embed.FS

//go:embed dist-app/graph.html.gz
var app []byte

// Files are index.html and what it loads, each compressed by gzip, with .gz after its name.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// App is the page that clients of MCP show for graphs and runs, one HTML file.
var App = sync.OnceValue(func() string {
	r, err := gzip.NewReader(bytes.NewReader(app))
	if err != nil {
		panic(err) // the file is embedded
	}
	html, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(html)
})
