package engine

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	rulePlaceholderText = diag.Define("placeholder-text", diag.Warning,
		"A string looks like a placeholder that was meant to be replaced: <name>, YOUR_KEY, TODO.")
	ruleSecret = diag.Define("secret-literal", diag.Warning,
		"A string looks like a secret. Graphs are saved and shown as they are; secrets belong in the server's own configuration.")
	ruleDestructive = diag.Define("destructive-tool", diag.Note,
		"The tool's annotations say that it may destroy data.")
)

var ruleDeprecated = diag.Define("deprecated-tool", diag.Warning,
	"The tool's own description says that it is deprecated.")

var (
	fillIn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:<[A-Za-z][\w .-]{1,40}>|(?:YOUR|MY|INSERT|ENTER)[_ -][A-Z0-9_ -]+|(?:REPLACE|CHANGE)[_ -]?ME|TODO|FIXME|XXX+|…|\.\.\.)$`)
	})
	secret = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|glpat-[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY-----`)
	})
)

// suspect reports a literal text that is a placeholder or a secret by its looks.
func (p *Pass) suspect(n *Node, v graph.Value) {
	text := v.Text()
	switch {
	case fillIn().MatchString(text):
		d := p.Report(rulePlaceholderText, v, n, "%s looks like a placeholder", strconv.Quote(text))
		d.Hint = "give the value itself, or {expr: …} to compute it"
	case secret().MatchString(text):
		at := secret().FindStringIndex(text)
		d := p.reportAt(ruleSecret, v, v.Within(at[0], at[1]), n, "the string looks like a secret")
		d.Hint = "put it in the env or headers of the server's entry, as ${VAR}"
		if n.Kind.SecretHint != "" {
			d.Hint = n.Kind.SecretHint
		}
	}
}

var deprecated = regexp.MustCompile(`(?i)^\W*(?:this tool is )?deprecated\b`)

// warnDeprecated says that a tool's description starts by calling it deprecated:
// MCP has no field for it.
func (p *Pass) warnDeprecated(n *Node, tool *Tool) {
	if tool == nil || tool.Spec == nil || !deprecated.MatchString(tool.Spec.Description) && !deprecated.MatchString(tool.Spec.Title) {
		return
	}
	d := p.Report(ruleDeprecated, firstExisting(n.Field("tool"), n.where()), n, "%s is deprecated", tool.Spec.Subtype)
	d.Hint = "its description is: " + diag.Cut(strings.TrimSuffix(diag.OneLine(tool.Spec.Description), "."), 160)
}

// noteDestructive says that a call may destroy something, where the tool says so
// itself: MCP takes the hint for true when it is absent, and it mostly is.
func (p *Pass) noteDestructive(n *Node, tool *Tool) {
	if tool == nil || tool.Spec == nil || tool.Spec.Annotations == nil {
		return
	}
	if d := tool.Spec.Annotations.Destructive; d == nil || !*d || !tool.Spec.Annotations.IsDestructive() {
		return
	}
	d := p.Report(ruleDestructive, firstExisting(n.Field("tool"), n.where()), n, "%s may destroy something", tool.Spec.Subtype)
	d.Hint = "run_graph {\"mode\": \"dry_run\"} does not call " + tool.Spec.Subtype
}
