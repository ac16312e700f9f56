package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// TestDoctorListsMissedQueries asks a running server for the queries that found
// nothing: the most frequent first, none where the operator does not want them
// kept.
func TestDoctorListsMissedQueries(t *testing.T) {
	doctor := func(addr string, flags ...string) (string, int) {
		t.Helper()
		var out, errs bytes.Buffer
		code := Execute(t.Context(), append([]string{"doctor", "--searches", "--at", addr}, flags...), strings.NewReader(""), &out, &errs)
		return out.String() + errs.String(), code
	}
	serving := func(o app.Options) string {
		t.Helper()
		pb := app.New(o)
		server := httptest.NewServer(mcpserver.NewMetrics(pb).Handler(httpd.Options{}))
		t.Cleanup(server.Close)
		for _, query := range []string{"branch into yes and no", "qqqq jjjj", "zzzz xxxx", "zzzz xxxx"} {
			if _, fault := pb.Search(t.Context(), discover.SearchInput{Query: query}); fault != nil {
				t.Fatal(fault)
			}
		}
		return strings.TrimPrefix(server.URL, "http://")
	}
	kept := serving(app.Options{})
	if got, code := doctor(kept); code != command.ExitOK || !regexp.MustCompile(`^TIMES .*\n +2 .*  zzzz xxxx\n +1 .*  qqqq jjjj\n$`).MatchString(got) {
		t.Errorf("exit %d:\n%s", code, got)
	}
	if got, code := doctor(kept, "--json"); code != command.ExitOK || !strings.Contains(got, `"query": "qqqq jjjj"`) {
		t.Errorf("exit %d:\n%s", code, got)
	}
	if got, code := doctor(serving(app.Options{NoMissed: true})); code != command.ExitOK || got != "no failed searches recorded\n" {
		t.Errorf("searches not to be kept: exit %d:\n%s", code, got)
	}

	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if got, code := doctor(strings.TrimPrefix(other.URL, "http://")); code == command.ExitOK || !strings.Contains(got, "404 Not Found") || !strings.Contains(got, "does not look like a Patchbay server") {
		t.Errorf("another server: exit %d:\n%s", code, got)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	addr := strings.TrimPrefix(gone.URL, "http://")
	gone.Close()
	if got, code := doctor(addr); code == command.ExitOK || !strings.Contains(got, "no server answers at "+addr) || !strings.Contains(got, "serve --http") {
		t.Errorf("no server: exit %d:\n%s", code, got)
	}
}
