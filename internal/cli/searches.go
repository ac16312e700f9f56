package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/packs"
)

var (
	codeBadReply = diag.DefineFault("bad-reply", diag.RefusesRequest, "what listens there is not Patchbay", "give another address with `--at`")
	codeNoServer = diag.DefineFault("no-server", diag.RefusesRequest, "no Patchbay server listens at the address (`doctor --searches`)", "start it with `serve --http`, or give `--at`")
)

// printSearches asks a running server for the queries that found nothing: they
// are kept in its memory only.
func (f *flags) printSearches(cmd *cobra.Command, addr string) error {
	ctx := cmd.Context()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/searches", nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 5 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return &diag.Fault{
			Code: codeNoServer, Message: "no server answers at " + addr, Err: err,
			Hint: "only a server over HTTP records searches: patchbay serve --http ADDR, then patchbay doctor --searches --at ADDR",
		}
	}
	defer func() { _ = res.Body.Close() }()
	var report struct {
		Searches []discover.MissedQuery `json:"searches"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&report); err != nil || res.StatusCode != http.StatusOK {
		return diag.Faultf(codeBadReply, "the server at %s answered %s; this does not look like a Patchbay server", addr, res.Status)
	}
	return f.print(cmd, result{value: report, text: func(w *page) {
		t := newTable("times", "last", "query")
		for _, s := range report.Searches {
			t.add(s.Times, ago(s.Last, time.Now()), s.Query)
		}
		t.writeOr(w, "no failed searches recorded")
		suggested := false
		for _, s := range report.Searches {
			if s.Suggestion == "" {
				continue
			}
			if !suggested {
				fmt.Fprintln(w, "\nlines for the file of search.synonyms, from what the same callers searched for next:")
				suggested = true
			}
			fmt.Fprintln(w, "  "+s.Suggestion)
		}
	}})
}

// A packReport says what was found in a knowledge pack.
type packReport struct {
	Pack     string          `json:"pack"`
	Nodes    int             `json:"nodes"`
	Findings []packs.Finding `json:"findings"`
}

func packsCommand(f *flags) *cobra.Command {
	c := groupCommand("packs", "Knowledge packs: descriptions of nodes of other systems", "  patchbay packs lint ./knowledge")
	c.Aliases = []string{"specs"} // its earlier name
	c.AddCommand(&cobra.Command{
		Use: "lint DIR…", Short: "Check knowledge packs", Example: "  patchbay packs lint ./knowledge",
		RunE: func(cmd *cobra.Command, args []string) error {
			failed := false
			reports := []packReport{}
			for _, dir := range args {
				pack, found, err := packs.Load(dir)
				if err != nil {
					return err
				}
				failed = failed || packs.HasErrors(found)
				if found == nil {
					found = []packs.Finding{}
				}
				reports = append(reports, packReport{pack.Name, len(pack.Specs), found})
			}
			return failedIf(failed, f.print(cmd, result{value: map[string]any{"packs": reports}, text: func(w *page) {
				for _, r := range reports {
					for _, x := range r.Findings {
						fmt.Fprintln(w, x)
					}
					fmt.Fprintf(w, "%s: %s, %s\n", r.Pack, counted(r.Nodes, "node"), counted(len(r.Findings), "finding"))
				}
			}}))
		},
	})
	return c
}
