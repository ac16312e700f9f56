package jsonata

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// hostile are arguments of each type that are far from what authors write.
var hostile = map[byte][]string{
	'n': {"0/0", "1/0", "-1/0", "1e308", "-1e308", "1e21", "-0.5", "9007199254740993", "5e-324"},
	's': {`""`, `"w"`, `"Ww;o"`, `"I"`, `"a"`, `"#,##0.00e0"`, `"0"`, `"#"`, `"[Y]-[M]-[D] [H]:[m] [z]"`, `"[YI] [MNn] [Dwo] [FNn,3-3] [W] [X]"`, `"[Y9,999999999]"`, `"😀"`, `"\ud800"`, `"XIVI"`, `"-minus hundred"`},
	'b': {"true", "null"},
	'o': {"{}", `{"zero-digit": "", "decimal-separator": "", "grouping-separator": ""}`, `{"separator": "", "header": 1}`},
	'a': {"[]", "[0/0, 1/0]", `["x", null, []]`, "[[[[]]]]"},
	'f': {"$string", "function() { 0/0 }", "/(?:)/", "$nothing", "($sum ~> $formatInteger(?, 'w'))"},
}

// Every function ends with a value or an error of its own, whatever it is given.
func TestFunctionsOfHostileArguments(t *testing.T) {
	for _, row := range builtins {
		letters := strings.FieldsFunc(strings.Trim(row.Signature, "<>"), func(c rune) bool { return c == ':' })[0]
		var params []byte
		for _, c := range []byte(letters) {
			switch c {
			case 'x', 'j', '(', ')', '<', '>', '-', '?', '+', 'l':
			default:
				params = append(params, c)
			}
		}
		if strings.ContainsAny(letters, "xj") {
			params = append([]byte{'n'}, params...)
		}
		var try func(given []string)
		try = func(given []string) {
			evaluateHostile(t, "$"+row.Name+"("+strings.Join(given, ", ")+")")
			if len(given) == len(params) || len(given) == 3 {
				return
			}
			for _, arg := range hostile[params[len(given)]] {
				try(append(slices.Clip(given), arg))
			}
		}
		try(nil)
	}
}

func evaluateHostile(t *testing.T, src string) {
	t.Helper()
	_, err := compile(t, src).Eval(t.Context(), nil, WithLimits(Limits{MaxSteps: 100_000, MaxMemory: 1 << 24, MaxResult: 1 << 20}))
	if fault, ok := errors.AsType[*Error](err); ok && fault.Code == "evaluation" {
		t.Errorf("%s: %s", src, fault.Message)
	}
}
