//go:build linux

package hostile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// minClones is how many clones are tried at least.
const minClones = 200

// alone are sections that are also tried without the others, which could hide them.
var alone = [][]string{{"graphs", "exposeMax"}, {"cache"}, {"project", "runs"}, {"packs"}, {"servers"}, {"mcpServers"}, {"workflows", "hooks"}, {"log"}, {"serve"}, {"http"}, {"limits"}}

// A try is one command in one clone.
type try struct {
	command command
	mode    mode
	role    role
	values  map[string]string
}

// tries are all commands with the user's server configured in both ways, each in a role
// that lets it continue and in one with faults, with all settings; and those commands that
// use most with single sections.
func tries() (list []try) {
	isFault := func(r role) bool { return r.fault }
	sound, faults := slices.DeleteFunc(slices.Clone(roles), isFault), slices.DeleteFunc(slices.Clone(roles), func(r role) bool { return !isFault(r) })
	for i, c := range commands {
		list = append(list, try{c, named, sound[0], sections(i)}, try{c, own, sound[i%len(sound)], sections(i + 1)})
		list = append(list, try{c, []mode{named, own}[i%2], faults[i%len(faults)], sections(i)})
	}
	for i, names := range alone {
		for j, c := range []command{words("doctor"), served, words("graphs list"), words("run safe.yaml"), words("search look")} {
			list = append(list, try{c, []mode{named, own}[(i+j)%2], sound[(i+j)%2], sections(j, names...)})
		}
	}
	return list
}

// TestHostileClones tries every command in folders that a stranger has sent: no program is
// started, no tool called, no address requested and no file or folder used that the clone
// names.
func TestHostileClones(t *testing.T) {
	all := tries()
	if len(all) < minClones {
		t.Fatalf("%d clones, want %d", len(all), minClones)
	}
	w := newWorld(t)
	t.Run("clones", func(t *testing.T) {
		for i, try := range all {
			t.Run(fmt.Sprintf("%d %s %s %s", i, try.role.name, try.mode, try.command), func(t *testing.T) {
				t.Parallel()
				c := w.newClone(t, try.mode)
				c.bring(try.role, try.values)
				c.judge(try.command, c.run(try.command))
			})
		}
	})
}

// TestTrustShowsEverySetting finds each setting in what the program says that needs trust.
func TestTrustShowsEverySetting(t *testing.T) {
	w := newWorld(t)
	for n := range 2 {
		c, values := w.newClone(t, own), sections(n)
		c.bring(roles[0], values)
		out := "\n" + c.run(words("trust --show"))
		for key := range values {
			if !strings.Contains(out, "\n  "+key+": ") && !strings.Contains(out, "\n  "+key+".") {
				t.Errorf("patchbay trust --show does not show %s", key)
			}
		}
	}
}
