package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

// absence are the words for no value of other languages, which are text here.
var absence = []string{"None", "null", "nil", "undefined", "NULL", "Null"}

// convert offers the value that was meant where a literal only has the wrong
// form.
func convert(v graph.Value, m schema.Mismatch) (diag.Fix, bool) {
	if m.Keyword == "enum" {
		var choices []string
		if list, ok := m.Want.([]any); ok {
			for _, c := range list {
				if s, ok := c.(string); ok {
					choices = append(choices, s)
				}
			}
		}
		if near := diag.Closest(v.Text(), choices); near != "" {
			return changeTo(v, near), true
		}
		return diag.Fix{}, false
	}
	want, _ := m.Want.(string)
	if m.Keyword != "type" || want == "" {
		return diag.Fix{}, false
	}
	text := v.Text()
	for w := range strings.SplitSeq(want, " or ") {
		switch {
		case w == "string" && (v.Is(graph.Number) || v.Is(graph.Boolean)):
			return v.Replace("quote it", text), true
		case (w == "number" || w == "integer") && v.Is(graph.String) && isJSONNumber(text, w):
			return v.Replace("write the number "+text, json.RawMessage(text)), true
		case w == "boolean" && v.Is(graph.String) && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(text)):
			value := strings.EqualFold(text, "yes") || strings.EqualFold(text, "on")
			return v.Replace(fmt.Sprintf("write %v", value), value), true
		case w == "boolean" && v.Is(graph.String) && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
			return v.Replace("write "+strings.ToLower(text), json.RawMessage(strings.ToLower(text))), true
		case w == "array" && !v.Is(graph.Array) && !v.Is(graph.Null):
			if v.Is(graph.String) && strings.HasPrefix(strings.TrimSpace(text), "[") && json.Valid([]byte(text)) {
				return v.Replace("turn the text into a list", json.RawMessage(text)), true
			}
			return v.Replace("make it a list of one", []any{raw(v)}), true
		case w == "object" && jsonMap(nil, v) != nil:
			return v.Replace("turn it into a map", json.RawMessage(text)), true
		}
	}
	return diag.Fix{}, false
}

func isJSONNumber(s, want string) bool {
	var n json.Number
	if json.Unmarshal([]byte(s), &n) != nil || n == "" {
		return false
	}
	_, err := strconv.ParseInt(s, 10, 64)
	return want != "integer" || err == nil
}

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
		p.Report(rulePlaceholderText, v, n, "%s looks like a placeholder", strconv.Quote(text)).Hint = "give the value itself, or {expr: …} to compute it"
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
	p.Report(ruleDeprecated, firstExisting(n.Field("tool"), n.where()), n, "%s is deprecated", tool.Spec.Subtype).Hint = "its description is: " + diag.Cut(strings.TrimSuffix(diag.OneLine(tool.Spec.Description), "."), 160)
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
	p.Report(ruleDestructive, firstExisting(n.Field("tool"), n.where()), n, "%s may destroy something", tool.Spec.Subtype).Hint = "run_graph {\"mode\": \"dry_run\"} does not call " + tool.Spec.Subtype
}
