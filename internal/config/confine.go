package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// A Confinement is what a server that is started may see and use. The zero Confinement is
// none: it may do all that the operator may.
type Confinement struct {
	Image   string // the container image that it runs in, by docker or podman
	Sandbox string // "bwrap", or ""
	Network bool   // it may use the network
	Memory  string // of the container, such as 512m
	// Reads and Writes are folders and files that it sees, as "FROM\x00TO" with absolute
	// paths: FROM outside, TO inside.
	Reads, Writes []string
}

// DefaultMemory is the memory of a container unless the entry says otherwise.
const DefaultMemory = "512m"

var memorySize = regexp.MustCompile(`^[1-9][0-9]*[kmg]?$`)

// imageName is a reference to an image: nothing that an engine takes for a flag.
var imageName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:@-]*$`)

// confinement reads image, sandbox, mounts, network and memory.
func (r *entryReader) confinement() {
	c := &r.s.Confine
	if v := r.at.Get("image"); v.Exists() {
		if c.Image, _ = r.text(v, "image"); !imageName.MatchString(c.Image) {
			r.fault(ruleBadSetting, v, "write the name of an image, such as mcp/time", "image of server %q is not the name of an image", r.s.Name)
		}
		c.Memory = DefaultMemory
	}
	if v := r.at.Get("sandbox"); v.Exists() {
		if c.Sandbox, _ = r.text(v, "sandbox"); c.Sandbox != "bwrap" {
			r.fault(ruleBadSetting, v, "write bwrap", "sandbox of server %q is %s, expected bwrap", r.s.Name, got(v))
		} else if c.Image != "" {
			r.fault(ruleBadSetting, v, "keep one of them", "server %q has both an image and a sandbox", r.s.Name)
		}
	}
	if c.Image == "" && c.Sandbox == "" {
		for _, key := range []string{"mounts", "network", "memory"} {
			if v := r.at.Get(key); v.Exists() {
				r.fault(ruleBadSetting, v, "add image or sandbox, or remove "+key, "%s of server %q has no effect without image or sandbox", key, r.s.Name)
			}
		}
		return
	}
	c.Network = r.flag("network", false)
	if v := r.at.Get("memory"); v.Exists() {
		if c.Memory, _ = r.text(v, "memory"); !memorySize.MatchString(c.Memory) || c.Image == "" {
			r.fault(ruleBadSetting, v, "write a size such as 512m, next to image", "memory of server %q is %s, expected the size of a container", r.s.Name, got(v))
		}
	}
	for i, item := range r.at.Get("mounts").Items() {
		r.mount(item, fmt.Sprintf("mounts[%d]", i))
	}
	if v := r.at.Get("mounts"); v.Exists() && !v.Is(graph.Array) {
		r.fault(ruleBadSetting, v, "write a list such as [., ./out:rw]", "mounts of server %q is %s, not a list", r.s.Name, v.Kind())
	}
}

// mount reads PATH, PATH:TARGET, and either with :ro or :rw after it.
func (r *entryReader) mount(v graph.Value, what string) {
	text, _ := r.text(v, what)
	from, writable := strings.CutSuffix(text, ":rw")
	from = strings.TrimSuffix(from, ":ro")
	to := ""
	if i := strings.LastIndex(from, ":/"); i > 0 {
		from, to = from[:i], from[i+1:]
	}
	if from == "" || strings.ContainsAny(text, ",\x00") {
		r.fault(ruleBadSetting, v, "write a path, such as ./data, ./data:/data or ./out:rw", "%s of server %q is not a path", what, r.s.Name)
		return
	}
	if from = r.path(from, r.base); to == "" {
		to = from
	}
	pair := from + "\x00" + to
	if writable {
		r.s.Confine.Writes = append(r.s.Confine.Writes, pair)
		return
	}
	r.s.Confine.Reads = append(r.s.Confine.Reads, pair)
}
