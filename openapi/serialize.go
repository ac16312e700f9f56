package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// A pair is one name and value of a query, a form or the cookies, escaped.
type pair struct{ name, value string }

// text is a value as it stands in a URL or a header; what has parts is JSON.
func (n *node) textValue() string {
	switch {
	case n == nil || n.kind == 'n':
		return ""
	case n.kind == '{', n.kind == '[':
		return string(n.appendJSON(nil))
	}
	return n.label()
}

// inPath writes a value into a path, escaped.
func (p *parameter) inPath(v *node) (string, error) {
	prefix, join, named := "", p.join(), false
	switch p.style {
	case "label":
		prefix = "."
		if p.explode {
			join = "."
		}
	case "matrix":
		prefix, named = ";", true
		if p.explode {
			join = ";"
		}
	}
	name := url.PathEscape(p.name)
	var out string
	switch {
	case p.asJSON:
		out = url.PathEscape(string(v.appendJSON(nil)))
	case v.is('['), v.is('{'):
		out = p.list(v, join, named && p.explode, name, url.PathEscape)
		if named && !p.explode {
			out = name + "=" + out
		}
	default:
		out = url.PathEscape(v.textValue())
		if named {
			out = name + "=" + out
		}
	}
	if out == "" {
		return "", fmt.Errorf("the argument %q cannot be empty: it is a part of the path", p.argument)
	}
	return prefix + out, nil
}

// join is what is between the items of an array, escaped.
func (p *parameter) join() string {
	if p.delimiter == "" || p.delimiter == "," {
		return ","
	}
	return url.PathEscape(p.delimiter)
}

// list writes the items of an array or the members of an object.
func (p *parameter) list(v *node, join string, named bool, name string, escape func(string) string) string {
	var parts []string
	for _, m := range v.members {
		text := escape(m.value.textValue())
		switch {
		case v.is('{') && p.explode:
			text = escape(m.name) + "=" + text
		case v.is('{'):
			text = escape(m.name) + "," + text
		case named:
			text = name + "=" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, join)
}

// inHeader writes a value as that of a header.
func (p *parameter) inHeader(v *node) (string, error) {
	text := v.textValue()
	if !p.asJSON && (v.is('[') || v.is('{')) {
		text = p.list(v, cmp.Or(p.delimiter, ","), false, "", func(s string) string { return s })
	}
	if !isFieldValue(text) {
		return "", fmt.Errorf("the argument %q contains a character that a header cannot have", p.argument)
	}
	return text, nil
}

// pairs writes a value as pairs of a query, a form or the cookies.
func (p *parameter) pairs(v *node) []pair {
	escape := url.QueryEscape
	switch {
	case p.in == "cookie":
		escape = escapeCookie
	case p.reserved:
		escape = escapeUnreserved
	}
	name := url.QueryEscape(p.name)
	switch {
	case p.asJSON:
		return []pair{{name, escape(string(v.appendJSON(nil)))}}
	case p.style == "deepObject" && v.is('{'):
		return deep(nil, p.name, v, escape)
	case !v.is('[') && !v.is('{'):
		return []pair{{name, escape(v.textValue())}}
	case len(v.members) == 0:
		return nil
	}
	join := p.join()
	switch p.style {
	case "spaceDelimited":
		join = "%20"
	case "pipeDelimited":
		join = "%7C"
	}
	if !p.explode {
		return []pair{{name, p.list(v, join, false, "", escape)}}
	}
	var list []pair
	for _, m := range v.members {
		key := name
		if v.is('{') {
			key = url.QueryEscape(m.name)
		}
		list = append(list, pair{key, escape(m.value.textValue())})
	}
	return list
}

// deep writes an object as name[key]=value; an object in it as name[key][key].
func deep(list []pair, name string, v *node, escape func(string) string) []pair {
	switch {
	case v.is('{'):
		for _, m := range v.members {
			list = deep(list, name+"["+m.name+"]", m.value, escape)
		}
		return list
	case v.is('['):
		for _, m := range v.members {
			list = append(list, pair{url.QueryEscape(name), escape(m.value.textValue())})
		}
		return list
	}
	return append(list, pair{url.QueryEscape(name), escape(v.textValue())})
}

// escapeCookie escapes a value of a cookie, in which a plus is not a space.
func escapeCookie(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// escapeUnreserved escapes what would end a value of a query, and leaves other reserved
// characters.
func escapeUnreserved(s string) string {
	escaped := url.QueryEscape(s)
	for _, c := range ":/?@!$'()*,;[]" {
		escaped = strings.ReplaceAll(escaped, url.QueryEscape(string(c)), string(c))
	}
	return escaped
}

// joined writes pairs as a query does.
func joined(list []pair) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name + "=" + p.value)
	}
	return b.String()
}

// errDots says that an argument would lead to another path.
var errDots = errors.New(`an argument makes a segment of the path "." or "..", which leads elsewhere`)
