package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// FileName is what the operator's own configuration is called.
const FileName = "patchbay.yaml"

// Options say where to look. The zero Options mean the working directory and
// the environment of the process.
type Options struct {
	Graphs     []string         // -g: graph documents
	MCP        []string         // -m: mcp.json files
	Servers    []string         // graph documents for their mcpServers alone; other faults in them are not reported
	Checked    []string         // like Servers, of documents that are only looked at: without trust, their servers are listed as failed
	Trust      *Trust           // says whether a patchbay.yaml that is found in Dir, and the servers of Checked, may be used; nil trusts them
	File       string           // a patchbay.yaml to use; "" looks in Dir, then in the XDG config directory
	Text       *string          // what File is read as having, instead of what it has
	Dir        string           // the working directory
	Standalone bool             // read no patchbay.yaml, keep nothing on disk, offer no workspace server
	RunsFile   string           // the journal, whatever the configuration says
	RunsKey    string           // its key, whatever the configuration says
	Project    string           // the name of the project, whatever the configuration says
	Secrets    []secrets.Secret // values to mask in addition to those in the files
	Packs      []string         // knowledge packs in addition to those in the files: folders, or [BuiltinPack] and a name

	Store   string                      // where runs are kept, sqlite or memory; "" is what the configuration says
	Environ func(string) (string, bool) // os.LookupEnv
}

// loader gathers a Config.
type loader struct {
	o                Options
	cfg              *Config
	expander         expander
	secrets          []secrets.Secret
	urls             int               // that have secrets, so far
	defined          map[string]string // a server's entry, to tell a repetition from a change
	trust            []trusted
	workspaceEnabled *bool  // workspace.enabled
	temporalTLS      *bool  // runtime.temporal.tls.enabled
	deployments      *bool  // runtime.temporal.deployment.enabled
	rootWritten      bool   // workspace.root
	ownGraphs        string // the user's own folder of saved graphs
	withheld         bool   // settings that need trust are not read
	failed           []error
}

type trusted struct {
	file *File
	at   graph.Value
}

// Load reads the configuration. The list holds the faults of all files, file by
// file, each by position; [Config.Files] has them by file, with the text to show
// them in. An error means that a file could not be read. The Config is never
// nil and holds all that was understood: whether to continue with faults of
// severity error is the caller's decision.
func Load(o Options) (*Config, diag.List, error) {
	l, err := newLoader(o)
	if err != nil {
		return &Config{}, nil, err
	}
	l.proxySecrets()
	l.ownFile()
	for _, path := range unique(l.o.Graphs, l.o.Dir) {
		l.document(path)
	}
	for _, path := range unique(l.o.MCP, l.o.Dir) {
		l.mcp(path)
	}
	for _, path := range unique(l.o.Servers, l.o.Dir) {
		l.addServersIn(path, false)
	}
	for _, path := range unique(l.o.Checked, l.o.Dir) {
		l.addServersIn(path, l.o.Trust != nil)
	}
	for _, place := range l.o.Packs {
		if !strings.HasPrefix(place, BuiltinPack) {
			place = l.path(place, l.o.Dir)
		}
		l.cfg.addPack(place)
	}
	l.finish()
	var all diag.List
	for _, f := range l.cfg.Files {
		all = append(all, f.Diagnostics...)
	}
	return l.cfg, all, errors.Join(l.failed...)
}

func newLoader(o Options) (*loader, error) {
	if o.Environ == nil {
		o.Environ = os.LookupEnv
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	o.Dir = dir
	l := &loader{o: o, defined: map[string]string{}, expander: expander{environ: o.Environ, dir: dir}}
	l.secrets = o.Secrets
	l.cfg = &Config{Named: o.File, NoFile: o.Standalone && o.File == "", Root: dir, ExposeMax: DefaultExposeMax, Expose: Expose{Prefix: DefaultPrefix}, Grace: DefaultGrace, Log: Log{Slow: DefaultSlowCall}, Links: Links{Hours: DefaultLinkHours}}
	keyFile := l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "journal.key")
	if o.Standalone {
		l.cfg.Runs = Runs{Memory: true, Keep: DefaultKeep, KeepBytes: DefaultKeepBytes, KeyFile: keyFile}
		return l, nil
	}
	l.cfg.GraphsDir = l.folder("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share", "graphs")
	if l.ownGraphs = l.cfg.GraphsDir; l.ownGraphs == "" {
		l.cfg.GraphsDir, l.cfg.ForeignGraphs = filepath.Join(dir, "graphs"), true
	}
	l.cfg.CacheDir = l.folder("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache", "")
	l.cfg.StateDir = l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "")
	l.cfg.ApprovalsFile = ApprovalsFile(o.Environ)
	l.cfg.Runs = Runs{File: l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "runs.db"), Keep: DefaultKeep, KeepBytes: DefaultKeepBytes, KeyFile: keyFile}
	l.cfg.Runs.Memory = l.cfg.Runs.File == ""
	if dir := l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "access"); dir != "" {
		l.cfg.Serve.TokensFile = filepath.Join(dir, "tokens.json")
	}
	return l, nil
}

// ApprovalsFile is where approvals of saved graphs are kept, "" without a place for it.
func ApprovalsFile(environ func(string) (string, bool)) string {
	l := &loader{o: Options{Environ: environ}}
	dir := l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "approved")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "graphs.json")
}

// PermissionsFile is where calls are kept that people have permitted, "" without a place for it.
func (c *Config) PermissionsFile() string {
	if c.ApprovalsFile == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(c.ApprovalsFile), "calls.json")
}

// RealFile is the file of the configuration without symbolic links, "" without one.
func (c *Config) RealFile() string {
	if c.File == "" {
		return ""
	}
	return files.Real(c.File)
}

// folder is Patchbay's folder of one XDG kind, or "" without a home directory.
// As the XDG specification says, a relative path in the variable is ignored.
func (l *loader) folder(variable, windows, underHome, sub string) string {
	at := ""
	if v, _ := l.o.Environ(variable); filepath.IsAbs(v) {
		at = v
	} else if v, _ := l.o.Environ(windows); runtime.GOOS == "windows" && filepath.IsAbs(v) {
		at = v
	} else if v, _ := l.o.Environ("HOME"); filepath.IsAbs(v) {
		at = filepath.Join(v, filepath.FromSlash(underHome))
	}
	if at == "" {
		return ""
	}
	return filepath.Join(at, "patchbay", sub)
}

// unique drops files that are named twice.
func unique(paths []string, dir string) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range paths {
		full := p
		if !filepath.IsAbs(p) {
			full = filepath.Join(dir, p)
		}
		if full = filepath.Clean(full); !seen[full] {
			seen[full] = true
			out = append(out, p)
		}
	}
	return out
}

// open reads and parses a file. edit, if any, prepares the text. The document is
// nil when nothing of it can be used.
func (l *loader) open(what, path string, edit func(string) string) (o origin, doc *graph.Document) {
	full := l.path(path, l.o.Dir)
	text, err := l.readText(path, full)
	if err != nil {
		l.failed = append(l.failed, fmt.Errorf("%s %s: %w", what, path, err))
		return origin{}, nil
	}
	f := &File{Path: path, Src: text}
	l.cfg.Files = append(l.cfg.Files, f)
	if edit != nil {
		text = edit(text)
	}
	doc, f.Diagnostics = graph.Parse(path, text)
	return origin{file: f, base: filepath.Dir(full)}, doc
}

func (l *loader) readText(path, full string) (string, error) {
	if l.o.Text != nil && path == l.o.File {
		return *l.o.Text, nil
	}
	return files.ReadText(full, graph.MaxBytes)
}

// document reads a -g file.
func (l *loader) document(path string) {
	o, doc := l.open("graph document", path, nil)
	if doc == nil {
		return
	}
	l.cfg.Documents = append(l.cfg.Documents, &Document{Path: path, Graph: doc})
	if m := doc.Tree().MCPServers; given(m) {
		l.servers(o, m)
	}
	if block := doc.Tree().Server; block.Exists() && l.cfg.Info == (ServerInfo{}) {
		l.info(o, block)
	}
}

// addServersIn reads the servers of a document that is not offered itself: whoever
// checks or runs it tells its other faults. With ask, they need trust.
func (l *loader) addServersIn(path string, ask bool) {
	o, doc := l.open("graph document", path, nil)
	if o.file != nil {
		o.file.Diagnostics = nil
	}
	if doc == nil {
		return
	}
	o.untrusted = ask && !l.o.Trust.Has(AsDocument, l.path(path, l.o.Dir), o.file.Src)
	if m := doc.Tree().MCPServers; given(m) {
		l.servers(o, m)
	}
}

func (l *loader) info(o origin, block graph.Value) {
	if !o.is(block, graph.Object, "a map with name and version") {
		return
	}
	for key, to := range map[string]*string{
		"name": &l.cfg.Info.Name, "version": &l.cfg.Info.Version, "title": &l.cfg.Info.Title, "instructions": &l.cfg.Info.Instructions,
	} {
		switch v := block.Get(key); v.Kind() {
		case graph.Absent, graph.Null:
		case graph.String, graph.Number:
			*to = v.Text()
		default:
			o.is(v, graph.String, "a string")
		}
	}
}

// finish settles what depends on all files.
func (l *loader) finish() {
	cfg := l.cfg
	cfg.Identity = l.identity()
	l.leaveOutOwn()
	for _, s := range cfg.Servers {
		for _, list := range []*[]string{&cfg.Calls.Allow, &cfg.Calls.Confirm, &cfg.Calls.Deny, &cfg.Expose.Allow, &cfg.Expose.Deny} {
			*list = append(*list, s.patterns(*list)...)
		}
	}
	slices.SortFunc(cfg.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	cfg.Default = len(cfg.Servers) == 0 && l.workspaceEnabled == nil && !l.o.Standalone
	cfg.WorkspaceReplaced = len(cfg.Servers) > 0 && l.workspaceEnabled == nil
	cfg.Workspace = cfg.Default || l.workspaceEnabled != nil && *l.workspaceEnabled
	if s, taken := cfg.Server(WorkspaceName); taken {
		cfg.Workspace = false
		if l.workspaceEnabled != nil && *l.workspaceEnabled {
			i := slices.IndexFunc(cfg.Files, func(f *File) bool { return f.Path == s.From })
			d := cfg.Files[i].Diagnostics.Report(ruleDuplicateServer, "", diag.Range{}, "server %q replaces the built-in one", WorkspaceName)
			d.Hint = "rename it, or set workspace.enabled to false"
		}
	}
	l.refuseRoot()
	cfg.AllTrusted = l.o.Trust == nil || l.o.Trust.all
	if cfg.AllTrusted || l.ownGraphs != "" && files.Real(cfg.GraphsDir) == files.Real(l.ownGraphs) {
		cfg.ForeignGraphs = false
	}
	if l.o.Store != "" {
		cfg.Runs.Memory = l.o.Store == "memory"
	}
	if l.o.RunsFile != "" {
		cfg.Runs.Memory, cfg.Runs.File = false, l.path(l.o.RunsFile, l.o.Dir)
	}
	cfg.Runs.Key = cmp.Or(l.o.RunsKey, cfg.Runs.Key)
	l.settleProject()
	l.settleRuntime()
	known := []string{WorkspaceName}
	for _, s := range cfg.Servers {
		known = append(known, s.Name)
	}
	for _, t := range l.trust {
		name := t.at.Text()
		if i := slices.IndexFunc(cfg.Servers, func(s Server) bool { return s.Name == name }); i >= 0 {
			cfg.Servers[i].Trusted = true
			continue
		}
		if name == WorkspaceName {
			continue
		}
		d := t.file.Diagnostics.Report(ruleTrust, t.at.Path(), t.at.Range(), "trust names the server %q, which is not configured", diag.Excerpt(name))
		if near := diag.Closest(name, known); near != "" {
			d.Hint = `did you mean "` + near + `"?`
			d.Offer(t.at.Replace(`replace with "`+near+`"`, near))
		} else {
			d.Hint = "the configured servers are " + diag.OneOf(known, 10)
		}
	}
	cfg.Redactor = secrets.NewRedactor(l.secrets)
	for _, f := range cfg.Files {
		f.stopServers(cfg.Servers)
		f.Diagnostics = f.Diagnostics.Sort()
		f.secrets = cfg.Redactor
	}
}

var CodeBadConfig = diag.DefineFault("bad-config", diag.RefusesRequest, "`mcp add` or `mcp remove` would write a configuration with errors, or a server is not started because its file has errors", "correct the entry, or the file")

// stopServers gives the servers of a file with errors a reason for not starting.
func (f *File) stopServers(all []Server) {
	for i := range all {
		if s := &all[i]; s.From == f.Path && s.Problem == nil && f.Diagnostics.HasErrors() {
			s.Problem = diag.Faultf(CodeBadConfig, "%s defines it and has errors", f.Path)
			s.Problem.Hint = "correct the file first"
		}
	}
}
