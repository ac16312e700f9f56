package tooldef

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// How changes of the definitions of a server's tools are taken.
const (
	TrustStrict = "strict" // every change waits for a person
	TrustPin    = "pin"    // a change waits, unless the server says that it has another version; the default
	TrustAuto   = "auto"   // every change is taken
)

// NotUsed is what the notes of a server say of a tool whose change waits for a person.
const NotUsed = "has changed and is not used"

const (
	maxPinFile    = 256 << 20 // bytes
	maxDefinition = 64 << 10  // bytes of a definition that is kept to be compared
	maxChanges    = 10        // of a tool that are remembered
)

// A Pin is what is known of a tool from before: the definition that was seen first or
// approved.
type Pin struct {
	Hash       string          `json:"hash"`
	Definition json.RawMessage `json:"definition,omitempty"` // absent if it is large
	Changes    []Change        `json:"changes,omitempty"`    // that were accepted, the latest last
	Pending    *Pending        `json:"pending,omitempty"`    // a change that waits for a person
}

// A Pending is a definition that waits until a person approves it.
type Pending struct {
	Hash       string          `json:"hash"`
	Definition json.RawMessage `json:"definition,omitempty"`
	Since      time.Time       `json:"since"`
}

// Suspicions returns what in the definition a person should look at before it is approved,
// as [Tool.Suspicions] does.
func (p *Pending) Suspicions() []string {
	if p.Definition == nil {
		return []string{fmt.Sprintf("its definition has more than %s and is not kept: neither its change nor its texts can be shown", diag.Bytes(maxDefinition))}
	}
	t, err := Read("", p.Definition, false)
	if err != nil {
		return []string{err.Error()}
	}
	found := t.Suspicions()
	if t.Note != "" {
		found = append(found, strings.Split(t.Note, "; ")...)
	}
	return found
}

// A Change is one that was accepted.
type Change struct {
	From    string    `json:"from"` // hash
	To      string    `json:"to"`   // hash
	How     string    `json:"how"`  // approved; version: the server has another one; auto
	Version string    `json:"version,omitempty"`
	At      time.Time `json:"at"`
}

// Pins are those of one server. They are in a file that the processes of the operator
// share: who approves is another process than the one that calls.
type Pins struct {
	File string // "" keeps them in memory
	// Pass returns the tool that is served in spite of the change that a pin has, and what it is; nil serves none.
	Pass func(*Pin) (served *Tool, what string)

	mu    sync.Mutex
	seen  os.FileInfo // of the file, when it was read
	State pinState
}

type pinState struct {
	Server  string          `json:"server"`
	Version string          `json:"version,omitempty"` // that the server gave itself when it was last listed
	Tools   map[string]*Pin `json:"tools"`
}

// Load reads the file unless it is as it was. p.mu is held.
func (p *Pins) Load() error {
	info, err := os.Stat(p.File)
	if p.File == "" || err != nil || p.seen != nil && files.Unchanged(p.seen, info) {
		if p.State.Tools == nil {
			p.State.Tools = map[string]*Pin{}
		}
		return nil
	}
	b, err := files.Read(p.File, maxPinFile)
	if err == nil {
		err = p.decode(b)
	}
	if err != nil {
		return fmt.Errorf("its pins in %s cannot be read: %w", p.File, err)
	}
	p.seen = info
	return nil
}

func (p *Pins) decode(b []byte) error {
	var state pinState
	if err := formats.ToolPins.Decode(b, &state); err != nil {
		return err
	}
	if state.Tools == nil {
		state.Tools = map[string]*Pin{}
	}
	p.State = state
	return nil
}

// Update makes a change, which reports whether it has changed anything. If so it is made
// again to what another process may have written by then. p.mu is held.
func (p *Pins) Update(change func() bool) error {
	if err := p.Load(); err != nil || !change() || p.File == "" {
		return err
	}
	p.seen = nil
	return files.Update(p.File, 0o600, func(old []byte) ([]byte, error) {
		if old != nil {
			if err := p.decode(old); err != nil || !change() {
				return nil, err
			}
		}
		return json.Marshal(formats.ToolPins.Wrap(p.State))
	})
}

// Admit returns the tools that may be listed and called, and what was said of changes,
// for the log. Tools that are new are pinned as they are.
func (p *Pins) Admit(server, trust, version string, tools []*Tool, now time.Time) (admitted []*Tool, said []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err = p.Update(func() (dirty bool) {
		admitted, said, dirty = p.State.admit(server, trust, version, tools, now, p.passes)
		return dirty
	})
	for _, t := range tools {
		t.Definition = nil
	}
	return admitted, said, err
}

// passes returns what is used of a tool whose change waits, and what has changed; nil if it
// is not used. p.mu is held.
func (p *Pins) passes(pin *Pin) (*Tool, string) {
	if p.Pass == nil || pin == nil || pin.Pending == nil || pin.Definition == nil || pin.Pending.Definition == nil {
		return nil, ""
	}
	return p.Pass(pin)
}

func (s *pinState) admit(server, trust, version string, tools []*Tool, now time.Time, passes func(*Pin) (*Tool, string)) (admitted []*Tool, said []string, dirty bool) {
	dirty = s.Version != version || s.Server != server
	newVersion := s.Version != "" && version != "" && s.Version != version
	for _, t := range tools {
		pin := s.Tools[t.Name]
		how, fresh := "", false
		switch {
		case pin == nil:
			s.Tools[t.Name] = &Pin{Hash: t.Hash, Definition: kept(t.Definition)}
			dirty = true
		case pin.Hash == t.Hash:
			dirty = dirty || pin.Pending != nil
			pin.Pending = nil
		case trust == TrustAuto:
			how = "auto"
		case trust != TrustStrict && newVersion:
			how = "version"
		case pin.Pending == nil || pin.Pending.Hash != t.Hash:
			pin.Pending = &Pending{Hash: t.Hash, Definition: kept(t.Definition), Since: now}
			fresh, dirty = true, true
		}
		if how != "" {
			pin.accept(t.Hash, kept(t.Definition), Change{How: how, Version: version, At: now})
			said = append(said, fmt.Sprintf("tool %q has changed; the change is accepted (%s)", t.Name, how))
			dirty = true
		}
		if pin == nil || pin.Pending == nil {
			admitted = append(admitted, t)
			continue
		}
		served, what := passes(pin)
		if served != nil {
			admitted = append(admitted, served)
		}
		switch {
		case !fresh:
		case served != nil:
			said = append(said, fmt.Sprintf("tool %q has changed, which no graph notices (%s): it is used as before, and patchbay mcp info %s %[1]s shows the change", t.Name, what, server))
		default:
			said = append(said, fmt.Sprintf("tool %q %s: patchbay mcp info %s %s shows how", t.Name, NotUsed, server, t.Name))
		}
	}
	s.Server, s.Version = server, version
	return admitted, said, dirty
}

func (p *Pin) accept(hash string, definition json.RawMessage, c Change) {
	c.From, c.To = p.Hash, hash
	p.Hash, p.Definition, p.Pending = hash, definition, nil
	p.Changes = append(p.Changes, c)
	p.Changes = p.Changes[max(0, len(p.Changes)-maxChanges):]
}

// Approve accepts the changes that wait, of some tools or of all, and returns the tools.
func (p *Pins) Approve(tools []string, now time.Time) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var approved []string
	err := p.Update(func() bool {
		approved = []string{}
		for _, name := range slices.Sorted(maps.Keys(p.State.Tools)) {
			pin := p.State.Tools[name]
			if pin.Pending == nil || len(tools) > 0 && !slices.Contains(tools, name) {
				continue
			}
			pin.accept(pin.Pending.Hash, pin.Pending.Definition, Change{How: "approved", Version: p.State.Version, At: now})
			approved = append(approved, name)
		}
		return len(approved) > 0
	})
	return approved, err
}

// Pin returns a copy of what is known of a tool, or nil.
func (p *Pins) Pin(tool string) *Pin {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Load() != nil || p.State.Tools[tool] == nil {
		return nil
	}
	known := *p.State.Tools[tool]
	return &known
}

// Version is what the server said of its version when it was last listed.
func (p *Pins) Version() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Load() != nil {
		return ""
	}
	return p.State.Version
}

// Any reports whether there is a pin of any tool.
func (p *Pins) Any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Load() == nil && len(p.State.Tools) > 0
}

// Unused reports whether a tool has a change that waits, and that does not pass.
func (p *Pins) Unused(tool string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Load() != nil || p.State.Tools[tool] == nil || p.State.Tools[tool].Pending == nil {
		return false
	}
	served, _ := p.passes(p.State.Tools[tool])
	return served == nil
}

// Waiting are the tools whose changes wait for a person, sorted, those that pass too.
func (p *Pins) Waiting() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Load() != nil {
		return nil
	}
	var names []string
	for name, pin := range p.State.Tools {
		if pin.Pending != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// kept is a definition as it is stored: without white space, and nothing if it is large.
func kept(definition json.RawMessage) json.RawMessage {
	if len(definition) > maxDefinition {
		return nil
	}
	return slices.Clone(definition)
}
