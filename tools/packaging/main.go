// Command packaging makes what a release has besides archives: completions, man pages,
// packages of npm, bundles of MCP (.mcpb), SBOMs and the entry of the MCP registry. It is run
// from the root of the repository, by goreleaser or by make packages; see docs/release.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
)

// Folders that are written. goreleaser empties dist, so what is made for it is in build.
const (
	buildDir = "build"
	distDir  = "dist"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

const usage = `usage:
  packaging files                                             completions and man pages, in build
  packaging platform -version V [-os OS] [-arch ARCH] BINARY  the npm package, the bundle and the SBOM of a platform, in build
  packaging index -version V                                  the main npm package and server.json, in build
  packaging host -version V                                   everything for this system, and its deb, in build`

func run(ctx context.Context, args []string, log io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	fl := flag.NewFlagSet(args[0], flag.ContinueOnError)
	version := fl.String("version", "", "`VERSION` of the release, without v")
	goos := fl.String("os", runtime.GOOS, "GOOS of the binary")
	goarch := fl.String("arch", runtime.GOARCH, "GOARCH of the binary")
	if err := fl.Parse(args[1:]); err != nil {
		return err
	}
	if args[0] != "files" && *version == "" {
		return errors.New("-version is missing")
	}
	p, err := readProduct(".goreleaser.yaml", *version)
	if err != nil {
		return err
	}
	r := release{product: p, dir: buildDir, log: log}
	switch args[0] {
	case "files":
		return r.files()
	case "platform":
		if fl.NArg() != 1 {
			return errors.New(usage)
		}
		return r.platform(ctx, platform{*goos, *goarch}, fl.Arg(0))
	case "index":
		return r.index(ctx)
	case "host":
		return r.host(ctx)
	}
	return errors.New(usage)
}

// A release writes the files of one version of the product into a folder.
type release struct {
	*product
	dir string
	log io.Writer
}

// command runs a program in a folder, "" for the current one, with its output in the log.
func (r release) command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, r.log, r.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return nil
}
