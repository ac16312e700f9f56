package jsonata

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// linesOf is $lines(text): a line ends with \n, \r\n or \r, and one at the end of the
// text begins no other.
func linesOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.steps(len(s) >> 5)
	var out []any
	for s != "" {
		e.step()
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			i = len(s)
		}
		out = append(out, s[:i])
		e.alloc(32)
		s = s[i:]
		if rest, ok := strings.CutPrefix(s, "\r\n"); ok {
			s = rest
		} else if s != "" {
			s = s[1:]
		}
		if len(out) > e.limits.MaxItems {
			e.stop(tooMany("the result of $lines", e.limits.MaxItems))
		}
	}
	return gathered(out)
}

// parseJSONOf is $parseJson(text).
func parseJSONOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.steps(len(s)>>3 + 3*strings.Count(s, ","))
	e.alloc(4 * len(s))
	halves := hasHalf(s)
	if halves {
		s = escapedHalves(s)
	}
	v, err := decode(e.ctx, strings.NewReader(s), halves || strings.Contains(s, `\u`), func() string { return s })
	if err != nil {
		e.look()
		e.bad(0, "D3150", "$parseJson: %s", err)
	}
	return v
}

// csvOptions are the options of $parseCsv.
type csvOptions struct {
	separator rune
	header    bool
	trim      bool
	names     []string
}

// parseCSVOf is $parseCsv(text, options?): an object for each row, by the names of the
// first row, or with {"header": false} an array for each.
func parseCSVOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	options := e.csvOptions(args[1])
	r := csv.NewReader(&lookingReader{e, strings.TrimPrefix(s, "\ufeff")})
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = options.separator, -1, options.trim, false
	var out []any
	names := options.names
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return gathered(out)
		}
		if err != nil {
			e.bad(0, "D3151", "$parseCsv: %s", strings.TrimPrefix(err.Error(), "parse error on "))
		}
		e.steps(3 + 2*len(row))
		e.alloc(64 + 32*len(row))
		vals := make([]any, len(row))
		for i, cell := range row {
			if options.trim {
				cell = strings.TrimSpace(cell)
			}
			vals[i] = cell
		}
		switch {
		case !options.header:
			out = append(out, vals)
		case names == nil:
			names = e.columns(vals)
		default:
			if len(vals) > len(names) {
				line, _ := r.FieldPos(0)
				e.bad(0, "D3151", "$parseCsv: line %d has %d values for %d columns", line, len(vals), len(names))
			}
			out = append(out, objectOf(names[:len(vals)], vals))
		}
		if len(out) > e.limits.MaxItems {
			e.stop(tooMany("the result of $parseCsv", e.limits.MaxItems))
		}
	}
}

// A lookingReader reads a text, and looks in between whether the evaluation may continue.
type lookingReader struct {
	e    *Evaluator
	text string
}

// Read implements [io.Reader].
func (r *lookingReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	r.e.look()
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// columns are the names of the first row, which must differ.
func (e *Evaluator) columns(vals []any) []string {
	seen := map[string]bool{}
	names := make([]string, len(vals))
	for i, v := range vals {
		names[i], _ = v.(string)
		if seen[names[i]] {
			e.bad(0, "D3151", "$parseCsv: two columns are named %q", names[i])
		}
		seen[names[i]] = true
	}
	return names
}

func (e *Evaluator) csvOptions(v any) csvOptions {
	out := csvOptions{separator: ',', header: true}
	o, ok := v.(*Object)
	if !ok {
		return out
	}
	for i, key := range o.keys {
		switch key {
		case "separator":
			s, _ := o.vals[i].(string)
			if runes := []rune(s); len(runes) == 1 && !strings.ContainsAny(s, "\"\r\n\ufffd") {
				out.separator = runes[0]
				continue
			}
			e.bad(1, "T0410", "$parseCsv: separator must be one character, got %s", describe(o.vals[i]))
		case "header":
			switch h := o.vals[i].(type) {
			case bool:
				out.header = h
			case []any:
				out.names = e.columns(h)
			default:
				e.bad(1, "T0410", "$parseCsv: header must be true, false or an array of names, got %s", describe(h))
			}
		case "trim":
			out.trim, _ = o.vals[i].(bool)
		default:
			e.bad(1, "T0410", "$parseCsv has no option %q; it has separator, header and trim", key)
		}
	}
	return out
}
