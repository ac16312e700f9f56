package egress

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// auth sets the header with the credentials.
func (c *Client) auth(m *request, o *requestSpec) *diag.Fault {
	list, fault := members(o.Auth, "auth")
	if fault != nil || len(list) == 0 {
		return fault
	}
	const forms = "write {bearer: …}, {basic: {username: …, password: …}} or {header: {name: …, value: …}}"
	if len(list) > 1 {
		return badRequest(forms, "auth has %d members, it takes one", len(list))
	}
	name, value := "Authorization", ""
	part := func(raw json.RawMessage, key string) string {
		parts, wrong := members(raw, "auth."+list[0].name)
		if wrong != nil {
			fault = wrong
		}
		for _, p := range parts {
			if p.name == key {
				text, ok, wrong := c.text(m, p.value, "auth."+list[0].name+"."+key)
				if wrong != nil {
					fault = wrong
				}
				if ok {
					return text
				}
			}
		}
		if fault == nil {
			fault = badRequest(forms, "auth.%s has no %s", list[0].name, key)
		}
		return ""
	}
	switch list[0].name {
	case "bearer":
		token, ok, wrong := c.text(m, list[0].value, "auth.bearer")
		if fault = wrong; fault == nil && !ok {
			fault = badRequest(forms, "auth.bearer is empty")
		}
		value = "Bearer " + token
		m.hide(token)
	case "basic":
		user, password := part(list[0].value, "username"), part(list[0].value, "password")
		if strings.Contains(user, ":") {
			fault = badRequest("", "auth.basic.username contains a colon, which is not allowed")
		}
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
		m.hide(password)
		m.hide(strings.TrimPrefix(value, "Basic "))
	case "header":
		name, value = part(list[0].value, "name"), part(list[0].value, "value")
		m.hide(value)
	default:
		fault = badRequest(forms, "auth has no scheme %q", list[0].name)
	}
	if fault != nil {
		return fault
	}
	m.originBound = append(m.originBound, http.CanonicalHeaderKey(name))
	return m.set(name, value)
}

// hide notes a value that messages must not show.
func (m *request) hide(value string) { m.secrets = append(m.secrets, value) }
