package specs

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
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

// A cronField is one of the five fields of a cron expression.
type cronField struct {
	name      string
	low, high int
	words     []string // names of the values, from low on
}

var cronFields = []cronField{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"weekday", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"}},
}

// cronMacros are what some programs take for whole expressions.
var cronMacros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// cronFault accepts the five fields of crontab(5).
func cronFault(text string) (why, meant string) {
	fields := strings.Fields(text)
	if macro := cronMacros[strings.ToLower(strings.TrimSpace(text))]; macro != "" {
		return "a cron expression has five fields", macro
	}
	if len(fields) != len(cronFields) {
		why = fmt.Sprintf("a cron expression has five fields, got %d", len(fields))
		if len(fields) == 6 && fields[0] == "0" {
			if rest := strings.Join(fields[1:], " "); noCronFault(rest) {
				return why + "; the first is for seconds", rest
			}
		}
		return why, ""
	}
	for i, field := range fields {
		if !cronFields[i].accepts(field) {
			return fmt.Sprintf("%q is not the %s: expected *, or values of %d-%d with ',', '-' and '/'", field, cronFields[i].name, cronFields[i].low, cronFields[i].high), ""
		}
	}
	return "", ""
}

func noCronFault(text string) bool {
	why, _ := cronFault(text)
	return why == ""
}

func (f cronField) accepts(text string) bool {
	for part := range strings.SplitSeq(text, ",") {
		span, step, stepped := strings.Cut(part, "/")
		if n, ok := digits(step); stepped && (!ok || n == 0) {
			return false
		}
		if span == "*" || span == "?" {
			continue
		}
		from, to, several := strings.Cut(span, "-")
		low, ok := f.value(from)
		high := low
		if several && ok {
			high, ok = f.value(to)
		}
		if !ok || low > high && (f.words == nil || !several) { // fri-mon is a span of weekdays
			return false
		}
	}
	return true
}

func (f cronField) value(text string) (int, bool) {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.low + i, true
	}
	n, ok := digits(text)
	return n, ok && f.low <= n && n <= f.high
}

// digits reads a number of at most three digits.
func digits(text string) (n int, ok bool) {
	if text == "" || len(text) > 3 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}
