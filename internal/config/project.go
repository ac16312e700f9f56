package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// NoProject is how runs are called that belong to no project, so it is not the name of one.
const NoProject = "none"

const wantProject = "a name of letters, digits, \"_\", \"-\" and \".\" that starts with a letter or a digit"

// maxProject is the longest name of a project.
const maxProject = 100

// project reads the name of the project.
func (l *loader) project(o origin, v graph.Value) {
	name, ok := l.expanded(o, v, wantProject)
	switch {
	case !ok:
	case name == NoProject:
		o.report(ruleBadSetting, v, "choose another name", "project is %q, which stands for runs without a project", name)
	case !isProject(name):
		o.bad(v, wantProject)
	default:
		l.cfg.Project = name
	}
}

func isProject(name string) bool {
	return name != "" && len(name) <= maxProject && !strings.ContainsAny(name[:1], "._-") && strings.IndexFunc(name, notInProject) < 0
}

func notInProject(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
}

// settleProject says which project the configuration is of: the one it names, else
// that of the file, else that of the working directory: of the file that can be made there,
// so that the runs of a folder stay its runs when it gets one.
func (l *loader) settleProject() {
	cfg := l.cfg
	file := cfg.File
	if l.withheld && files.Real(file) != place(file) {
		file = "" // a link that is not trusted does not make this folder another's project
	}
	cfg.FormerProjects = formerProjects(file, l.o.Dir, cfg.Root)
	switch {
	case l.o.Project != "":
		if cfg.Project = l.o.Project; !isProject(cfg.Project) || cfg.Project == NoProject {
			l.failed = append(l.failed, fmt.Errorf("project %q is not %s", cfg.Project, wantProject))
		}
	case cfg.Project != "":
	case file == "", l.o.File == "" && l.followsFolder():
		cfg.Project = l.projectOfFolder()
	case l.followsFolder():
		cfg.Project = projectID(cfg.File, l.o.Dir)
	default:
		cfg.Project = projectID(cfg.File)
	}
}

// projectOfFolder is the project of a working directory whose patchbay.yaml is not read. A
// link there does not make the directory another's project.
func (l *loader) projectOfFolder() string {
	file := filepath.Join(l.o.Dir, FileName)
	if l.o.Standalone || files.Real(file) != place(file) {
		return projectID(l.o.Dir)
	}
	return projectID(file)
}

// followsFolder reports whether the tools of the file act on the working directory,
// so that a run of one folder must not continue in another.
func (l *loader) followsFolder() bool {
	cfg := l.cfg
	own := cfg.Files[0] // the first file that is read
	offered := !slices.ContainsFunc(cfg.Servers, func(s Server) bool { return s.From == own.Path })
	if l.workspaceEnabled != nil {
		offered = *l.workspaceEnabled
	}
	elsewhere := filepath.Dir(cfg.File) != l.o.Dir
	return elsewhere && (offered && cfg.Root == l.o.Dir && !l.rootWritten || strings.Contains(own.Src, "${workspaceFolder"))
}

// ProjectsOf returns the projects that a configuration in a folder can have without
// naming one, or that a configuration file has. The folder or the file need not be
// there any more.
func (c *Config) ProjectsOf(path string) []string {
	file := filepath.Join(path, FileName)
	ids := []string{projectID(file), projectID(path)}
	if c.File != "" {
		ids = append(ids, projectID(c.File, path))
	}
	ids = append(ids, formerProjects(file, path, path)...)
	ids = append(ids, formerProjects("", path, path)...)
	return append(ids, formerProjects(path, filepath.Dir(path), filepath.Dir(path))...)
}

// projectID identifies a project by its place: the name of its folder, for people, and
// a hash of the real paths.
func projectID(paths ...string) string {
	place := files.Real(paths[len(paths)-1])
	if ext := filepath.Ext(place); ext == ".yaml" || ext == ".yml" {
		place = filepath.Dir(place)
	}
	name := strings.Map(func(r rune) rune {
		if notInProject(r) {
			return '_'
		}
		return r
	}, diag.Cut(filepath.Base(place), 40))
	return cmp.Or(strings.TrimLeft(name, "._-"), "folder") + "-" + hashPaths(paths)[:16]
}

// formerProjects are the projects that earlier versions gave a configuration: hashes
// without a name, of the file, the working directory, and the root of the workspace
// server while that was offered.
func formerProjects(file, dir, root string) []string {
	places := [][]string{{dir}}
	if file != "" {
		places = [][]string{{file}, {file, filepath.Dir(file)}, {file, dir}}
	}
	var ids []string
	for _, paths := range places {
		ids = append(ids, hashPaths(paths), hashPaths(append(slices.Clip(paths), root)))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hashPaths is a hash of real paths, 32 hexadecimal digits.
func hashPaths(paths []string) string {
	var all strings.Builder
	for _, path := range paths {
		all.WriteString(files.Real(path) + "\x00")
	}
	return files.Hash(all.String())[:32]
}
