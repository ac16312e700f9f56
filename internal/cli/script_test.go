package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestMain makes the test binary eleven programs, by the name it is called by:
// patchbay itself, a downstream server that misbehaves when told to, a
// client that works through a list of requests, a run that is killed,
// a server that records its calls, one whose calls the test answers, one that repeats
// what it is sent, the thinnest gateway over that, and two servers with which the demo
// must fail.
func TestMain(m *testing.M) {
	hooks.ServeIfWorker()
	if os.Getenv(config.TrustVariable) == "" { // the scripts about trust set it
		_ = os.Setenv(config.TrustVariable, "all")
	}
	testscript.Main(testenv.Home(m), map[string]func(){
		"patchbay": func() {
			surviveFullDisk()
			setup := app.Setup{RecoverDelay: time.Millisecond}
			if file := os.Getenv("HEARD"); file != "" && !slices.Contains(os.Args, "serve") && !slices.Contains(os.Args, "demo") {
				os.Exit(heard(file, &command.Flags{OptionalWait: command.MaxOptionalWait, Setup: setup}))
			}
			Main(setup, nil, nil)
		},
		"fake":       server(fake),
		"leaky":      server(leaky),
		"standin":    server(standin),
		"session":    session,
		"crashing":   crashing,
		"recorder":   server(recorder),
		"counting":   server(counting),
		"dialer":     server(dialer),
		"echoing":    server(echoing),
		"large":      server(large),
		"thin":       server(thin),
		"doubling":   server(doubling),
		"unchanging": server(unchanging),
	})
}

// server ends the process without the second that os.Exit waits under the race
// detector: a server has none of the environment, so GORACE does not reach it.
func server(serve func()) func() {
	return func() {
		serve()
		syscall.Exit(0)
	}
}

// npmServers is the folder of the official servers that make npm installs.
var npmServers = absolute("../../testdata/npm/node_modules/@modelcontextprotocol")

func absolute(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return full
}

// typescriptCompiler is what make npm installs, too.
var typescriptCompiler = absolute("../../testdata/npm/node_modules/typescript/bin/tsc")

func haveTypeScript() bool {
	_, err := os.Stat(typescriptCompiler)
	return err == nil && haveNpm()
}

func haveNpm() bool {
	_, node := exec.LookPath("node")
	_, installed := os.Stat(filepath.Join(npmServers, "server-filesystem"))
	return node == nil && installed == nil
}

// TestScripts runs the scripts. No command but those that speak MCP names a tool of
// the product in what it says. With -short only the scripts in which patchbay serves
// are run: of all commands, a server does the most at the same time.
func TestScripts(t *testing.T) {
	named := filepath.Join(t.TempDir(), "named")
	t.Cleanup(func() {
		if lines, err := os.ReadFile(named); err == nil {
			t.Errorf("commands speak of tools:\n%s", lines)
		}
	})
	if !haveNpm() {
		t.Log("the scripts with official servers are skipped: node is missing, or make npm was not run")
	}
	scripts, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		scripts = slices.DeleteFunc(scripts, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && !bytes.Contains(text, []byte("patchbay serve"))
		})
	}
	testscript.Run(t, testscript.Params{
		Files:               scripts,
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			e.Setenv("HOME", home)
			e.Setenv("NO_COLOR", "1")
			e.Setenv(config.TrustVariable, "all")
			e.Setenv("HEARD", named)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("NPM", npmServers)
			e.Setenv("TSC", typescriptCompiler)
			e.Setenv("TYPES", absolute("../../testdata/npm/node_modules/@types"))
			web := httptest.NewServer(http.HandlerFunc(serveWeb))
			e.Defer(web.Close)
			e.Setenv("WEB", web.URL)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"runid": runID},
		Condition: func(name string) (bool, error) {
			return name == "npm" && haveNpm() || name == "tsc" && haveTypeScript(), nil
		},
	})
}

// runID sets RUN to the id of the first run of a list, written as JSON to a file.
func runID(ts *testscript.TestScript, _ bool, args []string) {
	var list struct {
		Runs []struct {
			ID string `json:"run_id"`
		} `json:"runs"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	if len(list.Runs) == 0 {
		ts.Fatalf("%s lists no runs", args[0])
	}
	ts.Setenv("RUN", list.Runs[0].ID)
}

// played is a model that calls thanks praise, and everything else a question.
var played = &modeltest.Endpoint{Answer: func(_ int, r modeltest.Request) modeltest.Reply {
	kind := "question"
	if strings.Contains(r.Prompt, "hank") {
		kind = "praise"
	}
	return modeltest.Reply{Text: `{"kind":"` + kind + `"}`, In: 10, Out: 5}
}}

// serveWeb is a web service for scripts: it has one thing, keeps no other, and
// repeats what it is sent.
func serveWeb(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/things/1":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"name":"lamp","price":9007199254740993}`)
	case "/echo":
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"authorization": r.Header.Get("Authorization"), "body": string(body)})
	case "/v1/chat/completions":
		played.ServeHTTP(w, r)
	case "/inside":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, "no %s here", r.URL.Path)
	}
}
