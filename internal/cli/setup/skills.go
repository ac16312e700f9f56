package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// SkillsCommand is patchbay skills.
func SkillsCommand(f *command.Flags) *cobra.Command {
	group := command.GroupCommand("skills", "Skills for coding agents: export", "  patchbay skills export .claude/skills")
	group.AddCommand(&cobra.Command{
		Use: "export DIR", Short: "Write the skills of the exposed graphs as folders for coding agents", Example: "  patchbay skills export .claude/skills",
		Long: "Write a skill for each exposed graph, and one about authoring graphs, as DIR/NAME/SKILL.md, with the same bytes as serve offers them. Skills that were exported before, and whose graphs are no longer exposed, are removed; other skills are left alone.",
		RunE: f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error { return exportSkills(f, cmd, p, args[0]) }),
	})
	return group
}

// exportedSkills says what became of the skills of a folder.
type exportedSkills struct {
	Dir     string   `json:"dir"`
	Written []string `json:"written"`
	Removed []string `json:"removed"`
	Kept    []string `json:"kept"` // skills of others under names of ours
}

func exportSkills(f *command.Flags, cmd *cobra.Command, p *app.App, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	folder, r, current := files.Folder(dir), exportedSkills{Dir: dir, Written: []string{}, Removed: []string{}, Kept: []string{}}, map[string]bool{}
	for _, s := range p.Skills(cmd.Context()) {
		current[s.Name] = true
		ours, there, err := ownSkill(folder, s.Name)
		switch {
		case err != nil:
			return err
		case there && !ours:
			r.Kept = append(r.Kept, s.Name)
			continue
		}
		if err := folder.Write(s.Name+"/"+library.SkillFile, []byte(s.Text), 0o644); err != nil {
			return err
		}
		r.Written = append(r.Written, s.Name)
	}
	list, err := folder.List(".")
	if err != nil {
		return err
	}
	for _, entry := range list {
		if name := entry.Name(); entry.IsDir() && !current[name] {
			ours, _, err := ownSkill(folder, name)
			if err == nil && ours {
				err = folder.Remove(name + "/" + library.SkillFile)
				_ = folder.Remove(name) // unless it has other files
				r.Removed = append(r.Removed, name)
			}
			if err != nil {
				return err
			}
		}
	}
	return command.FailedIf(len(r.Kept) > 0, f.Print(cmd, command.Result{Value: r, Names: func() []string { return r.Written }, Text: func(w *term.Page) {
		fmt.Fprintf(w, "wrote %s to %s\n", term.Count(len(r.Written), "skill"), dir)
		for _, name := range r.Removed {
			fmt.Fprintf(w, "removed %s\n", name)
		}
		for _, name := range r.Kept {
			fmt.Fprintf(w, "left alone: %s is another's skill\n", name)
		}
	}}))
}

// ownSkill reports whether a folder has a skill of a name, and whether Patchbay has written it.
func ownSkill(folder files.Folder, name string) (ours, there bool, err error) {
	text, err := folder.Read(name+"/"+library.SkillFile, command.MaxInput)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	return strings.Contains(head, "\nmetadata: {generator: "+library.SkillMaker+"}"), true, nil
}
