package jsonata

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// callNumeric makes a function of one number.
func callNumeric(f func(float64) float64) func(e *Evaluator, args []any) any {
	return func(e *Evaluator, args []any) any {
		x, _ := e.number(args[0])
		return e.box(f(x))
	}
}

func squareRoot(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	if x < 0 {
		e.bad(0, "D3060", "$sqrt takes no negative number, got %s", describe(args[0]))
	}
	return e.box(math.Sqrt(x))
}

// callRound is $round(number, precision?), half to even.
func callRound(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	precision, _ := e.number(args[1])
	return e.box(round(x, precision))
}

// round is x rounded to so many decimals. As in jsonata-js, which moves the digits in a text,
// it is not a number where there are no digits to move, or no whole number of places.
func round(x, precision float64) float64 {
	if precision == 0 || precision != precision {
		return math.RoundToEven(x) + 0
	}
	places := int(max(min(precision, 2000), -2000))
	shifted := math.Inf(1)
	if x-x == 0 {
		shifted = math.RoundToEven(shift(x, places))
	}
	if shifted-shifted != 0 || precision != math.Trunc(precision) || math.Abs(precision) >= 1e21 {
		return math.NaN()
	}
	return shift(shifted, -places) + 0
}

// shift moves the decimal point of a number by its digits, so that 1.005 times 100 is
// 100.5.
func shift(x float64, by int) float64 {
	text := string(appendFloat(nil, x))
	mantissa, exponent, _ := strings.Cut(text, "e")
	n, _ := strconv.Atoi(exponent)
	f, _ := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(n+by), 64)
	return f
}

func callPower(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	y, ok := e.number(args[1])
	r := power(x, y)
	if !ok || r-r != 0 || y-y != 0 {
		e.bad(0, "D3061", "$power of %s and %s is out of range", describe(args[0]), describe(args[1]))
	}
	return e.box(r)
}

// otherText is of a number in another base, as jsonata-js has it: not all of the text.
var otherText = regexp.MustCompile(`^(0[xX][0-9A-Fa-f]+)|(0[oO][0-7]+)|(0[bB][0-1]+)$`)

// isDecimal reports whether a text is a number as in JSON, where zeros may lead.
func isDecimal(text string) bool {
	rest, ok := cutDigits(strings.TrimPrefix(text, "-"))
	if ok && strings.HasPrefix(rest, ".") {
		rest, ok = cutDigits(rest[1:])
	}
	if ok && rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		if rest = rest[1:]; rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		rest, ok = cutDigits(rest)
	}
	return ok && rest == ""
}

// cutDigits is what follows the digits that a text begins with; ok is false without any.
func cutDigits(text string) (rest string, ok bool) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[n:], n > 0
}

// callNumber is $number(value). A text keeps its digits where a float64 would not.
func callNumber(e *Evaluator, args []any) any {
	switch v := args[0].(type) {
	case float64, json.Number:
		return v
	case bool:
		if v {
			return 1.0
		}
		return 0.0
	case string:
		if isDecimal(v) {
			f, err := strconv.ParseFloat(v, 64)
			if err == nil {
				if digits := strings.TrimLeft(v, "-0"); len(digits) > 15 && !strings.ContainsAny(v, ".eE") && len(digits) == len(strings.TrimPrefix(v, "-")) {
					return json.Number(v)
				}
				return e.box(f)
			}
		} else if otherText.MatchString(v) {
			if len(v) > maxPicture {
				e.stop(tooBig("the text of a number", maxPicture))
			}
			if n, ok := new(big.Int).SetString(strings.ReplaceAll(strings.TrimSpace(v), "_", "?"), 0); ok && n.Sign() >= 0 {
				f, _ := new(big.Float).SetInt(n).Float64()
				return e.box(f)
			}
			e.infinite = e.argument(0)
			return math.NaN()
		}
		e.bad(0, "D3030", "$number cannot make a number of %q", brief(v))
	}
	e.bad(0, "D3030", "$number cannot make a number of %s", describe(args[0]))
	return nil
}

// brief is the beginning of a text, for a message.
func brief(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func (e *Evaluator) each(v any, f func(float64)) (n int) {
	list := listItems(v)
	for _, item := range list {
		x, _ := e.number(item)
		f(x)
	}
	return len(list)
}

func callSum(e *Evaluator, args []any) any {
	total := 0.0
	e.each(args[0], func(x float64) { total += x })
	return e.box(total)
}

func callAverage(e *Evaluator, args []any) any {
	total := 0.0
	n := e.each(args[0], func(x float64) { total += x })
	if n == 0 {
		return nil
	}
	return e.box(total / float64(n))
}

// extreme makes the function that returns the largest item, or the smallest one if sign is -1,
// with the digits it has.
func extreme(sign float64) func(e *Evaluator, args []any) any {
	return func(e *Evaluator, args []any) any {
		var found any
		var most float64
		for i, item := range listItems(args[0]) {
			x, _ := e.number(item)
			if i == 0 || sign*x > sign*most || x != x || x == most && float64(e.orderOfDigits(item, found)) == sign {
				found, most = item, x
			}
		}
		return found
	}
}

func callRandom(e *Evaluator, _ []any) any {
	if r := e.source(); r != nil {
		return r.Float64()
	}
	return rand.Float64()
}

// source is what random numbers come from, nil for the system's.
func (e *Evaluator) source() *rand.Rand {
	if e.Random == nil {
		return nil
	}
	return e.Random()
}

func callShuffle(e *Evaluator, args []any) any {
	list := listItems(args[0])
	e.makes("$shuffle", len(list))
	items := slices.Clone(list)
	below := rand.Uint64N
	if r := e.source(); r != nil {
		below = r.Uint64N
	}
	for i := len(items) - 1; i > 0; i-- { // as rand.Shuffle, which cannot be ended
		e.steps(2)
		j := below(uint64(i) + 1) //nolint:gosec // i is an index
		items[i], items[j] = items[j], items[i]
	}
	return items
}

// callFormatBase is $formatBase(number, radix?), which rounds half to even.
func callFormatBase(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	radix := 10.0
	if args[1] != nil {
		r, _ := e.number(args[1])
		radix = round(r, 0)
	}
	if radix < 2 || radix > 36 || radix != radix {
		e.bad(1, "D3100", "the base of $formatBase must be from 2 to 36, got %s", describe(args[1]))
	}
	if whole, ok := exactInteger(args[0]); ok && math.Abs(x) < math.MaxFloat64 {
		return whole.Text(int(radix))
	}
	x = round(x, 0)
	switch {
	case x-x != 0:
		return notFiniteText(x)
	case radix == 10:
		return string(appendFloat(nil, x))
	}
	if math.Abs(x) < 1<<63 {
		return strconv.FormatInt(int64(x), int(radix))
	}
	n, _ := big.NewFloat(x).Int(nil)
	return n.Text(int(radix))
}
