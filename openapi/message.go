package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// message makes the request of a call.
func (op *operation) message(arguments json.RawMessage) (*apis.Request, error) {
	arguments, err := apis.CheckArguments(op.input, arguments)
	if err != nil {
		return nil, err
	}
	args, err := (&file{}).readJSON(arguments)
	if err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", err)
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
