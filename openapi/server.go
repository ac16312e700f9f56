package openapi

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// server returns the URL of the first of a list of servers: the operator's, if there
// is one. It is nil where the document's cannot be known, and where a document that was
// fetched names another origin: credentials are not sent where it likes.
func (a *api) server(list *node) (*url.URL, error) {
	if a.client.base != nil {
		return a.client.base, nil
	}
	address := "/"
	for n := range list.items() {
		text, err := a.substituted(n)
		if err != nil {
			return nil, err
		}
		address = text
		break
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s: the server %s is not a URL: set url", a.file.name, diag.Quote(address))
	}
	if a.file.url != nil {
		u = a.file.url.ResolveReference(u)
	}
	if u.Host == "" {
		return nil, nil
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: the server %s is not an http or https URL: set url", a.file.name, diag.Quote(address))
	}
	if a.file.url != nil && origin(u) != origin(a.file.url) {
		a.note("%s: the server %s is not used, because it is of another origin than the document: set url to use it", a.file.name, apis.Address(u.String()))
		return nil, nil
	}
	a.reach(u)
	return u, nil
}

// reach tells what limits requests that a document of the operator's own names a URL.
func (a *api) reach(u *url.URL) {
	if a.file.url == nil && a.options.Reach != nil {
		a.options.Reach(u.String())
	}
}

// substituted is a server's URL with its variables.
func (a *api) substituted(n *node) (string, error) {
	text := n.get("url").label()
	variables := n.get("variables")
	for name, v := range variables.fields() {
		value, set := a.options.Variables[name]
		if !set {
			value = v.get("default").label()
		}
		var choices []string
		for choice := range v.get("enum").items() {
			choices = append(choices, choice.label())
		}
		if len(choices) > 0 && !slices.Contains(choices, value) {
			return "", a.file.fault(v, "the server variable %s is %s, which is not one of %s", diag.Quote(name), diag.Quote(value), diag.OneOf(choices, 10))
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	for _, name := range slices.Sorted(maps.Keys(a.options.Variables)) {
		text = strings.ReplaceAll(text, "{"+name+"}", a.options.Variables[name])
	}
	if strings.ContainsAny(text, "{}") {
		return "", a.file.fault(n, "the server %s has a variable without a value: set url, or the variable", diag.Quote(text))
	}
	return text, nil
}
