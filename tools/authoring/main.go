// Command authoring measures how models do and automate tasks that recur, in six ways:
// with every tool listed (direct), by search_nodes and run_node (search), by a script
// over exported functions (script), by a graph that is there (saved), and by a graph
// or a function that they write (graph, code); without and with faults. It talks to an endpoint or to a coding
// agent's command line and spends tokens, so no test and no CI runs it against a real one.
//
//	go run ./tools/authoring -endpoint URL -model STRONG,SMALL -key-env VARIABLE -budget TOKENS -out LOG [-raw FOLDER]
//	go run ./tools/authoring -command LINE -model STRONG,SMALL -out LOG [-raw FOLDER]
//	go run ./tools/authoring -page LOG
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var err error
	if addr := os.Getenv(addrEnv); addr != "" {
		err = pass(context.Background(), addr)
	} else {
		err = measure(context.Background(), os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "authoring:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	endpoint, api, command       string
	model, keyEnv, out, raw, log string
	tasks, arms, faults          string
	budget, repeats, items       int
	seed                         uint64
	scripts                      bool
}

func parse(args []string) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("authoring", flag.ContinueOnError)
	flags.StringVar(&s.endpoint, "endpoint", "", "`URL` of the endpoint, to which /chat/completions is added")
	flags.StringVar(&s.api, "api", "openai", "the interface of the endpoint: openai, or anthropic, to whose URL /messages is added")
	flags.StringVar(&s.command, "command", "", "instead of an endpoint, the command `LINE` of a coding agent, in which {model} and {config}, a file with MCP servers, are replaced")
	flags.StringVar(&s.raw, "raw", "", "write each conversation into this `FOLDER`")
	flags.StringVar(&s.log, "page", "", "measure nothing: print the page of this `LOG`")
	flags.StringVar(&s.model, "model", "", "`NAMES` of the models, separated by commas")
	flags.StringVar(&s.keyEnv, "key-env", "OPENAI_API_KEY", "the `VARIABLE` that has the key of the endpoint")
	flags.IntVar(&s.budget, "budget", 0, "how many `TOKENS` may be used altogether; what is not done then is logged as lost")
	flags.IntVar(&s.repeats, "repeats", 5, "how often each task is done")
	flags.IntVar(&s.items, "items", 40, "how many items the smallest world has")
	flags.Uint64Var(&s.seed, "seed", 1, "makes the sizes of the worlds, up to half as many items more")
	flags.StringVar(&s.out, "out", "", "append each attempt to this `FILE` as a line of JSON")
	flags.StringVar(&s.arms, "arms", strings.Join(armNames(), ","), "which ways")
	flags.StringVar(&s.faults, "faults", noFault, "which faults, or all: "+strings.Join(faults, ","))
	flags.StringVar(&s.tasks, "tasks", "", "which tasks (default all)")
	flags.BoolVar(&s.scripts, "scripts", false, "run the scripts that models write, on this machine and without a sandbox: use a container")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if s.faults == "all" {
		s.faults = strings.Join(faults, ",")
	}
	switch {
	case s.log != "":
		return s, nil
	case s.api != "openai" && s.api != "anthropic":
		return nil, fmt.Errorf("unknown interface %q: openai or anthropic", s.api)
	case s.model == "" || s.command == "" && (s.endpoint == "" || s.budget < 1):
		return nil, errors.New("-model is needed, and -endpoint with -budget, or -command")
	}
	for name := range strings.SplitSeq(s.arms, ",") {
		if !slices.Contains(armNames(), name) {
			return nil, fmt.Errorf("unknown way %q: the ways are %s", name, strings.Join(armNames(), ", "))
		}
	}
	for fault := range strings.SplitSeq(s.faults, ",") {
		if !slices.Contains(faults, fault) {
			return nil, fmt.Errorf("unknown fault %q: the faults are %s", fault, strings.Join(faults, ", "))
		}
	}
	return s, nil
}

// measure does what the flags ask for, and prints the tables.
func measure(ctx context.Context, args []string, stdout io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	if s.log != "" {
		rows, err := readLog(s.log)
		if err != nil {
			return err
		}
		_, err = io.WriteString(stdout, page(rows))
		return err
	}
	log := io.Discard
	if s.out != "" {
		f, err := os.OpenFile(s.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		log = f
	}
	e := &endpoint{api: s.api, url: s.endpoint, key: os.Getenv(s.keyEnv), client: &http.Client{Timeout: 10 * time.Minute}, budget: &budget{s.budget}}
	var d driver = e
	if s.command != "" {
		d = &command{s.command}
	}
	rows, err := s.attempts(ctx, d, log)
	if err != nil {
		return err
	}
	used := ""
	if s.command == "" {
		used = fmt.Sprintf("\n%d of %d tokens were used.\n", s.budget-e.budget.left, s.budget)
	}
	_, err = io.WriteString(stdout, page(rows)+used)
	return err
}

// attempts does each task in each way, and logs each attempt when it is over. All ways of
// a repeat have worlds of the same size.
func (s *settings) attempts(ctx context.Context, d driver, log io.Writer) (rows []*row, err error) {
	tasks, err := allTasks()
	if err != nil {
		return nil, err
	}
	out := json.NewEncoder(log)
	for i := range tasks {
		t := &tasks[i]
		if s.tasks != "" && !slices.Contains(strings.Split(s.tasks, ","), t.Name) {
			continue
		}
		sizes := rand.New(rand.NewPCG(s.seed, uint64(i))) //nolint:gosec // not for secrets
		for repeat := range s.repeats {
			n := s.items + sizes.IntN(s.items/2+1)
			want, err := expect(ctx, t, n)
			if err != nil {
				return nil, err
			}
			for _, r := range s.rows(t, repeat+1, n) {
				raw := s.do(ctx, d, t, want, r)
				if err := errors.Join(out.Encode(r), s.keep(r, raw), ctx.Err()); err != nil {
					return nil, err
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

// rows are the attempts at a task in one world.
func (s *settings) rows(t *task, repeat, n int) (list []*row) {
	for model := range strings.SplitSeq(s.model, ",") {
		for fault := range strings.SplitSeq(s.faults, ",") {
			for _, a := range arms {
				if applies(fault, t) && slices.Contains(strings.Split(s.arms, ","), a.name) {
					list = append(list, &row{Model: model, Arm: a.name, Fault: fault, Task: t.Name, Repeat: repeat, Items: n})
				}
			}
		}
	}
	return list
}

// keep writes the conversation of an attempt into a file of its own.
func (s *settings) keep(r *row, raw []byte) error {
	if s.raw == "" || raw == nil {
		return nil
	}
	if err := os.MkdirAll(s.raw, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-%s-%s-%d.json", strings.ReplaceAll(r.Model, "/", "_"), r.Task, r.Arm, r.Fault, r.Repeat)
	return os.WriteFile(filepath.Join(s.raw, name), raw, 0o600)
}

// do does one attempt, or says why it is lost. It returns the conversation.
func (s *settings) do(ctx context.Context, d driver, t *task, want *expectation, r *row) []byte {
	a := &arms[slices.IndexFunc(arms, func(a arm) bool { return a.name == r.Arm })]
	switch {
	case s.command != "" && a.config == nil:
		r.Lost = "an agent's command line cannot be given these tools alone"
	case r.Arm == "script" && !s.scripts:
		r.Lost = "scripts are not run without -scripts"
	case r.Arm == "script" && !nodeRunsTypeScript(ctx):
		r.Lost = "Node 22.18 is not installed"
	default:
		return attempt(ctx, d, a, t, want, r)
	}
	r.At = time.Now().UTC().Format(time.RFC3339)
	return nil
}

func armNames() (names []string) {
	for _, a := range arms {
		names = append(names, a.name)
	}
	return names
}

// readLog reads the attempts of a log.
func readLog(file string) (rows []*row, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		r := &row{}
		if err := json.Unmarshal([]byte(line), r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
