package command

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OwnName is the name of the program, which texts use. A program of another name with the
// same commands says its own instead.
const OwnName = "patchbay"

// ProgramName is the name of the program that runs.
func (f *Flags) ProgramName() string { return cmp.Or(f.Setup.Program, OwnName) }

// programPhrase is the program in a text: in front of a message, or in a command.
var programPhrase = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^|[^\w/.:@$=-])` + OwnName + `(: | [A-Za-z\[-])`)
})

// Named is a text of ours with the name of a program.
func Named(program, text string) string {
	if program == "" || program == OwnName {
		return text
	}
	return programPhrase().ReplaceAllString(text, "${1}"+program+"${2}")
}

// NameProgram writes the program's name into the help of its commands.
func NameProgram(root *cobra.Command) {
	if root.Name() == OwnName {
		return
	}
	program := root.Name()
	var all func(*cobra.Command)
	all = func(c *cobra.Command) {
		c.Short, c.Long, c.Example = Named(program, c.Short), Named(program, c.Long), Named(program, c.Example)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = Named(program, f.Usage) })
		for _, sub := range c.Commands() {
			all(sub)
		}
	}
	all(root)
}
