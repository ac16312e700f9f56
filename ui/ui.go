// Package ui has the built files of the user interface, so that the program serves them
// without Node. Their source is in the folder app. It imports nothing of ours.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed dist/*.gz dist/assets/*.gz
var dist embed.FS

//go:embed all:dist-app
var distApp embed.FS

// Files are index.html and what it loads, each compressed by gzip, with .gz after its name.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// App is the page that clients of MCP show for graphs and runs, one HTML file; "" if it was
// not built.
func App() string {
	html, err := distApp.ReadFile("dist-app/graph.html")
	if err != nil {
		return ""
	}
	return string(html)
}
