package setup

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// clients examines the files of the clients that are there: whether they have an entry for
// Patchbay, and whether what it starts exists.
func (d *diagnosis) clients() {
	d.area = areaClients
	dir, err := filepath.Abs(".")
	if err != nil {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	for _, name := range serverfile.Clients() {
		if c, err := serverfile.NewConnection(name, dir, serverfile.Program{Path: program, Name: d.program}, os.LookupEnv); err == nil {
			d.client(c)
		}
	}
}

// client examines the files of a client: that of init, and the other that it reads. A file
// without Patchbay is named if no other has it.
func (d *diagnosis) client(c *serverfile.Connection) {
	var without []string
	has := d.entry(c, "patchbay init --client "+c.Client+" --force writes the entry anew", &without)
	if c.Other != "" {
		other := c.Elsewhere()
		again := "correct the entry in " + other.File + " or delete it; patchbay init --client " + c.Client + " writes one to " + c.File
		has = d.entry(other, again, &without) || has
	}
	if len(without) > 0 && !has {
		d.ok("patchbay init --client "+c.Client+" adds it to "+c.File, "%s does not have Patchbay in %s", c.Client, strings.Join(without, " or "))
	}
}

// entry examines one file of a client, and reports whether it has an entry. A file that
// has none is added to without. again says how to get another entry.
func (d *diagnosis) entry(c *serverfile.Connection, again string, without *[]string) bool {
	text, err := files.ReadText(c.File, command.MaxInput)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		d.fail("make the file readable for this user", "%s: %s cannot be read: %v", c.Client, c.File, files.Reason(err))
		return false
	}
	command, args, has, err := c.Have(text)
	switch {
	case err != nil:
		d.fail("correct the file: "+c.Client+" cannot read it either", "%s: %s: %v", c.Client, c.File, err)
		return false
	case !has:
		*without = append(*without, c.File)
		return false
	case !starts(command):
		fix := again
		if !filepath.IsAbs(command) {
			fix = "put the folder of the program on the PATH that " + c.Client + " has; " + again
		}
		d.fail(fix, "%s: the command %q in %s does not exist", c.Client, command, c.File)
	default:
		if file := configArgument(args); file != "" {
			if _, err := os.Stat(file); err != nil {
				d.fail(again+", in the folder of a patchbay.yaml", "%s: the configuration %s that %s names does not exist", c.Client, file, c.File)
				return true
			}
		}
		d.ok("", "%s starts %s, by %s", c.Client, command, c.File)
	}
	return true
}

// starts reports whether a command names a program.
func starts(command string) bool {
	if command == "" {
		return false
	}
	_, err := exec.LookPath(command)
	return err == nil || errors.Is(err, exec.ErrDot)
}

// configArgument is the whole path that --config has among arguments, or "".
func configArgument(args []string) string {
	if i := slices.Index(args, "--config"); i >= 0 && i+1 < len(args) && filepath.IsAbs(args[i+1]) {
		return args[i+1]
	}
	return ""
}
