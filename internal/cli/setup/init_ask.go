package setup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// askAtInit asks which servers of other clients to add to the new patchbay.yaml, adds
// them, and returns the clients that shall start Patchbay. An empty line declines.
func askAtInit(cmd *cobra.Command, dir string) (clients []string, err error) {
	log := cmd.ErrOrStderr()
	ask := func(format string, args ...any) (string, error) {
		fmt.Fprintf(log, format, args...)
		line, err := command.ReadStdin(cmd).ReadLine(cmd.Context())
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(log)
			return "", nil
		}
		return strings.TrimSpace(line), err
	}
	for _, client := range serverfile.Clients() {
		found, _, err := serverfile.Import(client, dir, os.LookupEnv)
		if err != nil || len(found) == 0 {
			continue // a client that is not here, or has none
		}
		names := lists.Each(found, func(e serverfile.Entry) string { return e.Name })
		answer, err := ask("Add the servers that %s has (%s)? [y/N] ", client, strings.Join(names, ", "))
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(strings.ToLower(answer), "y") {
			if err := addFound(dir, found); err != nil {
				return nil, err
			}
		}
	}
	answer, err := ask("Which clients shall start Patchbay (%s)? [none] ", strings.Join(serverfile.Clients(), ", "))
	return strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }), err
}

// addFound adds servers to the patchbay.yaml of a folder, but for those that it has, and
// trusts it again if it was trusted.
func addFound(dir string, found []serverfile.Entry) error {
	path, err := filepath.Abs(filepath.Join(dir, config.FileName))
	if err != nil {
		return err
	}
	former, after := "", ""
	err = files.Update(path, 0o644, func(before []byte) ([]byte, error) {
		after = string(before)
		for _, e := range found {
			more, err := serverfile.Add(after, []serverfile.Entry{e}, false)
			switch {
			case errors.As(err, new(*serverfile.TakenError)):
				continue
			case err != nil:
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			after = more
		}
		var err error
		if former = string(before); command.OwnTrust().Has(config.AsConfiguration, path, former) {
			after, _, err = serverfile.KeptWorkspace(path, former, after)
		}
		return []byte(after), err
	})
	if err != nil || slices.ContainsFunc(found, func(e serverfile.Entry) bool { return e.Project != "" }) {
		return err
	}
	return command.OwnTrust().Carry(path, former, after)
}
