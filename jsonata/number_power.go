package jsonata

import "math"

// power is x raised to y. Of a whole y of moderate size it is right to the last digit, as
// in JavaScript.
func power(x, y float64) float64 {
	r := math.Pow(x, y)
	if y != math.Trunc(y) || math.Abs(y) > 1024 || math.Abs(r) > 1e300 || math.Abs(r) < 1e-280 || r != r {
		return r
	}
	hi, lo := 1.0, 0.0
	square, rest := x, 0.0
	for n := int(math.Abs(y)); n > 0; n >>= 1 {
		if n&1 == 1 {
			hi, lo = product(hi, lo, square, rest)
		}
		square, rest = product(square, rest, square, rest)
	}
	if y < 0 {
		q := 1 / hi
		hi, lo = q, (math.FMA(-q, hi, 1)-q*lo)/hi
	}
	if exact := hi + lo; exact-exact == 0 {
		return exact
	}
	return r
}

// product multiplies two numbers of twice the precision, each the sum of two.
func product(a, b, c, d float64) (hi, lo float64) {
	p := a * c
	e := math.FMA(a, c, -p) + (a*d + b*c)
	hi = p + e
	return hi, e - (hi - p)
}

// notFiniteText is how JavaScript writes a number that is not finite.
func notFiniteText(x float64) string {
	switch {
	case x > 0:
		return "Infinity"
	case x < 0:
		return "-Infinity"
	}
	return "NaN"
}
