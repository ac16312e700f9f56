package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// message makes the request of a call.
func (op *operation) message(arguments json.RawMessage) (*apis.Request, error) {
	args, err := parseArguments(arguments)
	if err != nil {
		return nil, err
	}
	if err := op.check(args); err != nil {
		return nil, err
	}
	if op.base == "" {
		return nil, errors.New("the document does not say where the API is: set url")
	}
	m := &apis.Request{Method: op.method, Header: http.Header{"Accept": {op.responses.accept()}}, Repeatable: op.readsOnly()}
	var address strings.Builder
	address.WriteString(op.base)
	for _, s := range op.template {
		text := s.text
		if s.parameter != nil {
			if text, err = s.parameter.inPath(args.get(s.parameter.argument)); err != nil {
				return nil, err
			}
		}
		address.WriteString(text)
	}
	m.URL = address.String()
	for segment := range strings.SplitSeq(m.URL[len(op.base):], "/") {
		if segment == "." || segment == ".." {
			return nil, errDots
		}
	}
	var query, cookies []pair
	for _, p := range op.parameters {
		v := args.get(p.argument)
		if v == nil || v.is('n') {
			continue
		}
		switch p.in {
		case "query":
			query = append(query, p.pairs(v)...)
		case "cookie":
			cookies = append(cookies, p.pairs(v)...)
		case "header":
			text, err := p.inHeader(v)
			if err != nil {
				return nil, err
			}
			m.Header.Set(p.name, text)
		}
	}
	switch {
	case len(query) == 0:
	case strings.Contains(m.URL, "?"): // the path has a query of its own
		m.URL += "&" + joined(query)
	default:
		m.URL += "?" + joined(query)
	}
	for i, c := range cookies {
		if i > 0 {
			c.name = "; " + c.name
		}
		m.Header["Cookie"] = []string{m.Header.Get("Cookie") + c.name + "=" + c.value}
	}
	if op.body != nil {
		if v := args.get(op.body.argument); v != nil {
			body, contentType, err := op.body.encode(v)
			if err != nil {
				return nil, err
			}
			m.Body = body
			m.Header.Set("Content-Type", contentType)
		}
	}
	return m, nil
}

// parseArguments reads the arguments of a call.
func parseArguments(raw json.RawMessage) (*node, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return &node{kind: '{'}, nil
	}
	n, err := (&file{}).readJSON(raw)
	if err != nil || !n.is('{') {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return n, nil
}

// check refuses arguments that are missing or that the operation does not have.
func (op *operation) check(args *node) error {
	var known []string
	need := func(name string, required bool) error {
		known = append(known, name)
		if v := args.get(name); required && (v == nil || v.is('n')) {
			return fmt.Errorf("the argument %q is required", name)
		}
		return nil
	}
	for _, p := range op.parameters {
		if err := need(p.argument, p.required); err != nil {
			return err
		}
	}
	if b := op.body; b != nil {
		known = append(known, b.argument)
		if b.required && args.get(b.argument) == nil {
			return fmt.Errorf("the argument %q is required", b.argument)
		}
	}
	for name := range args.fields() {
		if slices.Contains(known, name) {
			continue
		}
		if near := diag.Closest(name, known); near != "" {
			return fmt.Errorf("there is no argument %s: did you mean %q?", diag.Quote(name), near)
		}
		if len(known) == 0 {
			return fmt.Errorf("there is no argument %s: the operation has none", diag.Quote(name))
		}
		return fmt.Errorf("there is no argument %s: the operation has %s", diag.Quote(name), diag.OneOf(known, 20))
	}
	return nil
}
