package config_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func projectID(t *testing.T, o config.Options, home string) string {
	t.Helper()
	cfg, list := load(t, o, map[string]string{"HOME": home})
	if len(list) > 0 || cfg.Project == "" {
		t.Errorf("%+v: project %q, diagnostics %v", o, cfg.Project, summary(list))
	}
	return cfg.Project
}

// The project is the place of the file, however the program gets to it and whatever
// else is in it.
func TestProjectIsThePlaceOfTheFile(t *testing.T) {
	dir := folder(t, map[string]string{"shop/patchbay.yaml": "", "other/patchbay.yaml": "", "bare/x": ""})
	shop, link := filepath.Join(dir, "shop"), filepath.Join(dir, "link")
	if err := os.Symlink(shop, link); err != nil {
		t.Skip(err)
	}
	project := projectID(t, config.Options{Dir: shop}, dir)
	if !strings.HasPrefix(project, "shop-") || len(project) != len("shop-")+16 {
		t.Errorf("the project is %q", project)
	}
	file := filepath.Join(shop, "patchbay.yaml")
	for what, o := range map[string]config.Options{
		"through a link": {Dir: link}, "from another folder": {Dir: dir, File: file}, "from the folder, named": {Dir: shop, File: "patchbay.yaml"},
		"with a graph": {Dir: shop, RunsFile: "runs.db"},
	} {
		if got := projectID(t, o, dir); got != project {
			t.Errorf("%s: %q, want %q", what, got, project)
		}
	}
	for _, text := range []string{"servers: {a: {command: x}}", "workspace: {enabled: false}"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := projectID(t, config.Options{Dir: shop}, dir); got != project {
			t.Errorf("with %s: %q, want %q", text, got, project)
		}
	}
	seen := []string{project}
	for _, place := range []string{"other", "bare", "."} {
		got := projectID(t, config.Options{Dir: filepath.Join(dir, place)}, dir)
		if slices.Contains(seen, got) {
			t.Errorf("%s has the project of another folder, %q", place, got)
		}
		seen = append(seen, got)
	}
}

// A folder keeps its project when a patchbay.yaml is made in it, and when that is deleted. A
// link to the file of another folder is not the other's project until it is trusted.
func TestProjectStaysWhenTheFolderGetsAFile(t *testing.T) {
	for what, own := range map[string]map[string]string{
		"without a file":      {"shop/x": "", "other/patchbay.yaml": "servers: {a: {command: x}}"},
		"with the user's own": {"shop/x": "", "other/patchbay.yaml": "servers: {a: {command: x}}", ".config/patchbay/patchbay.yaml": "limits: {maxRuns: 9}"},
	} {
		home := folder(t, own)
		dir := filepath.Join(home, "shop")
		before := projectID(t, config.Options{Dir: dir}, home)
		made, err := config.Init(dir)
		if err != nil {
			t.Fatal(err)
		}
		if after := projectID(t, config.Options{Dir: dir}, home); after != before {
			t.Errorf("%s: the project was %q, with a patchbay.yaml it is %q", what, before, after)
		}
		if err := os.Remove(made); err != nil {
			t.Fatal(err)
		}
		testenv.Symlink(t, filepath.Join(home, "other", config.FileName), made)
		linked, _ := load(t, config.Options{Dir: dir, Trust: openTrust(t)}, map[string]string{"HOME": home})
		if theirs := projectID(t, config.Options{Dir: filepath.Join(home, "other")}, home); linked.Project == theirs || linked.Project == before {
			t.Errorf("%s: the link has the project %q; its folder had %q, the linked one has %q", what, linked.Project, before, theirs)
		}
	}
}

func TestProjectIsNamed(t *testing.T) {
	dir := folder(t, map[string]string{"a/patchbay.yaml": "project: shop.eu-1", "b/patchbay.yaml": "project: '${NAME:-shop.eu-1}'"})
	for _, place := range []string{"a", "b"} {
		if got := projectID(t, config.Options{Dir: filepath.Join(dir, place)}, dir); got != "shop.eu-1" {
			t.Errorf("%s: %q", place, got)
		}
	}
	if got := projectID(t, config.Options{Dir: filepath.Join(dir, "a"), Project: "given"}, dir); got != "given" {
		t.Errorf("with an option: %q", got)
	}
	if _, _, err := config.Load(config.Options{Dir: dir, Project: "a/b", Environ: environ(nil)}); err == nil || !strings.Contains(err.Error(), `project "a/b" is not a name of letters`) {
		t.Errorf("with a bad option: %v", err)
	}
	for _, text := range []string{"none", "''", "a/b", ".hidden", "7", strings.Repeat("x", 101), "[a]"} {
		dir := folder(t, map[string]string{"patchbay.yaml": "project: " + text})
		cfg, list := load(t, config.Options{Dir: dir}, nil)
		if len(list) != 1 || list[0].Code != "bad-setting" || list[0].Hint == "" || cfg.Project == text {
			t.Errorf("%s: %q, %v", text, cfg.Project, summary(list))
		}
	}
}

// The user's own file is one project, unless its tools act on the working directory.
func TestProjectOfTheUsersFile(t *testing.T) {
	for text, apart := range map[string]bool{
		"servers: {a: {command: x}}":                                         false,
		"servers: {a: {command: x}}\nworkspace: {enabled: true, root: /srv}": false,
		"workspace: {enabled: false}":                                        false,
		"":                                                                   true,
		"servers: {a: {command: x}}\nworkspace: {enabled: true}":                          true,
		"servers: {a: {command: x, args: ['${workspaceFolder}']}}":                        true,
		"project: mine\nservers: {a: {command: x, args: ['${workspaceFolderBasename}']}}": false,
	} {
		if strings.Contains(text, "/srv") {
			if _, err := os.Stat("/srv"); err != nil {
				continue
			}
		}
		home := folder(t, map[string]string{".config/patchbay/patchbay.yaml": text, "a/x": "", "b/x": ""})
		a := projectID(t, config.Options{Dir: filepath.Join(home, "a")}, home)
		b := projectID(t, config.Options{Dir: filepath.Join(home, "b")}, home)
		if (a != b) != apart {
			t.Errorf("%q: projects %q and %q", text, a, b)
		}
	}
}

// A folder that was moved is named by the path that it had.
func TestProjectsOfAFolderThatWasMoved(t *testing.T) {
	dir := folder(t, map[string]string{"new/patchbay.yaml": "", "old/patchbay.yaml": "", "bare/x": "", "odd/own.yaml": ""})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for path, o := range map[string]config.Options{
		"old": {Dir: filepath.Join(dir, "old")}, "bare": {Dir: filepath.Join(dir, "bare")},
		"odd/own.yaml": {Dir: dir, File: "odd/own.yaml"},
	} {
		was, _ := load(t, o, nil)
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
		cfg, _ := load(t, config.Options{Dir: filepath.Join(dir, "new")}, nil)
		got := cfg.ProjectsOf(filepath.Join(link, path))
		want := []string{was.Project}
		if o.File == "" {
			want = append(want, was.FormerProjects...)
		}
		for _, want := range want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is not among %q", path, want, got)
			}
		}
	}
}

// The projects of earlier versions were hashes of the file, of the working directory
// unless the file was named, and of the root of the workspace server while that was
// offered.
func TestFormerProjects(t *testing.T) {
	former := func(places ...string) string {
		h := sha256.New()
		for _, path := range places {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				t.Fatal(err)
			}
			h.Write([]byte(real + "\x00"))
		}
		return hex.EncodeToString(h.Sum(nil)[:16])
	}
	dir := folder(t, map[string]string{"a/patchbay.yaml": "", "bare/x": ""})
	a, bare, file := filepath.Join(dir, "a"), filepath.Join(dir, "bare"), filepath.Join(dir, "a", "patchbay.yaml")
	for _, tt := range []struct {
		o    config.Options
		want [][]string
	}{
		{config.Options{Dir: a}, [][]string{{file}, {file, a}, {file, a, a}}},
		{config.Options{Dir: dir, File: file}, [][]string{{file}, {file, a}, {file, a, a}, {file, a}}},
		{config.Options{Dir: bare}, [][]string{{bare}, {bare, bare}}},
	} {
		cfg, _ := load(t, tt.o, nil)
		for _, places := range tt.want {
			if !slices.Contains(cfg.FormerProjects, former(places...)) {
				t.Errorf("%+v: no former project of %q", tt.o, places)
			}
		}
	}
}
