package jsonata

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numberSigns are the characters of a picture of a number, which options replace.
type numberSigns struct {
	decimal, grouping, exponent, minus, percent, perMille, digit, separator string
	zero                                                                    rune
}

// A numberPicture is one part of a picture, for numbers that are negative or not.
type numberPicture struct {
	text, prefix, suffix, active string
	whole, fraction              string
	exponent                     string
	hasExponent                  bool
	positions, fractionPositions []int
	regular                      int
	minWhole, scale              int
	minFraction, maxFraction     int
	minExponent                  int
}

func callFormatNumber(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	picture, ok := args[1].(string)
	if !ok {
		e.bad(1, "T0410", "$formatNumber: argument 2 must be a string, got undefined")
	}
	e.short("a picture", picture)
	signs := numberSigns{".", ",", "e", "-", "%", "\u2030", "#", ";", '0'}
	if o, ok := args[2].(*Object); ok {
		signs.replace(o)
	}
	parts := strings.Split(picture, signs.separator)
	if len(parts) > 2 {
		e.bad(1, "D3080", "the picture has more than one %q", signs.separator)
	}
	var pictures []*numberPicture
	for _, part := range parts {
		p := signs.split(part)
		if code, problem := signs.check(p); code != "" {
			e.bad(1, code, "the picture %q %s", brief(part), problem)
		}
		signs.measure(p)
		pictures = append(pictures, p)
	}
	p := pictures[0]
	if !(x >= 0) {
		if len(pictures) > 1 {
			p = pictures[1]
		} else {
			p.prefix = signs.minus + p.prefix
		}
	}
	return signs.format(x, p)
}

func (s *numberSigns) replace(o *Object) {
	signs := map[string]*string{
		"decimal-separator": &s.decimal, "grouping-separator": &s.grouping, "exponent-separator": &s.exponent, "minus-sign": &s.minus,
		"percent": &s.percent, "per-mille": &s.perMille, "digit": &s.digit, "pattern-separator": &s.separator,
	}
	for i, key := range o.keys {
		text, ok := o.vals[i].(string)
		if !ok {
			continue
		}
		if sign := signs[key]; sign != nil {
			*sign = text
		} else if r, _ := utf8.DecodeRuneInString(text); key == "zero-digit" && r != utf8.RuneError {
			s.zero = r
		}
	}
}

func (s *numberSigns) isDigit(c rune) bool { return c >= s.zero && c < s.zero+10 }

func (s *numberSigns) isActive(c rune) bool {
	text := string(c)
	return s.isDigit(c) || text == s.decimal || text == s.exponent || text == s.grouping || text == s.digit || text == s.separator
}

// split takes a picture apart.
func (s *numberSigns) split(text string) *numberPicture {
	p := &numberPicture{text: text}
	begins := func(c rune) bool { return s.isActive(c) && string(c) != s.exponent }
	first := strings.IndexFunc(text, begins)
	if first >= 0 {
		p.prefix = text[:first]
		last := strings.LastIndexFunc(text, begins)
		_, size := utf8.DecodeRuneInString(text[last:])
		p.suffix = text[last+size:]
	}
	p.active = text[len(p.prefix) : len(text)-len(p.suffix)]
	mantissa := p.active
	if i := strings.Index(p.active, s.exponent); i >= 0 && s.exponent != "" {
		mantissa, p.exponent, p.hasExponent = p.active[:i], p.active[i+len(s.exponent):], true
	}
	whole, fraction, found := strings.Cut(mantissa, s.decimal)
	if p.whole, p.fraction = whole, fraction; !found {
		p.fraction = p.suffix
	}
	return p
}

func (s *numberSigns) count(text string, optional bool) (n int) {
	for _, c := range text {
		if s.isDigit(c) || optional && string(c) == s.digit {
			n++
		}
	}
	return n
}

// check returns what is wrong with a picture. Of several faults the last one of the
// list counts.
func (s *numberSigns) check(p *numberPicture) (code, problem string) {
	report := func(wrong bool, c, text string) {
		if wrong {
			code, problem = c, text
		}
	}
	mantissa := p.active
	if p.hasExponent {
		mantissa = p.active[:len(p.active)-len(p.exponent)-len(s.exponent)]
	}
	twice := func(sign string) bool { return sign != "" && strings.Count(p.text, sign) > 1 }
	has := func(sign string) bool { return sign != "" && strings.Contains(p.text, sign) }
	report(twice(s.decimal), "D3081", "has more than one decimal separator")
	report(twice(s.percent), "D3082", "has more than one percent sign")
	report(twice(s.perMille), "D3083", "has more than one per-mille sign")
	report(has(s.percent) && has(s.perMille), "D3084", "has both a percent and a per-mille sign")
	report(s.count(mantissa, true) == 0, "D3085", "has no digit")
	report(strings.ContainsFunc(p.active, func(c rune) bool { return !s.isActive(c) }), "D3086", "has another character between its digits")
	if i := strings.Index(p.text, s.decimal); i >= 0 {
		report(strings.HasSuffix(p.text[:i], s.grouping) || strings.HasPrefix(p.text[i+len(s.decimal):], s.grouping), "D3087", "has a grouping separator beside the decimal separator")
	} else {
		report(strings.HasSuffix(p.whole, s.grouping), "D3088", "has a grouping separator at the end")
	}
	report(strings.Contains(p.text, s.grouping+s.grouping), "D3089", "has two grouping separators side by side")
	if i := strings.Index(p.whole, s.digit); i >= 0 {
		report(s.count(p.whole[:i], false) > 0, "D3090", "has an optional digit after a mandatory one")
	}
	if i := strings.LastIndex(p.fraction, s.digit); i >= 0 {
		report(s.count(p.fraction[i:], false) > 0, "D3091", "has a mandatory digit after an optional one in its fraction")
	}
	report(p.hasExponent && p.exponent != "" && (has(s.percent) || has(s.perMille)), "D3092", "has both an exponent and a percent sign")
	report(p.hasExponent && (p.exponent == "" || s.count(p.exponent, false) != utf8.RuneCountInString(p.exponent)), "D3093", "has an exponent that is not of digits")
	return code, problem
}

// measure finds the sizes of a picture.
func (s *numberSigns) measure(p *numberPicture) {
	rest := p.whole
	for {
		i := strings.Index(rest, s.grouping)
		if i < 0 {
			break
		}
		rest = rest[i+len(s.grouping):]
		p.positions = append(p.positions, s.count(rest, true))
	}
	p.regular = regularDistance(separatorsAt(p.positions))
	for i := 0; ; {
		j := strings.Index(p.fraction[i:], s.grouping)
		if j < 0 {
			break
		}
		p.fractionPositions = append(p.fractionPositions, s.count(p.fraction[:i+j], true))
		i += j + len(s.grouping)
	}
	p.minWhole = s.count(p.whole, false)
	p.scale = p.minWhole
	p.minFraction, p.maxFraction = s.count(p.fraction, false), s.count(p.fraction, true)
	switch {
	case p.minWhole == 0 && p.maxFraction == 0 && p.hasExponent:
		p.minFraction, p.maxFraction = 1, 1
	case p.minWhole == 0 && p.maxFraction == 0:
		p.minWhole = 1
	}
	if p.hasExponent && p.minWhole == 0 && strings.Contains(p.whole, s.digit) {
		p.minWhole = 1
	}
	if p.minWhole == 0 && p.minFraction == 0 {
		p.minFraction = 1
	}
	if p.hasExponent {
		p.minExponent = s.count(p.exponent, false)
	}
}

// format writes a number by a picture.
func (s *numberSigns) format(x float64, p *numberPicture) string {
	switch {
	case s.percent != "" && strings.Contains(p.text, s.percent):
		x *= 100
	case s.perMille != "" && strings.Contains(p.text, s.perMille):
		x *= 1000
	}
	exponent := 0
	if p.minExponent > 0 && x != 0 && x-x == 0 {
		most, least := math.Pow(10, float64(p.scale)), math.Pow(10, float64(p.scale-1))
		for math.Abs(x) < least {
			x *= 10
			exponent--
		}
		for math.Abs(x) > most {
			x /= 10
			exponent++
		}
	}
	rounded := math.Abs(round(x, float64(p.maxFraction)))
	digits := strconv.FormatFloat(rounded, 'f', p.maxFraction, 64)
	switch {
	case x-x != 0 && p.maxFraction > 0:
		digits = "NaN" // as in JavaScript, where an infinity cannot be rounded
	case x-x != 0:
		digits = notFiniteText(math.Abs(x))
	case rounded >= 1e21:
		digits = string(appendFloat(nil, rounded))
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if missing := p.minWhole - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	if missing := p.minFraction - len(fraction); missing > 0 {
		fraction += strings.Repeat("0", missing)
	}
	text := p.prefix + s.own(s.grouped(whole, func(i int) bool {
		left := len(whole) - i
		return p.regular > 0 && left%p.regular == 0 || p.regular == 0 && slices.Contains(p.positions, left)
	}))
	if fraction != "" {
		if !strings.Contains(p.text, s.decimal) { // as in jsonata-js, which drops one character
			fraction = fraction[:len(fraction)-1]
		}
		text += s.decimal + s.own(s.grouped(fraction, func(i int) bool { return slices.Contains(p.fractionPositions, i) }))
	}
	if p.minExponent > 0 {
		power := strconv.Itoa(max(exponent, -exponent))
		power = strings.Repeat("0", max(p.minExponent-len(power), 0)) + power
		text += s.exponent
		if exponent < 0 {
			text += s.minus
		}
		text += s.own(power)
	}
	return text + p.suffix
}

// own writes digits in the script of the picture.
func (s *numberSigns) own(text string) string {
	if s.zero == '0' {
		return text
	}
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c - '0' + s.zero
		}
		return c
	}, text)
}

// grouped writes a separator before each digit but the first for which separated holds.
func (s *numberSigns) grouped(digits string, separated func(i int) bool) string {
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && separated(i) {
			b.WriteString(s.grouping)
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

// separatorsAt are the same separators at several positions.
func separatorsAt(positions []int) []separator {
	list := make([]separator, len(positions))
	for i, at := range positions {
		list[i] = separator{at, ','}
	}
	return list
}

// regularDistance is the distance of separators that are the same and the same number
// of digits apart, or 0.
func regularDistance(list []separator) int {
	if len(list) == 0 {
		return 0
	}
	factor := 0
	for _, s := range list {
		if s.char != list[0].char {
			return 0
		}
		for a := s.position; a != 0; {
			factor, a = a, factor%a
		}
	}
	for i := range list {
		if !slices.ContainsFunc(list, func(s separator) bool { return s.position == (i+1)*factor }) {
			return 0
		}
	}
	return factor
}
