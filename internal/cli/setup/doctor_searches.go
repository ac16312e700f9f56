package setup

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/discover"
)

var (
	codeBadReply = diag.DefineFault("bad-reply", diag.RefusesRequest, "what listens there is not Patchbay", "give another address with `--at`")
	codeNoServer = diag.DefineFault("no-server", diag.RefusesRequest, "no Patchbay server listens at the address (`doctor --searches`)", "start it with `serve --http`, or give `--at`")
)

// printSearches asks a running server for the queries that found nothing: they
// are kept in its memory only.
func printSearches(f *command.Flags, cmd *cobra.Command, addr string) error {
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
	return f.Print(cmd, command.Result{Value: report, Text: func(w *term.Page) {
		t := term.NewTable("times", "last", "query")
		for _, s := range report.Searches {
			t.Add(s.Times, term.Ago(s.Last, time.Now()), s.Query)
		}
		t.WriteOr(w, "no failed searches recorded")
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
