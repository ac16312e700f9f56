package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// arguments are those that the graph, tool or question before them takes: KEY= while the
// word has no =, then the values that the schema lists.
func arguments(c *completion) ([]string, cobra.ShellCompDirective) {
	key, _, hasValue := strings.Cut(c.begun, "=")
	var words []string
	for _, a := range c.acceptedArguments() {
		switch {
		case hasValue && a.Name == key:
			for _, choice := range argumentValues(a) {
				words = append(words, key+"="+choice)
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		case !hasValue && !slices.ContainsFunc(c.args, func(word string) bool { return strings.HasPrefix(word, a.Name+"=") }):
			words = append(words, described(a.Name+"=", a.Description))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func argumentNames(c *completion) (names []string, _ cobra.ShellCompDirective) {
	return lists.Each(c.acceptedArguments(), func(a execution.Argument) string { return described(a.Name, a.Description) }), cobra.ShellCompDirectiveNoFileComp
}

// argumentValues are the values that a schema lists, as they are written on a command line.
func argumentValues(a execution.Argument) []string {
	values := command.ChoiceTexts(a)
	if len(values) == 0 && slices.Equal(a.Types, []string{"boolean"}) {
		return []string{"true", "false"}
	}
	return values
}

// acceptedArguments are those that the operation takes with what is before the word.
func (c *completion) acceptedArguments() (list []execution.Argument) {
	words := strings.Join(strings.Fields(c.cmd.CommandPath())[1:], " ")
	at := slices.IndexFunc(app.Operations(), func(o app.Operation) bool { return o.Command == words })
	if at < 0 {
		return nil
	}
	o := app.Operations()[at]
	i := &command.Invocation{Flags: c.Flags, Presenter: presenters[words], Operation: o, Fields: o.Fields(), In: o.NewInput(), Cmd: c.cmd}
	before := command.FieldPlaces(i.Fields)
	before = slices.DeleteFunc(before, func(p command.Place) bool { return p.Word == command.ArgumentPlace })
	if len(c.args) < len(before) {
		return nil
	}
	if _, err := i.Place(before, slices.Clone(c.args[:len(before)])); err != nil {
		return nil
	}
	c.opened(func(pb *app.App) {
		loadKnown(c.cmd.Context(), pb)
		if i.NameRun(pb) == nil {
			list = pb.Completion.Arguments(c.cmd.Context(), i.In)
		}
	})
	return list
}
