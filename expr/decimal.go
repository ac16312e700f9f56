package expr

import (
	"bytes"
	"strconv"
)

// appendDecimal writes a JSON number so that equal numbers are written the same, to
// the last digit: its significant digits as a whole number, and the exponent. What is
// not a number, such as NaN, is written as it is.
func appendDecimal(buf, text []byte) []byte {
	mantissa, exponent := text, int64(0)
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(string(text[i+1:]), 10, 32); err != nil {
			return append(buf, text...)
		}
		mantissa = text[:i]
	}
	mantissa, negative := bytes.CutPrefix(mantissa, []byte{'-'})
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	if len(whole) == 0 || whole[0] < '0' || whole[0] > '9' {
		return append(buf, text...)
	}
	exponent -= int64(len(fraction))
	start := len(buf)
	if negative {
		buf = append(buf, '-')
	}
	first := len(buf)
	buf = append(append(buf, bytes.TrimLeft(whole, "0")...), fraction...)
	if first == len(buf)-len(fraction) { // 0.00x
		buf = append(buf[:first], bytes.TrimLeft(fraction, "0")...)
	}
	for len(buf) > first && buf[len(buf)-1] == '0' {
		buf, exponent = buf[:len(buf)-1], exponent+1
	}
	if len(buf) == first {
		return append(buf[:start], '0')
	}
	return strconv.AppendInt(append(buf, 'e'), exponent, 10)
}
