package secrets

import (
	"fmt"
	"slices"
	"strings"
)

// cutMark is the end of a text that was cut.
const cutMark = "…"

// atCuts changes the ends of a text that stand before a cutMark.
func (r *Redactor) atCuts(s string, change func(part string) string) string {
	if !strings.Contains(s, cutMark) {
		return s
	}
	parts := strings.Split(s, cutMark)
	for i := range parts[:len(parts)-1] {
		parts[i] = change(parts[i])
	}
	return strings.Join(parts, cutMark)
}

// withoutPart masks what may be the beginning of a secret at the end of a text: from the
// place where the first MinSecret bytes of one stand. What follows them there does not
// matter, so that a secret cannot be found out byte by byte.
func (r *Redactor) withoutPart(s string) string {
	first := len(s)
	for _, v := range r.values {
		near := max(0, len(s)-len(v)+1)
		if i := strings.Index(s[near:], v[:MinSecret]); i >= 0 {
			first = min(first, near+i)
		}
	}
	if first == len(s) {
		return s
	}
	return s[:first] + Hidden
}

// withPartReference replaces the beginning of a secret at the end of a text by a
// reference to it.
func (r *Redactor) withPartReference(s string) string {
	longest, of := 0, ""
	for _, v := range r.values {
		for n := min(len(v)-1, len(s)); n >= MinSecret && n > longest; n-- {
			if s[len(s)-n:] == v[:n] {
				longest, of = n, v
			}
		}
	}
	if longest == 0 {
		return s
	}
	return s[:len(s)-longest] + r.partReference(of, 0, longest)
}

// partReference refers to some bytes of a secret.
func (r *Redactor) partReference(value string, from, to int) string {
	whole := r.refers[value]
	if whole == Hidden {
		return Hidden
	}
	return fmt.Sprintf("%s:%d-%d%s", strings.TrimSuffix(whole, end), from, to, end)
}

// referred is the text that a reference to a secret, or to a part of one, stands for.
func (r *Redactor) referred(name string) (string, bool) {
	if value, known := r.present[name]; known {
		return value, true
	}
	var from, to int
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return "", false
	}
	value, known := r.present[name[:i]]
	if _, err := fmt.Sscanf(name[i:], ":%d-%d", &from, &to); err != nil || !known || from < 0 || from > to || to > len(value) {
		return "", false
	}
	return value[from:to], true
}

// unwrapped replaces what of a text is a secret that is wrapped over lines: in each line
// by what replacement makes of those bytes of it.
func (r *Redactor) unwrapped(s string, replacement func(value string, from, to int) string) string {
	joined := joinLines(s, nil)
	if len(joined) == len(s) || r.masks.Replace(joined) == joined {
		return s
	}
	places := make([]int, 0, len(joined)) // in s of the bytes of joined
	joinLines(s, &places)
	var out strings.Builder
	done := 0 // bytes of s that are in out
	for _, m := range matches(joined, r.values) {
		for from := 0; from < len(m.value); {
			to := from + 1
			for to < len(m.value) && places[m.at+to] == places[m.at+to-1]+1 {
				to++
			}
			out.WriteString(s[done:places[m.at+from]])
			out.WriteString(replacement(m.value, from, to))
			done = places[m.at+to-1] + 1
			from = to
		}
	}
	out.WriteString(s[done:])
	return out.String()
}

// A match is a place where a spelling of a secret stands.
type match struct {
	at    int
	value string
}

// matches are the values in a text, by place; of those that overlap the first.
func matches(s string, values []string) []match {
	var all []match
	taken := make([]bool, len(s))
	for _, v := range values {
		for at := 0; ; {
			i := strings.Index(s[at:], v)
			if i < 0 {
				break
			}
			at += i
			if !slices.Contains(taken[at:at+len(v)], true) {
				all = append(all, match{at, v})
				for k := range v {
					taken[at+k] = true
				}
			}
			at++
		}
	}
	slices.SortFunc(all, func(a, b match) int { return a.at - b.at })
	return all
}

// joinLines is a text without the ends of its lines, also as they stand inside JSON
// strings, and without what indents the next. It adds to places where each byte of the
// result is in the text.
func joinLines(s string, places *[]int) string {
	if !strings.ContainsAny(s, "\r\n\\") {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	keep := func(from, to int) {
		out.WriteString(s[from:to])
		for ; places != nil && from < to; from++ {
			*places = append(*places, from)
		}
	}
	for i := 0; i < len(s); {
		n := strings.IndexAny(s[i:], "\r\n\\")
		if n < 0 {
			keep(i, len(s))
			break
		}
		keep(i, i+n)
		i += n
		rest := strings.TrimLeft(s[i:], `\`)
		slashes := len(s) - i - len(rest)
		switch {
		case slashes == 0:
			i += 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], " \t"))
		case strings.HasPrefix(rest, "n") || strings.HasPrefix(rest, "r"):
			i += slashes + 1
		default:
			keep(i, i+slashes)
			i += slashes
		}
	}
	return out.String()
}
