package main

import (
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// manPages are the pages of a command and of those below it, by their file names, such as
// patchbay-runs-show.1.
func manPages(c *cobra.Command) map[string]string {
	pages := map[string]string{manName(c) + ".1": manPage(c)}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			maps.Copy(pages, manPages(sub))
		}
	}
	return pages
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the page of a command, in the macros of man(7).
func manPage(c *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	fmt.Fprintf(&b, ".TH %s 1 \"\" patchbay \"User Commands\"\n", strings.ToUpper(roff(manName(c))))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(manName(c)), roff(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, ".B %s\n", roff(strings.TrimSuffix(c.UseLine(), " [flags]")))
	section("DESCRIPTION")
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintln(&b, roff(about))
	if flags := manFlags(c); flags != "" {
		section("OPTIONS")
		b.WriteString(flags)
	}
	if c.Example != "" {
		section("EXAMPLES")
		fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(c.Example))
	}
	if !c.HasParent() {
		section("EXIT STATUS")
		for _, e := range command.ExitCodes {
			fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.Code, roff(e.Meaning))
		}
	}
	if related := manRelated(c); len(related) > 0 {
		section("SEE ALSO")
		fmt.Fprintln(&b, strings.Join(related, "\n"))
	}
	return b.String()
}

// manFlags are a command's own flags; the page of the program has those of every command.
func manFlags(c *cobra.Command) string {
	var b strings.Builder
	flags := c.LocalNonPersistentFlags()
	if !c.HasParent() {
		flags = c.PersistentFlags()
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
	return b.String()
}

// manRelated are the pages above and below a command.
func manRelated(c *cobra.Command) (names []string) {
	if c.HasParent() {
		names = append(names, ".BR "+roff(manName(c.Parent()))+" (1)")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			names = append(names, ".BR "+roff(manName(sub))+" (1)")
		}
	}
	for i := range names[:max(len(names)-1, 0)] {
		names[i] = strings.TrimSuffix(names[i], ")") + "),"
	}
	return names
}

// roff escapes a text, so that no line of it is a macro, hyphens can be copied, and the
// page is ASCII, which every program that shows it reads.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	var ascii strings.Builder
	for _, r := range text {
		if r > unicode.MaxASCII {
			fmt.Fprintf(&ascii, `\[u%04X]`, r)
		} else {
			ascii.WriteRune(r)
		}
	}
	text = ascii.String()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
