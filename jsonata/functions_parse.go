package jsonata

import (
	"fmt"
	"strings"
)

// byteOrderMark begins many files that Windows programs write. It does not belong to the text.
const byteOrderMark = "\ufeff"

// callLines is $lines(text): a line ends with \n, \r\n or \r, and one at the end of the
// text begins no other.
func callLines(e *Evaluator, args []any) any {
	s := strings.TrimPrefix(args[0].(string), byteOrderMark)
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

// callParseJSON is $parseJson(text).
func callParseJSON(e *Evaluator, args []any) any {
	s := strings.TrimPrefix(args[0].(string), byteOrderMark)
	e.steps(len(s)>>3 + 3*strings.Count(s, ","))
	e.alloc(4 * len(s))
	v, err := decode(e.ctx, strings.NewReader(s), func() string { return s })
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

// callParseCSV is $parseCsv(text, options?): an object for each row, by the names of the
// first row, or with {"header": false} an array for each.
func callParseCSV(e *Evaluator, args []any) any {
	options := e.csvOptions(args[1])
	r := csvReader{e: e, text: strings.TrimPrefix(args[0].(string), byteOrderMark), separator: string(options.separator), trim: options.trim}
	var out []any
	names := options.names
	for {
		start := r.at
		vals := r.row()
		if vals == nil {
			return gathered(out)
		}
		e.steps(3)
		e.alloc(64)
		switch {
		case !options.header:
			out = append(out, vals)
		case names == nil:
			names = e.columns(vals)
		default:
			if len(vals) > len(names) {
				r.at = start
				r.skipEnds()
				r.fail("the row has %d values for %d columns", len(vals), len(names))
			}
			out = append(out, objectFrom(names[:len(vals)], vals, nil))
		}
		if len(out) > e.limits.MaxItems {
			e.stop(tooMany("the result of $parseCsv", e.limits.MaxItems))
		}
	}
}

// A csvReader reads the rows of CSV. A row ends with \n, \r\n or \r, and a line with nothing
// in it is none. What is in quotes stays as it is, line ends too.
type csvReader struct {
	e         *Evaluator
	text      string
	at        int
	separator string
	trim      bool
}

// row is the next row, nil after the last.
func (r *csvReader) row() (cells []any) {
	r.skipEnds()
	for r.at < len(r.text) || cells != nil {
		r.e.steps(2)
		r.e.alloc(32)
		cells = append(cells, r.cell())
		if rest := r.text[r.at:]; !strings.HasPrefix(rest, r.separator) {
			if rest != "" && rest[0] != '\r' && rest[0] != '\n' {
				r.fail(`a separator or the end of the line has to follow the closing quote`)
			}
			return cells
		}
		r.at += len(r.separator)
	}
	return cells
}

// cell is the next value of a row, which may be empty.
func (r *csvReader) cell() string {
	r.skipSpace()
	rest := r.text[r.at:]
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, r.separator+"\"\r\n")
		if end < 0 {
			end = len(rest)
		}
		if r.at += end; end < len(rest) && rest[end] == '"' {
			r.fail(`a value that is not in quotes has a quote in it; write the value in quotes, and the quote twice`)
		}
		if r.trim {
			return strings.TrimSpace(rest[:end])
		}
		return rest[:end]
	}
	var cell strings.Builder
	for i := 1; ; i++ {
		length := strings.IndexByte(rest[i:], '"')
		if length < 0 {
			r.fail("the quote is never closed")
		}
		cell.WriteString(rest[i : i+length])
		if i += length + 1; !strings.HasPrefix(rest[i:], `"`) {
			r.at += i
			break
		}
		cell.WriteByte('"')
	}
	r.skipSpace()
	if r.trim {
		return strings.TrimSpace(cell.String())
	}
	return cell.String()
}

// skipSpace skips what trim leaves out around a value in quotes.
func (r *csvReader) skipSpace() {
	for r.trim && r.at < len(r.text) && strings.IndexByte(" \t", r.text[r.at]) >= 0 && r.text[r.at:r.at+1] != r.separator {
		r.at++
	}
}

// skipEnds skips line ends.
func (r *csvReader) skipEnds() {
	for r.at < len(r.text) && (r.text[r.at] == '\r' || r.text[r.at] == '\n') {
		r.at++
	}
}

// fail ends the evaluation with what is wrong at the place that is read.
func (r *csvReader) fail(format string, args ...any) {
	before := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(r.text[:r.at])
	line, column := position(before, len(before))
	r.e.bad(0, "D3151", "$parseCsv: line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
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
