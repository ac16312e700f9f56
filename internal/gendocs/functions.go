package main

import (
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// expressionsName is a page that people write, but for the list of functions.
const expressionsName = "expressions.md"

// expressionsPage is the page in dir with the functions that the program has.
func expressionsPage(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, expressionsName))
	if err != nil {
		return "", err
	}
	return replaceSection(string(b), "functions", functionsTables())
}

// functionsTables lists the functions of expressions, one table for each area.
func functionsTables() string {
	w := &writer{}
	var area jsonata.Area
	for _, b := range jsonata.Builtins() {
		if b.Area != area {
			if area != "" {
				w.line("")
			}
			area = b.Area
			w.head(string(area), "returns", "type", "takes `$`", "steps")
		}
		name := "`$" + b.Name + "(" + b.Args + ")`"
		if b.Own && area != jsonata.AreaRun {
			name += " ⁺"
		}
		doc := b.Doc
		if b.Varies {
			doc += "; the same when a run is resumed or replayed"
		}
		w.row(name, doc, b.Result.String(), yesNo(len(b.Params()) > 0 && b.Params()[0].Context), b.Cost.String())
	}
	return w.String()
}
