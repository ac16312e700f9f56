// Command crosscheck checks the types of all packages and tests for other systems, and
// compiles nothing:
//
//	go run ./tools/crosscheck windows darwin
//
// It ends with 1 if something does not fit.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	code := 0
	for _, system := range os.Args[1:] {
		all, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Tests: true, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")}, "./...")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d packages and tests\n", system, len(all))
		if packages.PrintErrors(all) > 0 {
			code = 1
		}
	}
	os.Exit(code)
}
