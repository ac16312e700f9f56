package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// release is the semantic version. It is set when a release is built.
var release string

const unreleased = "0.1.0-dev" // the version of what is built in a clone

// Version is the version of the program, such as 1.2.3.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(release, moduleVersion(info), unreleased)
}

// moduleVersion returns the version at which the go command downloaded the program's
// module. It is empty for what is built in a clone, for which the go command makes up one,
// and for a program that embeds ours.
func moduleVersion(info *debug.BuildInfo) string {
	inClone := func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" }
	if info == nil || info.Main.Path != "github.com/patchbay-mcp/patchbay" || info.Main.Version == "(devel)" || slices.ContainsFunc(info.Settings, inClone) {
		return ""
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// A build says what this program is.
type build struct {
	Version string         `json:"version"`
	Commit  string         `json:"commit,omitempty"`  // that it was built from
	Date    string         `json:"date,omitempty"`    // of the commit
	Changed bool           `json:"changed,omitempty"` // the folder of the sources had changes or files that are not in the commit
	Go      string         `json:"go"`
	OS      string         `json:"os"`
	Arch    string         `json:"arch"`
	Formats map[string]int `json:"formats"` // of the files that it keeps
}

// thisBuild says what the program was built of.
func thisBuild() build {
	b := build{Version: Version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Formats: map[string]int{}}
	for _, f := range formats.All() {
		b.Formats[f.Name] = f.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// VersionCommand is patchbay version.
func VersionCommand(f *Flags) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, and the formats of files with -o json", Example: "  patchbay version\n  patchbay version -o json",
		Long: "Print the version. With -o json, also the commit and its date, whether the folder that it was built in had changes or files that are not in the commit (changed), the system, and the formats of the files that this version keeps: it upgrades files of earlier formats, and refuses those of later ones.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := thisBuild()
			return f.Print(cmd, Result{Value: b, Text: func(w *term.Page) { b.text(w) }})
		},
	}
}

func (b *build) text(w *term.Page) {
	fmt.Fprintf(w, "patchbay %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch)
}
