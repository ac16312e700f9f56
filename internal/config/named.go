package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// reference finds the file that a document of an API refers to.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$ref["']?\s*:\s*["']?([^"'#\s,}]+)`) })

// addNamed adds the files that settings name, the files that those refer to, and those in a
// folder that a pack may have. A link that leads out of the configuration's folder is not
// followed: where it leads is added.
func (b *Beside) addNamed(all map[string]string, add func(name, text string) error) error {
	root, err := files.OpenRoot(filepath.Dir(b.path))
	if err != nil {
		return nil //nolint:nilerr // there is none of the files
	}
	defer root.Close() //nolint:errcheck // it was only read
	tree, due := files.Tree{Root: root}, []string{}
	for _, name := range b.named {
		matched, _ := fs.Glob(root.FS(), name)
		due = append(append(due, name), matched...)
	}
	for i := 0; i < len(due) && err == nil; i++ {
		err = fs.WalkDir(root.FS(), due[i], func(name string, e fs.DirEntry, err error) error {
			inside := name != due[i]
			switch {
			case all[name] != "":
				return nil
			case err == nil && e.IsDir() && inside && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir
			case err == nil && e.IsDir(), inside && !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
				return nil
			}
			text, err := textIn(tree, name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, to := range reference().FindAllStringSubmatch(text, -1) {
				if at := path.Join(path.Dir(name), to[1]); filepath.IsLocal(at) {
					due = append(due, at)
				}
			}
			return add(name, text)
		})
	}
	return err
}

// textIn is the text of a file, or where it leads if that is out of the folder.
func textIn(tree files.Tree, name string) (string, error) {
	f, err := tree.Open(name)
	if err != nil {
		return tree.Readlink(name)
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := files.ReadOpen(f, maxBytesBeside)
	return string(text), err
}

// Names allow and deny tools, resources and prompts by patterns, in which * stands for
// any characters and ? for one. What is denied is not allowed, whatever allows it. The
// zero Names allow everything.
type Names struct {
	Allow []string // empty allows everything that is not denied
	Deny  []string
}

// Allows reports whether a name is allowed, and not denied.
func (n Names) Allows(name string) bool {
	return (len(n.Allow) == 0 || matchAny(n.Allow, name)) && !matchAny(n.Deny, name)
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, name) })
}

// Match reports whether a pattern describes the whole of a name.
func Match(pattern, name string) bool {
	star, from := -1, 0 // where to continue when what follows the last * does not fit
	i := 0
	for j := 0; j < len(name); {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == name[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
