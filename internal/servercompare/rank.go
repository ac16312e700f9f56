package main

import "math"

// mannWhitney returns the probability that samples which differ at least as much come
// from the same distribution: the two-sided test of Mann and Whitney, by the normal
// approximation with a correction for continuity, without one for ties.
func mannWhitney(a, b []float64) float64 {
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				u++
			case x == y:
				u += 0.5
			}
		}
	}
	n, m := float64(len(a)), float64(len(b))
	z := (math.Abs(u-n*m/2) - 0.5) / math.Sqrt(n*m*(n+m+1)/12)
	return min(1, math.Erfc(z/math.Sqrt2))
}
