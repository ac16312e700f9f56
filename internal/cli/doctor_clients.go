package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/serverfile"
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
	for _, name := range serverfile.Hosts() {
		if c, err := serverfile.NewConnection(name, dir, program, os.LookupEnv); err == nil {
			d.client(c)
		}
	}
}

func (d *diagnosis) client(c *serverfile.Connection) {
	text, err := files.ReadText(c.File, maxInput)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		d.fail("make the file readable for this user", "%s: %s cannot be read: %v", c.Client, c.File, files.Reason(err))
		return
	}
	command, args, has, err := c.Have(text)
	again := "patchbay init --client " + c.Client + " --force writes the entry anew"
	switch {
	case err != nil:
		d.fail("correct the file: "+c.Client+" cannot read it either", "%s: %s: %v", c.Client, c.File, err)
	case !has:
		d.ok("patchbay init --client "+c.Client+" adds it", "%s does not have Patchbay in %s", c.Client, c.File)
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
				return
			}
		}
		d.ok("", "%s starts %s, by %s", c.Client, command, c.File)
	}
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
