package cli

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ownName is the name of the program, which texts use. A program of another name with the
// same commands says its own instead.
const ownName = "patchbay"

// programName is the name of the program that runs.
func (f *flags) programName() string { return cmp.Or(f.setup.Program, ownName) }

// programPhrase is the program in a text: in front of a message, or in a command.
var programPhrase = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^|[^\w/.:@$=-])` + ownName + `(: | [A-Za-z\[-])`)
})

// named is a text of ours with the name of a program.
func named(program, text string) string {
	if program == "" || program == ownName {
		return text
	}
	return programPhrase().ReplaceAllString(text, "${1}"+program+"${2}")
}

// name writes the program's name into the help of its commands.
func name(root *cobra.Command) {
	if root.Name() == ownName {
		return
	}
	program := root.Name()
	var all func(*cobra.Command)
	all = func(c *cobra.Command) {
		c.Short, c.Long, c.Example = named(program, c.Short), named(program, c.Long), named(program, c.Example)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = named(program, f.Usage) })
		for _, sub := range c.Commands() {
			all(sub)
		}
	}
	all(root)
}
