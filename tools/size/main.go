// Command size prints how much Go the product has: its lines, its tokens and its share of lines
// with comments, of each package and in sum. The product is all Go that is not a test, a tool, a
// benchmark, an example, the module for Temporal or a folder that only measures (see notProduct).
//
//	go run ./tools/size [DIR]
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// notProduct are the folders that are not part of the product, with what is below them.
var notProduct = []string{
	".git", "build", "dist", "examples", "internal/tests", "temporal", "testdata", "tools", "ui/app",
}

// count is the size of some Go: the lines of its files, its tokens without comments, and its lines
// that have a comment.
type count struct{ lines, tokens, comments int }

func (c *count) add(o count) {
	c.lines += o.lines
	c.tokens += o.tokens
	c.comments += o.comments
}

func (c count) print(name string) {
	fmt.Printf("%7d %8d %5.1f%%  %s\n", c.lines, c.tokens, 100*float64(c.comments)/float64(max(c.lines, 1)), name)
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	packages, err := measure(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var sum count
	for _, c := range packages {
		sum.add(c)
	}
	names := make([]string, 0, len(packages))
	for name := range packages {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return packages[b].lines - packages[a].lines })
	fmt.Println("  lines   tokens comments")
	for _, name := range names {
		packages[name].print(name)
	}
	sum.print("the product")
}

// measure returns the size of each package of the product below dir.
func measure(dir string) (map[string]count, error) {
	packages := map[string]count{}
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains(notProduct, name) || path.Base(name) == "testdata" || path.Base(name) == "node_modules" {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		c := packages[path.Dir(name)]
		c.add(size(text))
		packages[path.Dir(name)] = c
		return nil
	})
	return packages, err
}

func size(text []byte) count {
	c := count{lines: strings.Count(string(text), "\n")}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return c
		case token.COMMENT:
			c.comments += strings.Count(literal, "\n") + 1
		case token.SEMICOLON:
			if literal == ";" { // not one that stands for the end of a line
				c.tokens++
			}
		default:
			c.tokens++
		}
	}
}
