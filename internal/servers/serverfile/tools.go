package serverfile

import (
	"errors"
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
)

// EnableTools returns the text of a patchbay.yaml in which the tools of a server that
// match the patterns can be used, or, unless on, cannot; and whether it has the
// server. Enabling takes the patterns out of tools.deny, and adds them to tools.allow
// if there is one; disabling adds them to tools.deny.
func EnableTools(text, name string, on bool, patterns []string) (string, bool, error) {
	for _, pattern := range patterns {
		root, err := parse(text)
		if err != nil {
			return "", false, err
		}
		_, entry, _ := find(root, "servers", name)
		if !entry.Exists() {
			return text, false, nil
		}
		if text, err = enable(text, entry, on, pattern); err != nil {
			return "", true, err
		}
	}
	return text, true, nil
}

// enable changes the tools of one entry.
func enable(text string, entry graph.Value, on bool, pattern string) (string, error) {
	tools := entry.Get("tools")
	if !tools.Exists() || tools.Is(graph.Null) {
		if on {
			return text, nil
		}
		value := graph.Members{{Key: "deny", Value: []string{pattern}}}
		if tools.Exists() {
			return apply(text, tools.Replace("", value))
		}
		return apply(text, entry.Insert("", "tools", value, ""))
	}
	allow, deny := texts(tools.Get("allow")), texts(tools.Get("deny"))
	if !tools.Is(graph.Object) { // a list of what is allowed
		allow, deny = texts(tools), nil
	}
	if on {
		deny = slices.DeleteFunc(deny, func(p string) bool { return p == pattern })
		if len(allow) > 0 && !slices.Contains(allow, pattern) {
			allow = append(allow, pattern)
		}
	} else if !slices.Contains(deny, pattern) {
		deny = append(deny, pattern)
	}
	if !tools.Is(graph.Object) {
		return apply(text, tools.Replace("", graph.Members{{Key: "allow", Value: allow}, {Key: "deny", Value: deny}}))
	}
	for _, list := range []struct {
		key  string
		want []string
	}{{"allow", allow}, {"deny", deny}} {
		var err error
		if text, err = setList(text, tools, list.key, list.want); err != nil {
			return "", err
		}
		root, err := parse(text)
		if err != nil {
			return "", err
		}
		if tools = root.At(tools.Path()); !tools.Exists() {
			return "", errors.New("the layout of the entry cannot be edited by this command: change tools.allow and tools.deny by hand")
		}
	}
	return text, nil
}

// setList makes a list of tools say what is wanted, if it does not.
func setList(text string, tools graph.Value, key string, want []string) (string, error) {
	v := tools.Get(key)
	switch {
	case slices.Equal(texts(v), want):
		return text, nil
	case !v.Exists():
		return apply(text, tools.Insert("", key, want, ""))
	default:
		return apply(text, v.Replace("", want))
	}
}

// texts are the texts of a list, or one text.
func texts(v graph.Value) (list []string) {
	if v.Is(graph.String) {
		return []string{v.Text()}
	}
	for _, item := range v.Items() {
		list = append(list, item.Text())
	}
	return list
}
