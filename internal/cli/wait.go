package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

const (
	// startLimit is how long the process of a server may take to answer: npx may
	// have to install it first.
	startLimit = 2 * time.Minute
	// patience is how long a command that runs once waits for a server that it
	// needs. It covers startLimit and the second attempt that follows, so that the
	// outcome can be reported. A client of serve can ask again and waits less.
	patience = 3 * time.Minute
	// glance is how long a command waits for a server that it can do without.
	glance = 5 * time.Second
)

// A limit is how long a command waits for a server that is starting.
type limit func(f *flags, s downstream.Status) time.Duration

// untilKnown waits until the outcome of each start is known.
func untilKnown(*flags, downstream.Status) time.Duration { return patience }

// untilListed waits until the tools of each server are known; those that are
// cached are used when the server is slow.
func untilListed(f *flags, s downstream.Status) time.Duration {
	if s.State == "cached" {
		return f.glance
	}
	return patience
}

// briefly waits for every server a little. A graph that names a server waits
// for that one longer.
func briefly(f *flags, _ downstream.Status) time.Duration { return f.glance }

// once assembles the product for a command that runs once, and waits for the
// servers that are starting.
func (f *flags) once(ctx context.Context, stderr io.Writer, most limit) (*product, error) {
	p, err := f.assemble(ctx, stderr)
	if err != nil {
		return nil, err
	}
	if err := p.settle(ctx, f, most); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// onceFor is once for a command about nodes: servers that the nodes do not need
// are not started.
func (f *flags) onceFor(ctx context.Context, stderr io.Writer, nodes []string) (*product, error) {
	f.offline = true
	p, err := f.assemble(ctx, stderr)
	if err != nil {
		return nil, err
	}
	needed, others := p.serversOf(nodes)
	if others {
		p.hub.Start(ctx)
	} else if len(needed) > 0 {
		p.hub.Start(ctx, needed...)
	}
	err = p.settle(ctx, f, func(f *flags, s downstream.Status) time.Duration {
		switch {
		case slices.Contains(needed, s.Name):
			return untilListed(f, s)
		case others:
			return f.glance
		}
		return 0
	})
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// serversOf returns the servers that the ids of nodes name. Others reports that
// an id names none and is not in the catalog: any server may have it.
func (p *product) serversOf(nodes []string) (needed []string, others bool) {
	snap := p.Catalog().Snapshot()
	for _, id := range nodes {
		spec, _ := snap.Resolve(catalog.Ref{ID: id})
		if spec != nil && spec.ID() == id || strings.HasPrefix(id, "graph:") {
			continue
		}
		i := slices.IndexFunc(p.hub.Status(), func(s downstream.Status) bool {
			return strings.HasPrefix(strings.TrimPrefix(id, "mcp:"), s.Name+"/")
		})
		if i < 0 {
			others = true
			continue
		}
		needed = append(needed, p.hub.Status()[i].Name)
	}
	return needed, others
}

// settle waits until no server is starting any more, or its limit is reached.
// The error says that the command was interrupted.
func (p *product) settle(ctx context.Context, f *flags, most limit) error {
	var all sync.WaitGroup
	for _, s := range p.hub.Status() {
		if wait := most(f, s); s.State != "failed" && wait > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				_ = p.hub.Ready(ctx, s.Name)
			})
		}
	}
	all.Wait()
	if ctx.Err() != nil {
		return &diag.Fault{Code: "cancelled", Message: "the command was interrupted while it waited for servers"}
	}
	return nil
}

// installers are programs that may fetch a server before they start it.
var installers = map[string]bool{
	"npx": true, "npm": true, "pnpm": true, "yarn": true, "bunx": true, "uvx": true, "uv": true, "pipx": true, "docker": true, "podman": true,
}

// tellWaiting returns a function that says once of each server that a command
// waits for it.
func tellWaiting(stderr io.Writer, servers []downstream.Server) func(name string) {
	commands := map[string]string{}
	for _, s := range servers {
		name := filepath.Base(s.Command)
		commands[s.Name] = strings.TrimSuffix(name, filepath.Ext(name))
	}
	var mu sync.Mutex
	told := map[string]bool{}
	return func(name string) {
		mu.Lock()
		defer mu.Unlock()
		if told[name] {
			return
		}
		told[name] = true
		why := ""
		if installers[commands[name]] {
			why = fmt.Sprintf(" (%s may be installing it)", commands[name])
		}
		fmt.Fprintf(stderr, "waiting for server %q to start%s…\n", name, why)
	}
}
