package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// decisive are the keys without which an entry says nothing.
var decisive = []string{"command", "image", "url", "type", "transport", "serverUrl", "httpUrl"}

var transports = map[string]Transport{
	"stdio": Stdio, "local": Stdio,
	"http": StreamableHTTP, "streamableHttp": StreamableHTTP, "streamable-http": StreamableHTTP, "streamable_http": StreamableHTTP, "remote": StreamableHTTP,
	"sse": SSE,
}

// origin is a file that defines servers.
type origin struct {
	file      *File
	base      string // what its relative paths are relative to
	foreign   bool   // another client's file: its faults stop one server, not the start
	untrusted bool   // what it defines is listed and not started
}

// servers reads a map of entries.
func (l *loader) servers(o origin, m graph.Value) {
	if !o.is(m, graph.Object, "a map from names to servers") {
		return
	}
	for name, member := range m.Members() {
		r := &entryReader{loader: l, origin: o, at: member}
		if r.name(name, m.Key(name)) {
			r.read()
			l.add(o, r.s, m.Key(name), r.at)
		}
	}
}

// entryReader reads one server's entry.
type entryReader struct {
	*loader
	origin
	at graph.Value
	s  Server
}

// fault reports what is wrong in the entry and makes it the reason why the
// server cannot be started.
func (r *entryReader) fault(rule *diag.Rule, at graph.Value, hint, format string, args ...any) *diag.Diagnostic {
	reported := rule
	if r.foreign && rule.Severity == diag.Error {
		reported = ruleForeignServer
	}
	d := r.report(reported, at, hint, format, args...)
	if r.s.Problem == nil {
		r.s.Problem = &diag.Fault{Code: rule.Code, Message: d.Message, Hint: hint}
	}
	return d
}

func (r *entryReader) name(name string, key graph.Value) bool {
	r.s.Name, r.s.From = name, r.file.Path
	if isServerName(name) && utf8.RuneCountInString(name) <= maxServerName {
		return true
	}
	legal := LegalName(name)
	for other := range key.Parent().Members() {
		if other != name && LegalName(other) == legal { // which is then the name of neither
			runes := []rune(legal)
			legal = string(runes[:min(len(runes), maxServerName-7)]) + "-" + files.Hash(name)[:6]
			break
		}
	}
	if name == "" || key.Parent().Has(legal) {
		r.fault(ruleServer, key, `use letters, digits, "_", "-" and "."`, "server name %q cannot be used in the names of its tools", diag.Excerpt(name))
		return false
	}
	r.s.Name, r.s.Called = legal, name
	d := r.report(ruleServerName, key, `use letters, digits, "_", "-" and "." to choose it yourself`, "server name %q cannot be used in the names of its tools: it is %q here", diag.Excerpt(name), legal)
	if !r.foreign {
		d.Offer(key.Parent().RenameKey(`rename to "`+legal+`"`, name, legal))
	}
	return true
}

func (r *entryReader) read() {
	if r.at.Kind() != graph.Object {
		r.fault(ruleServer, r.at, "write a map with command and args, or with url",
			"server %q is %s, not a map", r.s.Name, r.at.Kind())
		return
	}
	r.s.Disabled = r.flag("disabled", false) || !r.flag("enabled", true)
	r.s.CallTimeout = time.Duration(r.count("callTimeoutMs", maxMillis)) * time.Millisecond
	r.s.MaxCalls = int(r.count("maxCalls", 1_000_000))
	r.s.Idle = time.Duration(r.count("idleMs", maxMillis)) * time.Millisecond
	r.s.Start = r.choice("start", "eager", "lazy")
	r.s.Tags, r.s.Aliases = r.texts("tags"), r.texts("aliases")
	meant, slip := r.unknown(r.at, settingKeys(entrySettings), fmt.Sprintf("server %q", r.s.Name))
	if slip != nil {
		r.s.Problem = &diag.Fault{Code: slip.Code, Message: slip.Message, Hint: slip.Hint}
	}
	r.s.Trust = r.choice("trust", "strict", "pin", "auto")
	// Without a key that decides, all else that is wrong may only follow from it.
	if !slices.ContainsFunc(meant, func(key string) bool { return slices.Contains(decisive, key) }) {
		r.transport()
	}
	r.tools()
	if r.s.Transport == Stdio {
		r.stdio()
	} else if r.s.Transport != "" {
		r.remote()
	}
}

// choice is one of a few texts; "" is none of them.
func (r *entryReader) choice(key string, choices ...string) string {
	v := r.at.Get(key)
	if !v.Exists() {
		return ""
	}
	if !slices.Contains(choices, v.Text()) {
		r.fault(ruleBadSetting, v, "write one of "+strings.Join(choices, ", "), "%s of server %q is %s, expected %s", key, r.s.Name, got(v), diag.OneOf(choices, len(choices)))
		return ""
	}
	return v.Text()
}

func (r *entryReader) flag(key string, absent bool) bool {
	v := r.at.Get(key)
	switch v.Kind() {
	case graph.Absent:
		return absent
	case graph.Boolean:
		return v.Bool()
	default:
		r.fault(ruleBadSetting, v, "write true or false", "%s of server %q is %s, not a boolean", key, r.s.Name, v.Kind())
		return absent
	}
}

// count is a whole number from 1 to most, or 0.
func (r *entryReader) count(key string, most int64) int64 {
	v := r.at.Get(key)
	if !v.Exists() {
		return 0
	}
	n, _ := r.number(v, 1, most)
	return n
}

// remoteURL is the url under whichever name the client gave it.
func (r *entryReader) remoteURL() graph.Value {
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if v := r.at.Get(key); v.Exists() {
			return v
		}
	}
	return graph.Value{}
}

func (r *entryReader) transport() {
	command, remote := r.at.Has("command") || r.at.Has("image"), r.remoteURL().Exists()
	named := r.at.Get("type")
	if !named.Exists() {
		named = r.at.Get("transport")
	}
	switch {
	case named.Exists():
		t, ok := transports[named.Text()]
		if !ok {
			choices := []string{"stdio", "http", "sse"}
			hint := "write one of stdio, http, sse"
			if near := diag.Closest(named.Text(), choices); near != "" {
				hint = `did you mean "` + near + `"?`
			}
			d := r.fault(ruleServer, named, hint, "server %q has the unknown type %q", r.s.Name, diag.Excerpt(named.Text()))
			d.Got, d.Want = diag.Excerpt(named.Text()), choices
			return
		}
		r.s.Transport = t
	case command && remote:
		r.fault(ruleServer, r.at, "keep one of them, or add a type", "server %q has both a command and a url", r.s.Name)
		return
	case command:
		r.s.Transport = Stdio
	case remote:
		r.s.Transport = AnyHTTP
	default:
		r.fault(ruleServer, r.at, "add command and args for a local server, or url for a remote one",
			"server %q has neither a command nor a url", r.s.Name)
		return
	}
	if r.s.Transport == Stdio && !command {
		r.s.Transport = ""
		r.fault(ruleServer, r.at, "add command", "server %q is of type stdio but has no command", r.s.Name)
	} else if r.s.Transport != Stdio && !remote {
		r.fault(ruleServer, r.at, "add url", "server %q is of type %s but has no url", r.s.Name, r.s.Transport)
		r.s.Transport = ""
	}
}

func (r *entryReader) stdio() {
	command := r.at.Get("command")
	if command.Exists() {
		r.s.Command, _ = r.text(command, "command")
	}
	switch {
	case r.s.Problem != nil || r.at.Has("image"):
	case strings.TrimSpace(r.s.Command) == "":
		r.fault(ruleServer, command, "name the program to start", "command of server %q is empty", r.s.Name)
	case strings.ContainsRune(r.s.Command, '/') || strings.ContainsRune(r.s.Command, filepath.Separator):
		r.s.Command = r.path(r.s.Command, r.base)
	case strings.ContainsAny(r.s.Command, " \t") && r.at.Get("args").Len() == 0:
		program, _, _ := strings.Cut(strings.TrimSpace(command.Text()), " ")
		r.report(ruleCommand, command, `write command: "`+diag.Excerpt(program)+`" and the rest in args, a list`, "command of server %q seems to contain its arguments too", r.s.Name)
	}
	if args := r.at.Get("args"); args.Exists() {
		if args.Kind() != graph.Array {
			r.fault(ruleBadSetting, args, "write a list with one argument per item", "args of server %q is %s, not a list", r.s.Name, args.Kind())
		}
		for i, item := range args.Items() {
			arg, _ := r.text(item, fmt.Sprintf("args[%d]", i))
			r.s.Args = append(r.s.Args, arg)
		}
	}
	r.s.Env = r.pairs("env")
	r.confinement()
	r.s.Cwd = r.base
	if cwd := r.at.Get("cwd"); cwd.Exists() {
		dir, _ := r.text(cwd, "cwd")
		r.s.Cwd = r.path(dir, r.base)
	}
}

func (r *entryReader) remote() {
	at := r.remoteURL()
	text, _ := r.text(at, "url")
	r.s.URL = text
	r.s.Headers = r.pairs("headers")
	r.auth()
	if r.s.Problem != nil {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		r.fault(ruleServer, at, "write an absolute URL such as https://host/mcp", "url of server %q is not a URL", r.s.Name)
	case u.Scheme != "http" && u.Scheme != "https":
		r.fault(ruleServer, at, "write an http or https URL", "url of server %q is not an http or https URL", r.s.Name)
	}
}

// add takes a server into the configuration in place of an earlier one of its name. One
// that is not trusted takes no other's place.
func (l *loader) add(o origin, s Server, key, at graph.Value) {
	if o.untrusted {
		s.Problem = diag.Faultf(diag.CodeUntrustedFile, "%s defines it and is not trusted", s.From)
		s.Problem.Hint = "look at the file, then run patchbay trust " + s.From + "; --connect starts its servers for this command only"
	}
	i := slices.IndexFunc(l.cfg.Servers, func(have Server) bool { return have.Name == s.Name })
	if i < 0 {
		if o.untrusted && s.Name == WorkspaceName && l.workspaceEnabled != nil && *l.workspaceEnabled {
			l.hide(s, "the built-in one")
			return
		}
		s.Order = len(l.cfg.Servers)
		l.cfg.Servers = append(l.cfg.Servers, s)
		l.defined[s.Name] = string(at.JSON())
		return
	}
	have := &l.cfg.Servers[i]
	same := l.defined[s.Name] == string(at.JSON()) && have.Cwd == s.Cwd && have.Command == s.Command
	if o.untrusted {
		if !same {
			l.hide(s, "that of "+have.From)
		}
		return
	}
	if !same {
		o.report(ruleDuplicateServer, key, "give one of the two another name if both are meant", "server %q is also defined in %s; this definition counts", s.Name, have.From)
	}
	s.Order = have.Order
	*have = s
	l.defined[s.Name] = string(at.JSON())
}

// hide notes that a server of a file that is not trusted is left out because of another.
func (l *loader) hide(s Server, by string) {
	f := diag.Faultf(diag.CodeUntrustedFile, "%s is not trusted, so %s hides its server %q", s.From, by, s.Name)
	f.Hint = "give one of the two another name; patchbay trust " + s.From + " trusts the file"
	l.cfg.Hidden = append(l.cfg.Hidden, f)
}

// texts are the strings of a list, or one string.
func (r *entryReader) texts(key string) (list []string) {
	for _, item := range listItems(r.at.Get(key)) {
		text, _ := r.text(item, key)
		list = append(list, text)
	}
	return list
}
