package engine

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// The forms of values that other systems and models write differently.
var (
	argsForm         = form{ruleArgsShape, "args is {got}, expected a map of arguments", "write args: {<argument>: <value>}", firstForm(jsonMap, exprOverNodes, pairs), "turn it into a map", "write args: {ours}"}
	headersForm      = form{ruleHTTPHeader, "headers is {got}, expected {<name>: <value>}", "write headers: {Accept: application/json}", pairs, "turn it into a map", ""}
	queryForm        = form{ruleHTTPQuery, "query is {got}, expected {<name>: <value>}", "write query: {page: 2, tag: [a, b]}", firstForm(pairs, queryText), "turn it into a map", ""}
	bodyForm         = form{ruleHTTPBody, "the body is JSON written as text, and would be sent as text", "write it as a map or a list: it is sent as JSON", jsonValue, "turn the text into a value", ""}
	urlForm          = form{ruleHTTPURL, "{text} is not a complete URL", "write the scheme and the host too: https://api.example.com/v1/items", withScheme, `change to "{short}"`, ""}
	urlPathForm      = form{ruleHTTPURL, "the url has the placeholder {{what}}, which is not replaced", `write {expr: '"https://…/" & $.<node id>.<field>'}`, exprOfURL, "compute it: {short}", "write {ours}"}
	schemaForm       = form{ruleBadSchema, "{what} is {got}, expected a JSON Schema", "write {type: object, properties: {<name>: {type: string}}}", jsonMap, "turn it into a map", ""}
	propertiesForm   = form{ruleSchemaShorthand, "{what} lists properties, expected a JSON Schema of an object", "write {type: object, properties: {…}, required: […]}", schemaOfProperties, "wrap them in properties", ""}
	transformForm    = form{ruleTransformShape, "transform is {got}, expected {expr: …}", "write transform: {expr: '<JSONata>'}", exprOfText, "wrap it in {expr: …}", ""}
	transformMapForm = form{ruleTransformShape, "transform has no expr", "write transform: {ours}", exprOfMap, "compute the map by {expr: …}", ""}
	computedForm     = form{ruleBareExpression, "{what} is text, expected {expr: …}", "write {what}: {ours}", exprOfText, "compute it: {short}", ""}
	olderArgForm     = form{ruleLegacyArg, "{text} is an expression in the older form", "", exprOfText, "compute it: {short}", ""}
	literalForm      = form{ruleLiteralExpr, "{text} is passed as text, not evaluated", "write {ours}", exprOfText, "compute it: {short}", ""}
	templateForm     = form{ruleTemplate, "{text} is passed unchanged: there are no {{ }} or ${ } templates", "write {expr: '<JSONata>'}", exprOfTemplate, "compute it: {short}", "write {ours}"}
	exprForm         = form{ruleExprSyntax, "an expression is plain JSONata: there are no {{ }} or ${ } templates", "write {ours}", sourceOfTemplate, "write {short}", ""}
	ruleForm         = form{ruleRuleShape, "a rule is a map of one operator, got {what}", `write {">": [{var: $.a.b}, 3]}; join rules with {and: […]}`, comparison, "write it as JSON Logic", ""}
	textRuleForm     = form{ruleRuleShape, "the rule is text, expected JSON Logic", `write JSON Logic, such as {">": [{var: $.a.b}, 3]}`, varOfText, "read it by var", "write {ours}: var accepts any JSONata"}
	operandForm      = form{ruleLiteralExpr, "{text} is compared as text, not evaluated", "write {ours}", varOfExpr, "read it by var", ""}
	pathForm         = form{ruleLiteralExpr, "{text} is looked up as a path, not evaluated", "missing takes paths such as entry.items; for the value of an expression, write {\"!\": {var: '$exists(…)'}}", pathOfExpr, "write the path {ours}", "missing takes paths: write {ours}"}
	conditionsForm   = form{ruleSwitchShape, "conditions is {got}, expected a list of {rule, next}", "write conditions: [{rule: …, next: …}]", oneCondition, "make it a list", ""}
	branchesForm     = form{ruleBranches, "{what} is {got}, expected a list of node ids", "write {what}: [<id of a branch's first node>, …]", idList, "make it a list", ""}
	targetForm       = form{ruleWrongShape, "an edge names one node, got {got}", "to run one after the other, chain them with next; to choose, use a switch", onlyID, `change to "{ours}"`, "write the id alone: {ours}"}
)

// firstForm reads what the first of some functions reads.
func firstForm(reads ...func(*Pass, graph.Value) any) func(*Pass, graph.Value) any {
	return func(p *Pass, v graph.Value) any {
		for _, read := range reads {
			if ours := read(p, v); ours != nil {
				return ours
			}
		}
		return nil
	}
}

// jsonValue reads a text that is a JSON object or list.
func jsonValue(_ *Pass, v graph.Value) any {
	text := []byte(strings.TrimSpace(v.Text()))
	if !v.Is(graph.String) || !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("[")) || !json.Valid(text) {
		return nil
	}
	return json.RawMessage(text)
}

// jsonMap reads a text that is a JSON object.
func jsonMap(p *Pass, v graph.Value) any {
	if strings.HasPrefix(strings.TrimSpace(v.Text()), "{") {
		return jsonValue(p, v)
	}
	return nil
}

// exprOfText reads a text as an expression.
func exprOfText(_ *Pass, v graph.Value) any {
	if !v.Is(graph.String) {
		return nil
	}
	return oneMember("expr", v.Text())
}

// exprOverNodes reads a text that is an expression over nodes.
func exprOverNodes(p *Pass, v graph.Value) any {
	if !v.Is(graph.String) || !p.readsNode(v.Text()) {
		return nil
	}
	return exprOfText(p, v)
}

// pairs reads a list of {name, value} items.
func pairs(_ *Pass, v graph.Value) any {
	var m graph.Members
	for _, item := range v.Items() {
		name, value := firstMember(item, "name", "key"), firstMember(item, "value")
		if !name.Is(graph.String) || !value.Exists() {
			return nil
		}
		m = m.With(name.Text(), raw(value))
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// queryText reads a=1&b=2.
func queryText(_ *Pass, v graph.Value) any {
	if !v.Is(graph.String) {
		return nil
	}
	var m graph.Members
	for part := range strings.SplitSeq(strings.TrimPrefix(v.Text(), "?"), "&") {
		name, value, ok := strings.Cut(part, "=")
		name, bad := url.QueryUnescape(name)
		value, worse := url.QueryUnescape(value)
		if !ok || bad != nil || worse != nil || slices.ContainsFunc(m, func(p graph.Pair) bool { return p.Key == name }) {
			return nil
		}
		m = m.With(name, value)
	}
	return m
}

// oneCondition reads a condition outside of a list.
func oneCondition(_ *Pass, v graph.Value) any {
	if !v.Has("rule") {
		return nil
	}
	return []any{raw(v)}
}

// idList reads one id, or a map to ids.
func idList(_ *Pass, v graph.Value) any {
	if v.Is(graph.String) {
		return []any{v.Text()}
	}
	var ids []any
	for _, id := range v.Members() {
		if !id.Is(graph.String) {
			return nil
		}
		ids = append(ids, id.Text())
	}
	if len(ids) == 0 {
		return nil
	}
	return ids
}

// onlyID reads the id of a node inside a list or a map.
func onlyID(p *Pass, v graph.Value) any {
	if id := onlyItem(v); id.Is(graph.String) {
		return id.Text()
	}
	if id := firstMember(v, "node", "id", "next", "to", "target"); id.Is(graph.String) && p.isNode(id.Text()) {
		return id.Text()
	}
	return nil
}
