package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

//go:embed starter.yaml
var starterForm string

var (
	starterKey    = regexp.MustCompile(`^# (  )?(\w+):`)
	literal       = regexp.MustCompile(`^\w+$`)
	firstPart     = regexp.MustCompile(`^[^.;,(]*`)
	notInComments = strings.NewReplacer("`", "")
)

// starter is the text of a new patchbay.yaml. In its form, "..." at the end of a section stands
// for the keys of that section that have a default which can be written down.
func starter() string {
	var b strings.Builder
	var section []setting
	var written []string
	for line := range strings.Lines(starterForm) {
		if line != "#   ...\n" {
			switch m := starterKey.FindStringSubmatch(line); {
			case len(m) == 0:
			case m[1] == "":
				section, written = settingSection(m[2]), nil
			default:
				written = append(written, m[2])
			}
			b.WriteString(line)
			continue
		}
		for _, s := range section {
			if literal.MatchString(s.fallback) && s.fallback != "none" && !strings.HasPrefix(s.doc, "Does nothing") && !slices.Contains(written, s.key) {
				fmt.Fprintf(&b, "#   %-28s # %s\n", s.key+": "+s.fallback, strings.TrimSpace(firstPart.FindString(notInComments.Replace(s.doc))))
			}
		}
	}
	return b.String()
}

// settingSection returns the settings of a map of the file.
func settingSection(key string) []setting {
	for _, s := range settings {
		if s.key == key {
			return s.keys
		}
	}
	return nil
}

// Init writes a patchbay.yaml into dir that explains every setting and changes none. It
// returns the path of the file, or "" if there was one, which is never touched.
func Init(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("folder %s: %w", dir, files.Reason(err))
	}
	path := filepath.Join(dir, FileName)
	switch err := create(path, starter()); {
	case errors.Is(err, fs.ErrExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("file %s: %w", path, files.Reason(err))
	}
	return path, nil
}

// create writes a file that must not exist yet.
func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
