package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/search"
)

func benchCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "bench", Short: "Measure"}
	var dump, write string
	s := &cobra.Command{
		Use: "search DIR", Short: "Measure search on a corpus.jsonl and queries.jsonl", Args: cobra.ExactArgs(1),
		Long: `Measure search on a folder with corpus.jsonl and queries.jsonl, or on every such folder in DIR, with the index and the ranking of the
server. corpus.jsonl has one tool a line, {"id", "server", "name", "description", "parameters": [{"name", "description"}], "outputs"};
queries.jsonl has {"id", "text", "relevant": [ids]}.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.json = true
			report, err := benchSearch(cmd.Context(), args[0], dump)
			if err != nil {
				return err
			}
			if write != "" {
				if err := writeQuality(cmd.Context(), args[0], write); err != nil {
					return err
				}
			}
			return f.print(cmd.OutOrStdout(), report, nil)
		},
	}
	s.Flags().StringVar(&dump, "dump", "", "write the ranked ids of every query of one set to this `FILE`, one JSON object a line")
	s.Flags().StringVar(&write, "write", "", "write tables of the quality, and of what each part of the ranking adds to it, to this Markdown `FILE`: between its lines "+qualityBegin+" and "+qualityEnd+", or all of it")
	c.AddCommand(s)
	return c
}

// benchSearch reports on one set, or by name on each in a folder of sets.
func benchSearch(ctx context.Context, dir, dump string) (any, error) {
	_, err := os.Stat(filepath.Join(dir, "corpus.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		sets, err := search.EvaluateSets(ctx, dir)
		if err == nil && dump != "" {
			return nil, &diag.Fault{Code: "bad-argument", Message: "--dump is of one set, " + dir + " is a folder of sets", Hint: "name one of the folders in it"}
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

// The lines of a document between which the tables stand.
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
		return &diag.Fault{Code: "bad-argument", Message: file + " has other text and no place for the tables", Hint: "put the lines " + qualityBegin + " and " + qualityEnd + " where they should stand, or name another file"}
	}
	return maybe.WriteFile(file, tables.Bytes(), 0o644)
}
