// Command live measures how models do tasks that recur, in four ways: with every tool
// listed (A), by search_nodes and run_node (B), by a script over exported functions (C)
// and by a saved graph (D); without and with faults. It talks to an OpenAI-compatible
// endpoint and spends tokens, so no test and no CI runs it against a real one.
//
//	go run ./bench/live -endpoint URL -model STRONG,SMALL -key-env VARIABLE -budget TOKENS [-out FILE]
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
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

func main() {
	var err error
	if addr := os.Getenv(addrEnv); addr != "" {
		err = pass(context.Background(), addr)
	} else {
		err = measure(context.Background(), os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	endpoint, model, keyEnv, out string
	tasks, arms, faults          string
	budget, repeats, items       int
	seed                         uint64
	scripts                      bool
}

func parse(args []string) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	flags.StringVar(&s.endpoint, "endpoint", "", "`URL` of the endpoint, to which /chat/completions is added")
	flags.StringVar(&s.model, "model", "", "`NAMES` of the models, separated by commas")
	flags.StringVar(&s.keyEnv, "key-env", "OPENAI_API_KEY", "the `VARIABLE` that has the key of the endpoint")
	flags.IntVar(&s.budget, "budget", 0, "how many `TOKENS` may be used altogether; what is not done then is logged as lost")
	flags.IntVar(&s.repeats, "repeats", 10, "how often each task is done")
	flags.IntVar(&s.items, "items", 40, "how many items the smallest world has")
	flags.Uint64Var(&s.seed, "seed", 1, "makes the sizes of the worlds, up to half as many items more")
	flags.StringVar(&s.out, "out", "", "append each attempt to this `FILE` as a line of JSON")
	flags.StringVar(&s.arms, "arms", "A,B,C,D", "which ways")
	flags.StringVar(&s.faults, "faults", noFault, "which faults, or all: "+strings.Join(faults, ","))
	flags.StringVar(&s.tasks, "tasks", "", "which tasks (default all)")
	flags.BoolVar(&s.scripts, "scripts", false, "run the scripts that models write, on this machine and without a sandbox: use a container")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if s.faults == "all" {
		s.faults = strings.Join(faults, ",")
	}
	if s.endpoint == "" || s.model == "" || s.budget < 1 {
		return nil, errors.New("-endpoint, -model and -budget are needed")
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
	log := io.Discard
	if s.out != "" {
		f, err := os.OpenFile(s.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		log = f
	}
	e := &endpoint{url: s.endpoint, key: os.Getenv(s.keyEnv), client: &http.Client{Timeout: 10 * time.Minute}, budget: &budget{s.budget}}
	rows, err := s.attempts(ctx, e, log)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n%d of %d tokens were used.\n", tables(rows), s.budget-e.budget.left, s.budget)
	return err
}

// attempts does each task in each way, and logs each attempt when it is over. All ways of
// a repeat have worlds of the same size.
func (s *settings) attempts(ctx context.Context, e *endpoint, log io.Writer) (rows []*row, err error) {
	tasks, err := sample.Tasks()
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
				s.do(ctx, e, t, want, r)
				if err := errors.Join(out.Encode(r), ctx.Err()); err != nil {
					return nil, err
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

// rows are the attempts at a task in one world.
func (s *settings) rows(t *sample.Task, repeat, n int) (list []*row) {
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

// do does one attempt, or says why it is lost.
func (s *settings) do(ctx context.Context, e *endpoint, t *sample.Task, want *expectation, r *row) {
	a := &arms[slices.IndexFunc(arms, func(a arm) bool { return a.name == r.Arm })]
	switch {
	case e.budget.left <= 0:
		r.Lost = errBudget.Error()
	case r.Arm == "C" && !s.scripts:
		r.Lost = "scripts are not run without -scripts"
	case r.Arm == "C" && !nodeRunsTypeScript(ctx):
		r.Lost = "Node 22.18 is not installed"
	default:
		attempt(ctx, e, a, t, want, r)
		return
	}
	r.At = time.Now().UTC().Format(time.RFC3339)
}
