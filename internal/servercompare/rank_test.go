package main

import (
	"math"
	"testing"
)

func TestMannWhitney(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []float64{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	mixed := []float64{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 0.5}
	if p := mannWhitney(low, high); math.Abs(p-0.00018) > 0.00001 {
		t.Errorf("p of samples apart is %g", p)
	}
	if p := mannWhitney(low, mixed); p < 0.5 {
		t.Errorf("p of samples that are mixed is %g", p)
	}
	if p := mannWhitney(low, low); p != 1 {
		t.Errorf("p of the same sample is %g", p)
	}
}
