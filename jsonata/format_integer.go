package jsonata

import (
	"math"
	"slices"
	"strings"
)

// A numbering is how a picture writes whole numbers.
type numbering uint8

const (
	byDigits numbering = iota
	byLetters
	byRomans
	byWords
	bySequence // a picture that names nothing known
)

type letterCase uint8

const (
	lower letterCase = iota
	upper
	title
)

// An integerPicture is a picture of a whole number that has been read.
type integerPicture struct {
	numbering  numbering
	letters    letterCase
	ordinal    bool
	zero       rune
	mandatory  int
	optional   int
	regular    int // the distance of separators that are all alike, or 0
	separators []separator
	width      int // of a number that another follows at once, when it is read
	text       string
}

type separator struct {
	position int
	char     rune
}

// zeros are the digits zero of the decimal digits of Unicode.
var zeros = []rune{
	0x30, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090,
	0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
}

// maxPicture is the length of a picture of a number or a time, and of a time as text.
const maxPicture = 1000

func (e *Evaluator) short(what, text string) {
	if len(text) > maxPicture {
		e.stop(tooBig(what, maxPicture))
	}
	e.steps(2 * len(text))
}

// integerPicture reads a picture.
func (e *Evaluator) integerPicture(text string) *integerPicture {
	e.short("a picture", text)
	p := &integerPicture{zero: '0', text: text}
	primary := text
	if i := strings.LastIndexByte(text, ';'); i >= 0 {
		primary = text[:i]
		p.ordinal = strings.HasPrefix(text[i+1:], "o")
	}
	switch primary {
	case "A", "a":
		p.numbering = byLetters
	case "I", "i":
		p.numbering = byRomans
	case "W", "w", "Ww":
		p.numbering = byWords
	default:
		e.digitPicture(p, primary)
		return p
	}
	switch {
	case primary == "Ww":
		p.letters = title
	case primary[0] < 'a':
		p.letters = upper
	}
	return p
}

func (e *Evaluator) digitPicture(p *integerPicture, primary string) {
	chars := []rune(primary)
	slices.Reverse(chars)
	position, family := 0, rune(-1)
	for _, c := range chars {
		i := slices.IndexFunc(zeros, func(z rune) bool { return c >= z && c <= z+9 })
		switch {
		case i >= 0:
			p.mandatory++
			position++
			if family >= 0 && family != zeros[i] {
				e.bad(1, "D3131", "the picture %q has digits of two scripts", brief(primary))
			}
			family = zeros[i]
		case c == '#':
			p.optional++
			position++
		default:
			p.separators = append(p.separators, separator{position, c})
		}
	}
	if p.mandatory == 0 {
		p.numbering = bySequence
		return
	}
	p.zero = family
	p.regular = regularDistance(p.separators)
}

func callFormatInteger(e *Evaluator, args []any) any {
	x, _ := e.number(args[0])
	picture, ok := args[1].(string)
	if !ok {
		e.bad(1, "T0410", "$formatInteger: argument 2 must be a string, got %s", describe(args[1]))
	}
	p := e.integerPicture(picture)
	if x-x != 0 && (x == x || p.numbering == byWords) && p.numbering != byDigits && p.numbering != bySequence {
		e.bad(0, "D1001", "$formatInteger: %s has no words, letters or numerals", describe(args[0]))
	}
	return e.formatInteger(math.Floor(x), p)
}

// formatInteger writes a whole number by a picture.
func (e *Evaluator) formatInteger(x float64, p *integerPicture) string {
	var text string
	negative := x < 0
	x = math.Abs(x)
	switch p.numbering {
	case byLetters:
		text = formatLetters(x, p.letters)
	case byRomans:
		if x == x {
			e.room("the result of $formatInteger", int(min(x/1000, math.MaxInt32))+16)
		}
		text = e.formatRoman(x)
		if p.letters == upper {
			text = strings.ToUpper(text)
		}
	case byWords:
		text = formatWords(x, false, p.ordinal)
		switch p.letters {
		case upper:
			text = strings.ToUpper(text)
		case lower:
			text = strings.ToLower(text)
		}
	case byDigits:
		text = e.integerDigits(x, p)
	case bySequence:
		e.bad(1, "D3130", "the picture %q is not one of a number", brief(p.text))
	}
	if negative {
		return "-" + text
	}
	return text
}

func (e *Evaluator) integerDigits(x float64, p *integerPicture) string {
	if p.mandatory > 1<<20 {
		e.room("the number", p.mandatory)
	}
	digits := []rune(string(appendFloat(nil, x)))
	if x-x != 0 {
		digits = []rune(notFiniteText(x))
	}
	if missing := p.mandatory - len(digits); missing > 0 {
		digits = append([]rune(strings.Repeat("0", missing)), digits...)
	}
	last, before := digits[len(digits)-1], rune(0)
	if len(digits) > 1 {
		before = digits[len(digits)-2]
	}
	if p.zero != '0' {
		for i, c := range digits {
			digits[i] = c + p.zero - '0'
		}
	}
	list := p.separators
	if p.regular > 0 {
		list = nil
		for at := p.regular; at < len(digits); at += p.regular {
			list = append(list, separator{at, p.separators[0].char})
		}
	}
	out := make([]rune, 0, len(digits)+len(list))
	for i := range len(digits) + 1 {
		for _, s := range slices.Backward(list) {
			if s.position == len(digits)-i && (i > 0 || p.regular == 0) {
				out = append(out, s.char)
			}
		}
		if i < len(digits) {
			out = append(out, digits[i])
		}
	}
	text := string(out)
	if p.ordinal {
		suffix := map[rune]string{'1': "st", '2': "nd", '3': "rd"}[last]
		if suffix == "" || before == '1' {
			suffix = "th"
		}
		text += suffix
	}
	return text
}

var romans = []struct {
	value float64
	text  string
}{{900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}}

var (
	small      = strings.Fields("Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen")
	ordinals   = strings.Fields("Zeroth First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth")
	decades    = strings.Fields("Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety Hundred")
	magnitudes = strings.Fields("Thousand Million Billion Trillion")
)

func callParseInteger(e *Evaluator, args []any) any {
	text := args[0].(string)
	picture, ok := args[1].(string)
	if !ok {
		e.bad(1, "T0410", "$parseInteger: argument 2 must be a string, got %s", describe(args[1]))
	}
	p := e.integerPicture(picture)
	e.steps(2 * len(text) * (1 + len(p.separators)))
	if p.numbering == bySequence {
		e.bad(1, "D3130", "the picture %q is not one of a number", brief(picture))
	}
	x := p.read(text)
	if x != x {
		e.infinite = e.argument(0)
	}
	return e.box(x)
}

// read is the number that a text shows, NaN where it shows none.
func (p *integerPicture) read(text string) float64 {
	switch p.numbering {
	case byLetters:
		x, first := 0.0, 'a'
		if p.letters == upper {
			first = 'A'
		}
		for _, c := range text {
			x = x*26 + float64(c-first+1)
		}
		return x
	case byRomans:
		if p.letters == lower {
			text = strings.ToUpper(text)
		}
		return romanNumber(text)
	case byWords:
		return wordsNumber(text)
	}
	if p.ordinal {
		text = text[:max(len(text)-len("th"), 0)]
	}
	if p.regular > 0 { // as in jsonata-js, whatever the separator is
		text = strings.ReplaceAll(text, ",", "")
	} else {
		for _, s := range p.separators {
			text = strings.ReplaceAll(text, string(s.char), "")
		}
	}
	return leadingNumber(strings.Map(func(c rune) rune {
		if c >= p.zero && c <= p.zero+9 {
			return c - p.zero + '0'
		}
		return c
	}, text))
}
