package specs

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/cron"
)

// ParameterTypes are the types that a [Parameter] of a knowledge pack may have.
// Those after jsonlogic are of other catalogs: a number, a choice
// among enum_values, and texts and values of one form.
var ParameterTypes = []string{
	"string", "number", "integer", "boolean", "array", "object", "null", "any", "node-id", "jsonata", "jsonlogic",
	"float", "enum", "json", "file", "url", "email", "cron",
}

// JSONTypes returns the types of JSON that the values of a parameter's type have,
// nil if they have any.
func JSONTypes(parameterType string) []string {
	switch parameterType {
	case "float":
		return []string{"number"}
	case "node-id", "jsonata", "file", "url", "email", "cron":
		return []string{"string"}
	case "string", "number", "integer", "boolean", "array", "object", "null":
		return []string{parameterType}
	}
	return nil
}

// IsTemplate reports whether the other system computes a text when it runs, so that it may
// stand for a value of any type.
func IsTemplate(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "${")
}

// TextFault says why a text is not a value of a parameter's type, "" if it is one
// or if the type does not restrict texts. Meant is the value that its author
// probably means, or "".
func TextFault(parameterType, text string) (why, meant string) {
	switch parameterType {
	case "url":
		return urlFault(text)
	case "email":
		return emailFault(text)
	case "cron":
		return cronFault(text)
	case "file":
		if strings.TrimSpace(text) == "" {
			return "it is empty, expected the path or URL of a file", ""
		}
	case "json":
		if !json.Valid([]byte(text)) {
			return "it is not JSON", ""
		}
	}
	return "", ""
}

// urlFault accepts absolute URLs with a host.
func urlFault(text string) (why, meant string) {
	trimmed := strings.TrimSpace(text)
	u, err := url.Parse(trimmed)
	switch {
	case trimmed == "":
		return "it is empty, expected a URL", ""
	case err == nil && u.Host != "" && u.Scheme != "" && trimmed == text:
		return "", ""
	case err == nil && u.Host != "" && u.Scheme != "":
		return "a URL has no spaces around it", trimmed
	}
	if u, err := url.Parse("https://" + trimmed); err == nil && looksLikeHost(u.Hostname()) {
		return "it is not a URL: it has no scheme", "https://" + trimmed
	}
	return "it is not a URL: expected <scheme>://<host>", ""
}

func looksLikeHost(name string) bool {
	return name == "localhost" || strings.Contains(name, ".") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".")
}

// emailFault accepts an address alone, without the name of a person.
func emailFault(text string) (why, meant string) {
	trimmed := strings.TrimPrefix(strings.TrimSpace(text), "mailto:")
	a, err := mail.ParseAddress(trimmed)
	if err != nil {
		return "it is not an email address: expected <name>@<host>", ""
	}
	if a.Address != text {
		return "expected an email address alone", a.Address
	}
	return "", ""
}

// cronFault accepts the five fields of crontab(5).
func cronFault(text string) (why, meant string) {
	if macro := strings.ToLower(strings.TrimSpace(text)); strings.HasPrefix(macro, "@") {
		return "a cron expression has five fields", cron.Macros[macro]
	}
	_, err := cron.Parse(text)
	if err == nil {
		return "", ""
	}
	if rest, seconds := strings.CutPrefix(text, "0 "); seconds && len(strings.Fields(text)) == 6 {
		if _, wrong := cron.Parse(rest); wrong == nil {
			return err.Error() + "; the first is for seconds", rest
		}
	}
	return err.Error(), ""
}
