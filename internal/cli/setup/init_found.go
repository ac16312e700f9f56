package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A surround is what init has found: the clients that are here, and the saved graphs.
type surround struct {
	Clients []foundClient `json:"clients"`
	Graphs  string        `json:"graphs"` // the folder
	Saved   int           `json:"saved_graphs"`
}

// A foundClient is a client that has a file here.
type foundClient struct {
	Name    string   `json:"name"`
	Starts  bool     `json:"starts_patchbay"`
	Servers []string `json:"servers,omitempty"` // that it has and the patchbay.yaml has not
}

// lookAround finds the clients, their servers and the saved graphs of a folder. A file that
// cannot be read is passed over: patchbay doctor says it.
func lookAround(dir, program string) (*surround, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cfg, _, err := config.Load(config.Options{Dir: dir, Trust: command.OwnTrust()})
	if err != nil {
		return nil, err
	}
	s := &surround{Clients: []foundClient{}, Graphs: cfg.GraphsDir}
	if saved, err := graphfiles.OpenGraphs(cfg.GraphsDir); err == nil {
		list, _ := saved.List()
		s.Saved = len(list)
	}
	own, err := serverfile.ReadFile(filepath.Join(dir, config.FileName), "")
	if err != nil && !errors.Is(err, serverfile.ErrNoServers) {
		return s, nil
	}
	for _, name := range serverfile.Clients() {
		c, err := serverfile.NewConnection(name, dir, serverfile.Program{Name: program}, os.LookupEnv)
		if err != nil {
			continue
		}
		one, here := foundClient{Name: name}, false
		for _, at := range []*serverfile.Connection{c, c.Elsewhere()} {
			text, err := files.ReadText(at.File, command.MaxInput)
			if here = here || err == nil; err == nil {
				_, _, has, _ := at.Have(text)
				one.Starts = one.Starts || has
			}
		}
		entries, _, _ := serverfile.Import(name, dir, os.LookupEnv)
		for _, e := range entries {
			if !slices.ContainsFunc(own, func(have serverfile.Entry) bool { return have.Name == e.Name }) {
				one.Servers = append(one.Servers, e.Name)
			}
		}
		if here || len(one.Servers) > 0 {
			s.Clients = append(s.Clients, one)
		}
	}
	return s, nil
}

func (s *surround) text(w *term.Page) {
	for _, c := range s.Clients {
		if c.Starts {
			fmt.Fprintf(w, "found %s, which starts Patchbay\n", c.Name)
		} else {
			fmt.Fprintf(w, "found %s: patchbay init --client %s has it start Patchbay\n", c.Name, c.Name)
		}
		if len(c.Servers) > 0 {
			fmt.Fprintf(w, "  it has the servers %s: patchbay mcp add --from %s adds them\n", strings.Join(c.Servers, ", "), c.Name)
		}
	}
	fmt.Fprintf(w, "%s in %s\n", term.Count(s.Saved, "saved graph"), s.Graphs)
}
