package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Secret is a value that is masked where data leaves the program. Its name tells
// where the value comes from, and stays when the value changes; it may be empty.
type Secret struct{ Name, Value string }

// Named returns secrets of one name, with a number from the second on.
func Named(name string, values ...string) []Secret {
	list := make([]Secret, len(values))
	for i, v := range values {
		list[i] = Secret{name, v}
		if i > 0 && name != "" {
			list[i].Name += "." + strconv.Itoa(i)
		}
	}
	return list
}

// A reference stands for a secret in what is stored: mark, the name, a slash, the
// number of the spelling, and end. What a text has of mark itself is written as mark
// and end. The character is one that no language uses.
const (
	mark = "\uE5EC"
	end  = ";"
)

// numberForm is the spelling of a secret that was a JSON number.
const numberForm = "number"

func reference(name, form string) string {
	return mark + strings.NewReplacer(mark, "", end, "").Replace(name) + "/" + form + end
}

// Refer returns JSON or text in which each secret is replaced by a reference to its
// name, so that [Redactor.Restore] can put in the value that it has by then. A secret
// without a name is masked.
func (r *Redactor) Refer(raw []byte) []byte {
	r = r.latest()
	if r == nil || len(r.values) == 0 && !bytes.Contains(raw, []byte(mark)) && bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	if !r.mayHold(raw) && !bytes.Contains(raw, []byte(mark)) {
		return raw
	}
	return rewrite(raw, func(text string, number bool) string {
		clean := r.unwrapped(r.references.Replace(text), r.partReference)
		clean = r.atCuts(r.withoutEscaped(clean), r.withPartReference)
		if form, whole := strings.CutSuffix(clean, "/0"+end); number && whole && strings.HasPrefix(clean, mark) && strings.Count(clean, mark) == 1 {
			return form + "/" + numberForm + end
		}
		return clean
	})
}

// Restore returns what [Redactor.Refer] has made of JSON or text, with the present
// values of its secrets. A secret that is no longer there is masked.
func (r *Redactor) Restore(raw []byte) []byte {
	r = r.latest()
	if !bytes.Contains(raw, []byte(mark)) {
		return raw
	}
	if r == nil {
		r = &Redactor{}
	}
	return rewrite(raw, func(text string, _ bool) string { return r.restored(text) })
}

func (r *Redactor) restored(text string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, mark)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, end)
		value, known := r.referred(name)
		switch {
		case closed && name == "":
			value = mark
		case !closed || !known:
			value = Hidden
		}
		out.WriteString(value)
		if !closed {
			return out.String()
		}
		text = after
	}
}

// spellings are the forms in which a secret is found, by their numbers: the value
// itself is the first.
func (r *Redactor) addReferences(s Secret, spellings []string) {
	for i, text := range spellings {
		form := strconv.Itoa(i)
		to := Hidden
		if s.Name != "" {
			to = reference(s.Name, form)
			r.present[strings.TrimSuffix(strings.TrimPrefix(to, mark), end)] = text
		}
		if _, known := r.refers[text]; !known {
			r.refers[text] = to
		}
	}
	if s.Name != "" && json.Valid([]byte(s.Value)) {
		r.present[strings.Trim(reference(s.Name, numberForm), mark+end)] = s.Value
	}
}

// rewrite changes the strings of JSON, its keys too, and the numbers that change
// become strings; text that is not JSON is changed as one. A string that restores to
// a number that was one becomes it again.
func rewrite(raw []byte, change func(text string, number bool) string) []byte {
	var out bytes.Buffer
	done := 0 // bytes of raw that are in out
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return []byte(change(string(raw), false))
		}
		kind := tok.Kind()
		if kind != '"' && kind != '0' {
			continue
		}
		text := tok.String()
		clean := change(text, kind == '0')
		if clean == text {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, clean)
		if err != nil { // not valid UTF-8
			quoted = []byte(`"` + Hidden + `"`)
		}
		if strings.HasPrefix(text, mark) && strings.HasSuffix(text, "/"+numberForm+end) && json.Valid([]byte(clean)) {
			quoted = []byte(clean)
		}
		start := before + len(raw[before:]) - len(bytes.TrimLeft(raw[before:], " \t\r\n,:"))
		out.Write(raw[done:start])
		out.Write(quoted)
		done = int(dec.InputOffset())
	}
	if done == 0 {
		return raw
	}
	out.Write(raw[done:])
	return slices.Clip(out.Bytes())
}
