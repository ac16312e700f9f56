package graph

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// otherwise matches plain scalars that some YAML 1.1 or 1.2 reader takes for
// something else than text: null, booleans, integers (also octal, binary, with
// underscores), floats, base 60 numbers, infinities, timestamps, and the merge
// and default keys.
var otherwise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:` + strings.Join([]string{
		`null`, `~`, `true`, `false`, `yes`, `no`, `on`, `off`, `y`, `n`, `=`, `<<`,
		`[-+]?0b[01_]+`, `[-+]?0o?[0-7_]+`, `[-+]?0x[0-9a-f_]+`,
		`[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)(e[-+]?[0-9]+)?`,
		`[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`,
		`[-+]?\.inf`, `\.nan`,
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \t].*)?`,
	}, "|") + `)$`)
})

// plainSafe reports whether every YAML reader takes s, unquoted, for that text.
func plainSafe(s string, inFlow bool) bool {
	if s == "" || strings.TrimSpace(s) != s || !printable(s) || strings.ContainsAny(s, "\n\t") {
		return false
	}
	switch c := s[0]; {
	case strings.IndexByte(",[]{}#&*!|>'\"%@`", c) >= 0:
		return false
	case strings.IndexByte("-?:", c) >= 0:
		if len(s) == 1 || s[1] == ' ' || flowIndicator(s[1]) || c == ':' {
			return false
		}
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") ||
		strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") {
		return false
	}
	if inFlow && (strings.ContainsAny(s, `,[]{}"`) || strings.Contains(s, ":'")) {
		return false
	}
	c := s[0]
	if c >= '0' && c <= '9' || strings.IndexByte("+-.~=<", c) >= 0 || len(s) <= 5 {
		return !otherwise().MatchString(s)
	}
	return true
}

// printable reports whether YAML can contain s without escapes. Line feeds and tabs
// are printable, control characters of the writing direction are not.
func printable(s string) bool {
	for _, r := range s {
		if r == '\n' || r == '\t' {
			continue
		}
		if r < ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return false
		}
	}
	return true
}

// scalarText returns s on one line: plain where that is safe, else quoted.
func scalarText(s string, inFlow bool) string {
	switch {
	case plainSafe(s, inFlow):
		return s
	case strings.ContainsAny(s, "\n\t") || !printable(s),
		strings.Contains(s, "'") && !strings.ContainsAny(s, "\"\\"):
		return doubleQuoted(s)
	default:
		return singleQuoted(s)
	}
}

// keyText returns a key on one line. y and n are booleans in YAML 1.1 alone, and as keys
// they are coordinates and counts: {x: 1, y: 2} is what people write.
func keyText(s string, inFlow bool) string {
	switch s {
	case "y", "Y", "n", "N":
		return s
	}
	return scalarText(s, inFlow)
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// doubleQuoted returns s as a string that is both YAML's and JSON's, with
// escapes for everything that a YAML reader could take for a line break or
// refuse.
func doubleQuoted(s string) string {
	q := string(appendQuoted(nil, s))
	if printable(q) {
		return q
	}
	var b strings.Builder
	for _, r := range q {
		if printable(string(r)) || r > 0xffff {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// blockSafe reports whether s can be written as a literal block that every
// reader decodes to s: several lines of printable text, the first not indented
// and the last not blank.
func blockSafe(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || !printable(s) || strings.IndexByte(" \t\n", body[0]) >= 0 {
		return false
	}
	last := body[strings.LastIndexByte(body, '\n')+1:]
	return strings.TrimSpace(last) != ""
}
