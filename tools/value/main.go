// Command value measures what a saved graph saves: what passes through a model for
// tasks that recur, when an agent calls tools one by one, finds them by search_nodes and
// calls them by run_node, writes a script, or calls a saved graph. No model takes part:
// the calls are those that the task needs, and tokens are counted by the vocabulary of
// package tokens. The servers are in this process and always know the same.
//
//	go run ./tools/value [-write] [ITEMS…]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	ctx := context.Background()
	var err error
	if role := os.Getenv(roleEnv); role != "" {
		err = play(ctx, role)
	} else {
		err = run(ctx, os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "value:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("value", flag.ContinueOnError)
	write := flags.Bool("write", false, "write the figures into README.md and docs/measured/value.md of the working directory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sizes := []int{1, 10, 100, 1000}
	if flags.NArg() > 0 {
		sizes = nil
	}
	for _, arg := range flags.Args() {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return fmt.Errorf("ITEMS is %q, expected a number above 0", arg)
		}
		sizes = append(sizes, n)
	}
	f, err := measureAll(ctx, sizes)
	if err != nil {
		return err
	}
	if *write {
		return f.write(".")
	}
	_, err = fmt.Fprintf(stdout, "%s\n%s\n", f.table(), f.times())
	return err
}
