// Command gateways compares gateways for MCP that are written in Go: the time and the
// processor time of a call that passes through, and the memory that each takes. All
// serve over HTTP, in turn, with the same server behind them and the same client in
// front; the first two rows are that server itself and the thinnest gateway that the
// SDK allows. It prints a table in Markdown. It needs Linux.
//
//	go run ./bench/gateways -rounds 7 patchbay=PATH mcp-proxy=PATH …
//
// A row is measured for each gateway whose binary is named; [gateways] lists them.
// Others could not be measured without Docker (docker/mcp-gateway) or Envoy
// (Kuadrant/mcp-gateway).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 7, "how many times each gateway is measured; the best round counts")
	calls := flag.Int("calls", 500, "calls of a round, one after the other, and as many by 16 clients at once")
	fakeAddr := flag.String("fake", "", "serve as the downstream server at this address, or over stdio at -")
	thinAddr := flag.String("thin", "", "serve as the thinnest gateway at this address")
	flag.Parse()
	ctx := context.Background()
	var err error
	switch {
	case *fakeAddr != "":
		err = serveFake(ctx, *fakeAddr)
	case *thinAddr != "":
		err = serveThin(ctx, *thinAddr)
	default:
		err = compare(ctx, os.Stdout, flag.Args(), *rounds, *calls)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compare starts the gateways, measures them in turn, and writes the table.
func compare(ctx context.Context, w io.Writer, named []string, rounds, calls int) error {
	binaries := map[string]string{}
	for _, arg := range named {
		name, path, ok := strings.Cut(arg, "=")
		known := slices.ContainsFunc(gateways, func(g gateway) bool { return g.name == name })
		if !ok || !known {
			return fmt.Errorf("%q is not NAME=PATH of one of %s", arg, names())
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		binaries[name] = path
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gateways")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fakeURL, stop, err := startFake(ctx, self)
	if err != nil {
		return err
	}
	defer stop()
	filesURL, stop, err := serveFiles(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	var subjects []*subject
	defer func() {
		for _, s := range subjects {
			s.stop()
		}
	}()
	for _, g := range gateways {
		binary := binaries[g.name]
		if g.ours {
			binary = self
		}
		if binary == "" {
			continue
		}
		folder := strings.ReplaceAll(g.name, " ", "-")
		s, err := start(ctx, g, place{dir: filepath.Join(dir, folder), binary: binary, self: self, fakeURL: fakeURL, filesURL: filesURL + "/" + folder})
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		subjects = append(subjects, s)
	}
	for range rounds {
		for _, s := range subjects {
			if err := s.round(ctx, calls); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return table(w, subjects)
}

// table writes what the rounds of each subject came to.
func table(w io.Writer, subjects []*subject) error {
	var b strings.Builder
	b.WriteString("| gateway | version | behind it | p50 of a call | p99 | processor time of a call | calls a second, 16 clients | of these not answered | RSS at start | RSS at the end |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range subjects {
		best := s.best()
		fmt.Fprintf(&b, "| %s | %s | %s | %d µs | %d µs | %d µs | %.0f | %d | %.1f MB | %.1f MB |\n", s.name, s.version, s.behind,
			best.p50.Microseconds(), best.p99.Microseconds(), best.cpu.Microseconds(), best.throughput, best.lost, mb(s.idle), mb(s.end))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }

// names lists the gateways that a binary can be given for.
func names() string {
	var list []string
	for _, g := range gateways {
		if !g.ours {
			list = append(list, g.name)
		}
	}
	return strings.Join(list, ", ")
}

// startupTime is how long a gateway may take until its tools are listed.
const startupTime = 60 * time.Second
