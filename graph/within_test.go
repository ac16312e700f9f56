package graph

import (
	"strings"
	"testing"
)

// Every source marks with «» what the word FOUND in the decoded text must be
// mapped to; the marks are taken out first.
func TestWithinFindsTheExactPlace(t *testing.T) {
	for name, marked := range map[string]string{
		"plain":                   "é: ü «FOUND» x\n",
		"plain over lines":        "a: x\n  y ü «FOUND»\n  z\n",
		"single":                  "a: 'it''s ü «FOUND»'\n",
		"single over lines":       "a: 'x\n\n   ü «FOUND»\n  y'\n",
		"double":                  "a: \"\\u00fc \\\"\\n\\t«FOUND»\"\n",
		"double, escaped itself":  "a: \"ü «F\\u004fUND» x\"\n",
		"double over lines":       "a: \"x \\\n    ü «FOUND»\"\n",
		"literal":                 "a:\n  - k: |\n      one\n        ü «FOUND»\n      two\n",
		"literal with indicator":  "a: |2-\n    ü «FOUND»\n",
		"literal, blank lines":    "a: |\n\n\n  ü\n\n  «FOUND»\n",
		"literal at the end":      "a: |\n  «FOUND»",
		"folded":                  "a: >\n  one\n  ü «FOUND»\n\n   deeper\n",
		"flow":                    "[{a: [x, ü «FOUND», z]}]\n",
		"CRLF":                    "a: |\r\n  x\r\n  ü «FOUND»\r\n",
		"BOM":                     "\ufeff«FOUND»: 1\n",
		"JSON":                    `{"ü": ["\ud83d\ude00\n\u00fc «FOUND»"]}`,
		"JSON, escaped itself":    `{"a": "«F\u004FUND»"}`,
		"literal in an item":      "- |\n ü\n «FOUND» x\n",
		"literal under list item": "- - >-\n     x\n     «FOUND»\n",
	} {
		before, rest, _ := strings.Cut(marked, "«")
		word, after, _ := strings.Cut(rest, "»")
		src := before + word + after
		d, _ := Parse("x", src)
		if d == nil {
			t.Errorf("%s: not read", name)
			continue
		}
		found := false
		walk(d.Root, func(v Value) {
			i := strings.Index(v.n.text, "FOUND")
			if i < 0 {
				return
			}
			found = true
			r := v.Within(i, i+len("FOUND"))
			line := 1 + strings.Count(before, "\n")
			column := 1 + len([]rune(strings.TrimPrefix(before[strings.LastIndex(before, "\n")+1:], bom)))
			if got := src[r.Start.Offset:r.End.Offset]; got != word || r.Start.Line != line || r.Start.Column != column {
				t.Errorf("%s: %q at %d:%d, want %q at %d:%d", name, got, r.Start.Line, r.Start.Column, word, line, column)
			}
		})
		if !found {
			t.Errorf("%s: the text has no FOUND", name)
		}
	}
}

func TestRangeOfValues(t *testing.T) {
	src := "tools:\n  - name: é # the name\n    args: {p: [1, 2], q: }\n    nodes:\n      - id: a\n        text: |\n          x\n\n          y\n\n      # end\n    last:\nb: 'x'\n"
	d := parse(t, src)
	for path, want := range map[string]string{
		"/tools/0/name":         "é",
		"/tools/0/args":         "{p: [1, 2], q: }",
		"/tools/0/args/p":       "[1, 2]",
		"/tools/0/args/p/1":     "2",
		"/tools/0/args/q":       "",
		"/tools/0/nodes":        "- id: a\n        text: |\n          x\n\n          y",
		"/tools/0/nodes/0/text": "|\n          x\n\n          y",
		"/tools/0/last":         "",
		"/b":                    "'x'",
		"":                      strings.TrimSuffix(src, "\n"),
	} {
		v := d.Root.At(path)
		r := v.Range()
		if got := src[r.Start.Offset:r.End.Offset]; got != want || got != v.Source() || v.Path() != path {
			t.Errorf("%s: got %q at %s, want %q", path, got, v.Path(), want)
		}
	}
	key := d.Root.Get("tools").Items()[0].Key("args")
	if r := key.Range(); src[r.Start.Offset:r.End.Offset] != "args" || r.Start.Line != 3 || r.Start.Column != 5 || key.Path() != "/tools/0/args" {
		t.Errorf("the key args is %s at %v", key.Path(), r)
	}
}

func TestAbsentValuesAnswer(t *testing.T) {
	var v Value
	if v.Exists() || v.Kind() != Absent || v.Path() != "" || v.Text() != "" || v.Get("x").Exists() || v.Key("x").Exists() ||
		v.Keys() != nil || v.Items() != nil || v.Len() != 0 || v.Parent().Exists() || string(v.JSON()) != "null" ||
		!v.Within(1, 2).IsZero() || v.At("/a/b").Exists() || v.Bool() || v.Document() != nil || v.Source() != "" {
		t.Error("the absent value answers as if it were there")
	}
	for _, f := range fixesOf(Value{parse(t, "a: 1").Root.Get("a").n}, 0) {
		_ = f
	}
	for _, f := range [...]struct{ edits int }{
		{len(v.Replace("", 1).Edits)},
		{len(v.Remove("").Edits)},
		{len(v.Append("", 1).Edits)},
		{len(v.Insert("", "k", 1, "").Edits)},
		{len(v.RenameKey("", "a", "b").Edits)},
		{len(v.ReplaceText("").Edits)},
	} {
		if f.edits != 0 {
			t.Error("the absent value can be edited")
		}
	}
}

func TestNumbers(t *testing.T) {
	d := parse(t, "a: 5\nb: 5.0\nc: 1e3\nd: 1.5\ne: 9223372036854775807\nf: 92233720368547758070\ng: 1e999\nh: '5'\n")
	for key, want := range map[string]int64{"a": 5, "b": 5, "c": 1000, "e": 9223372036854775807} {
		if got, ok := d.Root.Get(key).Int(); !ok || got != want {
			t.Errorf("%s: got %d, %v", key, got, ok)
		}
	}
	for _, key := range []string{"d", "f", "g", "h"} {
		if got, ok := d.Root.Get(key).Int(); ok {
			t.Errorf("%s is the integer %d", key, got)
		}
	}
}
