// Command searcheval measures search on a folder with corpus.jsonl and
// queries.jsonl, or on every such folder in DIR, with the index and the ranking
// of the server, and prints a report as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/search"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "searcheval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("searcheval", flag.ContinueOnError)
	dump := flags.String("dump", "", "write the ranked ids of every query of one set to this `FILE`, one JSON object a line")
	page := flags.String("write", "", "write tables of the quality, and of what each part of the ranking adds, to this Markdown `FILE`: between its lines "+qualityBegin+" and "+qualityEnd+", or all of it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: searcheval [--dump FILE] [--write FILE] DIR")
	}
	dir := flags.Arg(0)
	report, err := evaluate(ctx, dir, *dump)
	if err != nil {
		return err
	}
	if *page != "" {
		if err := writeQuality(ctx, dir, *page); err != nil {
			return err
		}
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// evaluate reports on one set, or by name on each in a folder of sets.
func evaluate(ctx context.Context, dir, dump string) (any, error) {
	_, err := os.Stat(filepath.Join(dir, "corpus.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		sets, err := search.EvaluateSets(ctx, dir)
		if err == nil && dump != "" {
			return nil, fmt.Errorf("--dump works on one set, %s is a folder of sets: name one of the folders in it", dir)
		}
		return sets, err
	}
	var out io.Writer
	if dump != "" {
		file, err := os.Create(dump)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		out = file
	}
	return search.Evaluate(ctx, dir, out)
}

// The lines of a document that enclose the tables.
const (
	qualityBegin = "<!-- quality -->"
	qualityEnd   = "<!-- /quality -->"
)

// writeQuality puts the tables into a document that has a place for them, else
// into a file of their own. A document that has half a place is left alone.
func writeQuality(ctx context.Context, dir, file string) error {
	var tables bytes.Buffer
	if err := search.Quality(ctx, dir, &tables); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	begin, end := []byte(qualityBegin+"\n"), []byte(qualityEnd+"\n")
	before, rest, found := bytes.Cut(text, begin)
	_, after, closed := bytes.Cut(rest, end)
	switch {
	case found && closed:
		tables = *bytes.NewBuffer(bytes.Join([][]byte{before, begin, []byte("\n"), tables.Bytes(), []byte("\n"), end, after}, nil))
	case found, len(bytes.TrimSpace(text)) > 0 && !bytes.HasPrefix(text, []byte("| set |")):
		return fmt.Errorf("%s has other text and no place for the tables: put the lines %s and %s where they should be, or name another file", file, qualityBegin, qualityEnd)
	}
	return files.Write(file, tables.Bytes(), 0o644)
}
