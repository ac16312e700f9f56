package jsonata

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// realTexts are what files and services hold.
var realTexts = []string{
	"", "a", "héllo wörld", "Привет, мир", "日本語のテキスト", "😀 and 👩‍👩‍👧", "a\r\nb\r\n", "a\nb\n", "a\rb\r", "a\r\n\r\nb", "tab\there", `quote " and , comma`, "\ufeffmark",
	" blank ", "%41 100% +&=?#/", "\u0000\u001f\u007f\u0085\u2028\u2029", "e\u0301", "\uffff\ufffe\U0010ffff", "=SUM(A1)", "null", "{\"a\": 1}",
}

// valueOf is the value of an expression over {"t": text} and others.
func valueOf(t *testing.T, source string, input map[string]any) any {
	t.Helper()
	b, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	v, err := compile(t, source).Eval(t.Context(), mustDecode(t, b))
	if err != nil {
		t.Errorf("%s over %s: %v", source, b, err)
	}
	return v
}

// What is written in another form and read again is the same text.
func TestTextsGoThrough(t *testing.T) {
	for _, text := range realTexts {
		for _, source := range []string{
			`$base64decode($base64encode(t))`, `$decodeUrlComponent($encodeUrlComponent(t))`, `$decodeUrl($encodeUrl(t))`, `$parseJson($string([t]))[0]`, `$parseJson($string({"k": t}, true)).k`,
			`$parseCsv(csv, {"header": false})[0][0]`, `$parseCsv("k;" & csv & ";\r\n", {"header": ["a", "b", "c"], "separator": ";"})[0].b`, `$parseCsv("k\r" & csv).k`, `t & ""`,
		} {
			quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			if got := valueOf(t, source, map[string]any{"t": text, "csv": quoted}); got != text {
				t.Errorf("%s of %q is %q", source, text, got)
			}
		}
	}
}

// Rows of any values, written with any line end, quoted where they have to be or anywhere,
// are read as they are.
func TestCSVGoesThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		end := []string{"\n", "\r\n", "\r"}[r.IntN(3)]
		var rows [][]string
		var csv strings.Builder
		if r.IntN(2) == 0 {
			csv.WriteString("\ufeff")
		}
		for range 1 + r.IntN(4) {
			var row []string
			for range 3 {
				cell := realTexts[r.IntN(len(realTexts))]
				row = append(row, cell)
				if len(row) > 1 {
					csv.WriteByte(',')
				}
				if r.IntN(2) == 0 || strings.ContainsAny(cell, "\r\n\",") || strings.HasPrefix(cell, "\ufeff") {
					cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
				}
				csv.WriteString(cell)
			}
			rows = append(rows, row)
			csv.WriteString(end)
		}
		text := csv.String()
		if r.IntN(3) == 0 {
			text = strings.TrimSuffix(text, end)
		}
		want, _ := json.Marshal(rows)
		got, _ := Encode(valueOf(t, `$parseCsv(t, {"header": false})`, map[string]any{"t": text}))
		if !same(string(got), string(want), false) {
			t.Fatalf("%q\nis read as %s\nwant %s", text, got, want)
		}
	}
}

func TestTextsThatAreNot(t *testing.T) {
	for source, want := range map[string]string{
		`$parseCsv("\ufeffid,n\r\na,\"1\r\n2\"\r\n")`:               `[{"id":"a","n":"1\r\n2"}]`,
		`$parseCsv("\ufeff\"id\"\ra\rb")`:                           `[{"id":"a"},{"id":"b"}]`,
		`$parseCsv("")`:                                             `[]`,
		`$parseCsv("\ufeff")`:                                       `[]`,
		`$parseCsv("\n\nid\n\na\n\n")`:                              `[{"id":"a"}]`,
		`$parseCsv("a,b\n1")`:                                       `[{"a":"1"}]`,
		`$parseCsv("a,b\n1,")`:                                      `[{"a":"1","b":""}]`,
		`$parseCsv("a,b\n1,\"\"")`:                                  `[{"a":"1","b":""}]`,
		`$parseCsv(" a ,\" b \" \n 1 , 2 ", {"trim": true})`:        `[{"a":"1","b":"2"}]`,
		`$parseCsv("a\tb\n\t2", {"separator": "\t", "trim": true})`: `[{"a":"","b":"2"}]`,
		`$parseCsv("a→b\n1→2", {"separator": "→"})`:                 `[{"a":"1","b":"2"}]`,
		`$lines("\ufeffa\r\nb\rc\n\nd")`:                            `["a","b","c","","d"]`,
		`$lines("")`:                                                `[]`,
		`$lines("\ufeff")`:                                          `[]`,
		`$lines("a\u2028b")`:                                        `["a` + "\u2028" + `b"]`,
		`$parseJson("\ufeff{\"a\": 1}")`:                            `{"a":1}`,
		`$base64encode("é€😀")`:                                      `"w6nigqzwn5iA"`,
		`$base64decode("w6nigqzwn5iA")`:                             `"é€😀"`,
		`$base64decode("w6nig\nqzwn\r\n5iA=")`:                      `"é€😀"`,
		`$base64decode("")`:                                         `""`,
	} {
		if got := outcomeOf(t, source, "{}"); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	for source, want := range map[string]string{
		`$base64decode("iVBORw0KGgo=")`: `$base64decode: the bytes are not text in UTF-8`,
		`$decodeUrlComponent("caf%E9")`: `$decodeUrlComponent: the text is not a URL that is escaped correctly, in UTF-8`,
		`$parseJson("")`:                `$parseJson: not JSON at line 1, column 1: the JSON ends too early`,
		`$parseJson("\ufeff")`:          `$parseJson: not JSON at line 1, column 1: the JSON ends too early`,
		`$parseCsv("a\r\nb \"x\"")`:     `$parseCsv: line 2, column 3: a value that is not in quotes has a quote in it; write the value in quotes, and the quote twice`,
		`$parseCsv("a\n\"b\r\nc")`:      `$parseCsv: line 2, column 1: the quote is never closed`,
		`$parseCsv("a\r\"é\nb\"c")`:     `$parseCsv: line 3, column 3: a separator or the end of the line has to follow the closing quote`,
		`$parseCsv("a\n1\n\n1,2")`:      `$parseCsv: line 4, column 1: the row has 2 values for 1 columns`,
		`$parseCsv("a,a\n1,2")`:         `$parseCsv: two columns are named "a"`,
	} {
		_, err := compile(t, source).Eval(t.Context(), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s ends with %v, want %s", source, err, want)
		}
	}
	large := strings.Repeat(`"`+strings.Repeat("a", 1000)+"\n\",b\n", 10_000)
	if got := valueOf(t, `$count($parseCsv(t, {"header": false}))`, map[string]any{"t": large}); got != 10_000.0 {
		t.Error("rows of a large text: ", got, strconv.Itoa(len(large)))
	}
}
