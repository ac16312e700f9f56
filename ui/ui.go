// Package ui has the built files of the user interface, so that the program serves them
// without Node. Their source is in the folder app. It imports nothing of ours.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

//go:embed dist-app/graph.html
var app string

// Files are index.html and what it loads.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// App is the page that clients of MCP show for graphs and runs, one HTML file.
func App() string { return app }
