package jsonata

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

func formatLetters(x float64, letters letterCase) string {
	first := byte('a')
	if letters == upper {
		first = 'A'
	}
	var out []byte
	for ; x > 0 && len(out) < 400; x = math.Floor((x - 1) / 26) {
		out = append(out, first+byte(math.Mod(x-1, 26)))
	}
	slices.Reverse(out)
	return string(out)
}

func (e *Evaluator) formatRoman(x float64) string {
	if x != x {
		return ""
	}
	thousands := math.Floor(x / 1000)
	e.steps(int(thousands) >> 4)
	var b strings.Builder
	b.WriteString(strings.Repeat("m", int(thousands)))
	x -= thousands * 1000
	for _, r := range romans {
		for x >= r.value {
			b.WriteString(r.text)
			x -= r.value
		}
	}
	return b.String()
}

// formatWords is a number in English. follows says that words come before it.
func formatWords(x float64, follows, ordinal bool) string {
	joined := func(with, text string) string {
		if follows {
			return with + text
		}
		return text
	}
	rest := func(text string, remainder float64) string {
		switch {
		case remainder > 0:
			return text + formatWords(remainder, true, ordinal)
		case ordinal:
			return text + "th"
		}
		return text
	}
	switch {
	case x <= 19:
		if ordinal {
			return joined(" and ", ordinals[int(x)])
		}
		return joined(" and ", small[int(x)])
	case x < 100:
		tens, ones := math.Floor(x/10), math.Mod(x, 10)
		text := joined(" and ", decades[int(tens)-2])
		switch {
		case ones > 0:
			return text + "-" + formatWords(ones, false, ordinal)
		case ordinal:
			return text[:len(text)-1] + "ieth"
		}
		return text
	case x < 1000:
		hundreds := math.Floor(x / 100)
		return rest(joined(", ", small[int(hundreds)]+" Hundred"), x-hundreds*100)
	}
	magnitude := min(int(math.Floor(math.Log10(x)/3)), len(magnitudes))
	factor := math.Pow(10, float64(magnitude*3))
	mantissa := math.Floor(x / factor)
	return rest(joined(", ", formatWords(mantissa, false, false)+" "+magnitudes[magnitude-1]), x-mantissa*factor)
}

// wordValues are the numbers that words stand for.
var wordValues = func() map[string]float64 {
	m := map[string]float64{"hundredth": 100}
	for i, w := range small {
		m[strings.ToLower(w)] = float64(i)
		m[strings.ToLower(ordinals[i])] = float64(i)
	}
	for i, w := range decades {
		w = strings.ToLower(w)
		m[w] = float64(i+2) * 10
		m[w[:len(w)-1]+"ieth"] = m[w]
	}
	for i, w := range magnitudes {
		w = strings.ToLower(w)
		m[w] = math.Pow(10, float64(i+1)*3)
		m[w+"th"] = m[w]
	}
	return m
}()

var betweenWords = regexp.MustCompile(`,\s|\sand\s|[\s\\-]`)

// wordsNumber is the number that English words say.
func wordsNumber(text string) float64 {
	parts := []float64{0}
	for _, word := range betweenWords.Split(strings.ToLower(text), -1) {
		v, ok := wordValues[word]
		last := len(parts) - 1
		switch {
		case !ok:
			return math.NaN()
		case v >= 100:
			parts[last] *= v
		case parts[last] >= 1000:
			parts = append(parts, v)
		default:
			parts[last] += v
		}
	}
	sum := 0.0
	for _, v := range parts {
		sum += v
	}
	return sum
}

func romanNumber(text string) float64 {
	values := map[byte]float64{'M': 1000, 'D': 500, 'C': 100, 'L': 50, 'X': 10, 'V': 5, 'I': 1}
	x, most := 0.0, 1.0
	for i := len(text) - 1; i >= 0; i-- {
		v, ok := values[text[i]]
		if !ok {
			return math.NaN()
		}
		if v < most {
			x -= v
		} else {
			most = v
			x += v
		}
	}
	return x
}
