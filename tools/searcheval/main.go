// Command searcheval measures search on a folder with corpus.jsonl and
// queries.jsonl, or on every such folder in DIR, with the index and the ranking
// of the server, and prints a report as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
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
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: searcheval [--dump FILE] DIR")
	}
	report, err := evaluate(ctx, flags.Arg(0), *dump)
	if err != nil {
		return err
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// evaluate reports on one set, or by name on each in a folder of sets.
func evaluate(ctx context.Context, dir, dump string) (any, error) {
	sets, names, err := evalset.ReadAll(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "corpus.jsonl")); err != nil {
		if dump != "" {
			return nil, fmt.Errorf("--dump works on one set, %s is a folder of sets: name one of the folders in it", dir)
		}
		reports := map[string]*evalset.Report{}
		for _, name := range names {
			if reports[name], err = sets[name].Measure(ctx, index, nil); err != nil {
				return nil, err
			}
		}
		return reports, nil
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
	return sets[names[0]].Measure(ctx, index, out)
}

// index returns the search of the server over some specs.
func index(list []*specs.Spec) evalset.Rank {
	x := search.New()
	x.Replace("corpus", list)
	snap := x.Snapshot()
	return func(ctx context.Context, text string, n int) ([]*specs.Spec, error) {
		r, err := snap.Search(ctx, search.Query{Text: text, Max: n})
		if err != nil {
			return nil, err
		}
		found := make([]*specs.Spec, len(r.Hits))
		for i, hit := range r.Hits {
			found[i] = hit.Spec
		}
		return found, nil
	}
}
