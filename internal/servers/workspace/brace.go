package workspace

import (
	"fmt"
	"strconv"
	"strings"
)

// braces expands {a,b} and {1..3}, nested too, into the patterns they
// denote. A brace without a comma or range, or never closed, is literal.
func braces(pattern string) ([]string, error) {
	out := []string{""}
	add := func(choices []string) error {
		if len(out)*len(choices) > maxAlternatives {
			return fmt.Errorf("its braces expand to more than %d alternatives", maxAlternatives)
		}
		next := make([]string, 0, len(out)*len(choices))
		for _, a := range out {
			for _, b := range choices {
				next = append(next, a+b)
			}
		}
		out = next
		return nil
	}
	for pattern != "" {
		open := strings.IndexByte(pattern, '{')
		if open < 0 {
			return out, add([]string{pattern})
		}
		if open > 0 && pattern[open-1] == '\\' {
			if err := add([]string{pattern[:open+1]}); err != nil {
				return nil, err
			}
			pattern = pattern[open+1:]
			continue
		}
		if err := add([]string{pattern[:open]}); err != nil {
			return nil, err
		}
		parts, end := braceParts(pattern[open:])
		if end == 0 {
			return out, add([]string{pattern[open:]})
		}
		choices := numbers(parts)
		if choices == nil && len(parts) == 1 {
			choices = []string{"{" + parts[0] + "}"}
		} else if choices == nil {
			for _, p := range parts {
				inner, err := braces(p)
				if err != nil {
					return nil, err
				}
				choices = append(choices, inner...)
			}
		}
		if err := add(choices); err != nil {
			return nil, err
		}
		pattern = pattern[open+end:]
	}
	return out, nil
}

// braceParts splits the brace group that s begins with at its own commas, and
// returns the length of the group; 0 when it is not closed.
func braceParts(s string) ([]string, int) {
	var parts []string
	depth, from := 0, 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth == 1 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(parts, s[from:i]), i + 1
			}
		}
	}
	return nil, 0
}

// numbers expands a range such as 1..3, or returns nil.
func numbers(parts []string) []string {
	if len(parts) != 1 {
		return nil
	}
	a, b, ok := strings.Cut(parts[0], "..")
	if !ok {
		return nil
	}
	from, err1 := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || to-from > maxAlternatives || from-to > maxAlternatives {
		return nil
	}
	step := 1
	if to < from {
		step = -1
	}
	var out []string
	for n := from; ; n += step {
		out = append(out, strconv.Itoa(n))
		if n == to {
			return out
		}
	}
}
