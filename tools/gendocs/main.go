// Command gendocs writes docs/reference and the rules from the values that the
// program itself uses: node types, rules of the checker, MCP tools, commands. It
// is run from the root of the repository; see make generate.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", referenceDir, "`DIR` to write to")
	fixtures := flag.String("fixtures", filepath.FromSlash("testdata/err"), "`DIR` with faulty graphs and what is reported about them, x.yaml and x.yaml.out")
	flag.Parse()
	if err := write(context.Background(), os.Stdout, *out, *fixtures); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}
