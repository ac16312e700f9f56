package graph

import (
	"math/big"
	"slices"
)

// equal reports whether two values are the same: numbers by value, maps without order.
func (d *datum) equal(o *datum) bool {
	if d.kind != o.kind || len(d.kids) != len(o.kids) {
		return false
	}
	if d.kind == Number {
		return sameNumber(d.text, o.text)
	}
	if d.text != o.text && d.kind == String {
		return false
	}
	if d.kind == Boolean && d.text != o.text {
		return false
	}
	for i, k := range d.kids {
		j := i
		if d.kind == Object {
			if j = slices.Index(o.keys, d.keys[i]); j < 0 {
				return false
			}
		}
		if !k.equal(o.kids[j]) {
			return false
		}
	}
	return true
}

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > 400 || len(b) > 400 {
		return false
	}
	x, _, err := big.ParseFloat(a, 10, 512, big.ToNearestEven)
	y, _, err2 := big.ParseFloat(b, 10, 512, big.ToNearestEven)
	return err == nil && err2 == nil && x.Cmp(y) == 0
}
