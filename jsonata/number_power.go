package jsonata

import (
	"math"
	"slices"
)

// power is x raised to y, to the last digit what V8 computes: ECMAScript leaves the digits of
// a power to the engine. The method is that of fdlibm, y*log2(x) in two parts, with V8's one
// departure from it, in [exp2]. Products are rounded before they are added, as a fused
// multiplication gives other digits.
func power(x, y float64) float64 {
	switch magnitude := math.Abs(x); {
	case y != y || magnitude == 1 && math.IsInf(y, 0):
		return math.NaN()
	case y == 0 || x == 0 || x-x != 0 || y-y != 0 || magnitude == 1:
		return math.Pow(x, y)
	case y == 1:
		return x
	case y == -1:
		return 1 / x
	case y == 2:
		return x * x
	case y == 0.5 && x > 0:
		return math.Sqrt(x)
	}
	sign := 1.0
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		if math.Abs(math.Mod(y, 2)) == 1 {
			sign = -1
		}
	}
	logarithm := log2
	x = math.Abs(x)
	if math.Abs(y) >= 0x1.00001p+31 {
		if math.Abs(y) >= 0x1.00001p+64 || x < 0x1.fffffp-1 || x >= 0x1.00001p+0 {
			return sign * math.Pow(x, y) // 0 or infinite
		}
		logarithm = log2Near1
	}
	hi, lo := logarithm(x)
	upper := upperHalf(y)
	lo = float64((y-upper)*hi) + float64(y*lo)
	return sign * exp2(float64(upper*hi), lo)
}

// upperHalf is x without the lower 32 bits of its mantissa.
func upperHalf(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ 0xffffffff)
}

func polynomial(x float64, from ...float64) float64 {
	sum := 0.0
	for _, factor := range slices.Backward(from) {
		sum = factor + float64(x*sum)
	}
	return sum
}

// log2 is the logarithm to base 2 of a positive number, as the sum of two.
func log2(x float64) (hi, lo float64) {
	const twoThirdsHi, twoThirdsLo, twoThirds = 0x1.ec709ep-1, -0x1.e2fe0145b01f5p-28, 0x1.ec709dc3a03fdp-1 // 2/(3 ln 2)
	n := 0
	if x < 0x1p-1022 {
		x *= 0x1p53
		n = -53
	}
	bits := math.Float64bits(x)
	n += int(bits>>52) - 1023
	word := uint32(bits>>32)&0xfffff | 0x3ff00000
	near, shift := 1.0, uint32(0) // the number near x whose logarithm is known: 1 or 1.5
	nearHi, nearLo := 0.0, 0.0
	switch fraction := word & 0xfffff; {
	case fraction <= 0x3988e:
	case fraction < 0xbb67a:
		near, shift, nearHi, nearLo = 1.5, 1<<18, 0x1.2b8034p-1, 0x1.cfdeb43cfd006p-27
	default:
		n++
		word -= 1 << 20
	}
	x = math.Float64frombits(uint64(word)<<32 | bits&0xffffffff)
	difference, inverse := x-near, 1/(x+near)
	s := difference * inverse
	sHi := upperHalf(s)
	sum := math.Float64frombits(uint64((word>>1|0x20000000)+0x80000+shift) << 32) // the upper part of x+near
	rest := x - (sum - near)
	sLo := inverse * (difference - float64(sHi*sum) - float64(sHi*rest))
	square := s * s
	r := float64(float64(square*square) * polynomial(square, 0x1.3333333333303p-1, 0x1.b6db6db6fabffp-2, 0x1.55555518f264dp-2, 0x1.17460a91d4101p-2, 0x1.d864a93c9db65p-3, 0x1.a7e284a454eefp-3))
	r += float64(sLo * (sHi + s))
	square = sHi * sHi
	sum = upperHalf(3 + square + r)
	rest = r - (sum - 3 - square)
	u, v := float64(sHi*sum), float64(sLo*sum)+float64(rest*s)
	p := upperHalf(u + v)
	rest = v - (p - u)
	z := float64(twoThirdsHi * p)
	zLo := float64(twoThirdsLo*p) + float64(rest*twoThirds) + nearLo
	hi = upperHalf(z + zLo + nearHi + float64(n))
	return hi, zLo - (hi - float64(n) - nearHi - z)
}

// log2Near1 is the logarithm of a number that differs from 1 by less than 2^-20.
func log2Near1(x float64) (hi, lo float64) {
	const inverseHi, inverseLo, inverse = 0x1.715476p+0, 0x1.4ae0bf85ddf44p-26, 0x1.71547652b82fep+0 // 1/ln 2
	t := x - 1
	w := float64(t*t) * (0.5 - float64(t*(0.3333333333333333333333-float64(t*0.25))))
	u, v := float64(inverseHi*t), float64(t*inverseLo)-float64(w*inverse)
	hi = upperHalf(u + v)
	return hi, v - (hi - u)
}

// exp2 is 2 raised to hi+lo.
func exp2(hi, lo float64) float64 {
	const ln2Hi, ln2Lo, ln2 = 0x1.62e43p-1, -0x1.05c610ca86c39p-29, 0x1.62e42fefa39efp-1
	sum := hi + lo
	switch {
	case sum > 1024 || sum == 1024 && lo+0x1.71547652b82fep-54 > sum-hi:
		return math.Inf(1)
	case sum < -1075 || sum == -1075 && lo <= sum-hi:
		return 0
	}
	n := 0
	if upper := upperHalf(sum); math.Abs(upper) > 0.5 {
		whole := math.Trunc(upper + math.Copysign(0.5, upper))
		n = int(whole)
		hi -= whole
	}
	t := upperHalf(lo + hi)
	u, v := float64(t*ln2Hi), float64((lo-(t-hi))*ln2)+float64(t*ln2Lo)
	z := u + v
	w := v - (z - u)
	square := float64(z * z)
	c := z - float64(square*polynomial(square, 0x1.555555555553ep-3, -0x1.6c16c16bebd93p-9, 0x1.1566aaf25de2cp-14, -0x1.bbd41c5d26bf1p-20, 0x1.6376972bea4dp-25))
	r := float64(z*c) / (c - 2 - (w + float64(z*w))) // fdlibm subtracts w+z*w from the quotient
	return math.Ldexp(1-(r-z), n)
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
