package jsonata

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A timePicture is a picture of a time that has been read: literal texts and
// components.
type timePicture []timePart

type timePart struct {
	literal   string
	component byte // 0 for a literal
	names     bool
	letters   letterCase
	most      int // letters of a name, or -1
	digits    int // of a year, or -1 for all
	zulu      bool
	integer   *integerPicture
}

var presentations = map[byte]string{
	'Y': "1", 'M': "1", 'D': "1", 'd': "1", 'F': "n", 'W': "1", 'w': "1", 'X': "1", 'x': "1", 'H': "1", 'h': "1",
	'P': "n", 'm': "01", 's': "01", 'f': "1", 'Z': "01:01", 'z': "01:01", 'C': "n", 'E': "n",
}

const isoPicture = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]"

// timePicture reads a picture.
func (e *Evaluator) timePicture(text string) timePicture {
	e.short("a picture", text)
	var parts timePicture
	literal := func(s string) {
		if s != "" {
			parts = append(parts, timePart{literal: strings.ReplaceAll(s, "]]", "]")})
		}
	}
	for text != "" {
		i := strings.IndexByte(text, '[')
		if i < 0 {
			break
		}
		literal(text[:i])
		if text = text[i+1:]; strings.HasPrefix(text, "[") {
			parts = append(parts, timePart{literal: "["})
			text = text[1:]
			continue
		}
		marker, rest, closed := strings.Cut(text, "]")
		if !closed {
			e.bad(1, "D3135", `the picture has a "[" that is never closed`)
		}
		parts = e.timePart(parts, strings.Join(strings.Fields(marker), ""))
		text = rest
	}
	literal(text)
	return parts
}

// timePart adds the part of one marker, such as "M01" or "FNn,3-3".
func (e *Evaluator) timePart(parts timePicture, marker string) timePicture {
	if marker == "" {
		marker = " "
	}
	p := timePart{component: marker[0], most: -1, digits: -1}
	presentation := marker[1:]
	least := -1
	if i := strings.LastIndexByte(marker, ','); i > 0 {
		presentation = marker[1:i]
		low, high, _ := strings.Cut(marker[i+1:], "-")
		least, p.most = e.width(low), e.width(high)
	}
	modifier := byte(0)
	switch n := len(presentation); {
	case n == 0:
		known := false
		if presentation, known = presentations[p.component]; !known {
			e.bad(1, "D3132", "the picture has an unknown component %q", string(p.component))
		}
	case n > 1 && strings.IndexByte("atco", presentation[n-1]) >= 0:
		modifier = presentation[n-1]
		presentation = presentation[:n-1]
	}
	p.zulu = modifier == 't'
	switch {
	case presentation[0] == 'n':
		p.names = true
	case presentation[0] == 'N':
		p.names, p.letters = true, upper
		if strings.HasPrefix(presentation, "Nn") {
			p.letters = title
		}
	case strings.IndexByte("YMDdFWwXxHhmsf", p.component) >= 0:
		if modifier != 0 {
			presentation += ";" + string(modifier)
		}
		p.integer = e.integerPicture(presentation)
		p.integer.mandatory = max(p.integer.mandatory, least)
		if p.component == 'Y' {
			if p.most >= 0 {
				p.digits = p.most
				p.integer.mandatory = p.most
			} else if w := p.integer.mandatory + p.integer.optional; w >= 2 {
				p.digits = w
			}
		}
		if n := len(parts); n > 0 && parts[n-1].integer != nil {
			parts[n-1].integer.width = parts[n-1].integer.mandatory
		}
	}
	if p.component == 'Z' || p.component == 'z' {
		p.integer = e.integerPicture(presentation)
	}
	return append(parts, p)
}

// width is one end of a width, -1 without.
func (e *Evaluator) width(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	if n > maxPicture {
		e.room("the time", min(n, math.MaxInt32))
	}
	return n
}

// formatTime writes a time by a picture, in a time zone, which is the i-th argument.
func (e *Evaluator) formatTime(ms float64, picture, zone any, i int) any {
	text, ok := picture.(string)
	if !ok {
		text = isoPicture
	}
	known := math.Abs(ms) <= 8.64e15
	if !known {
		ms = 0
	}
	offset := 0 // seconds
	if name, ok := zone.(string); ok {
		location, err := timeZone(name)
		if err != nil {
			e.bad(i, "time-zone", "$%s: %s", e.call.fn.name, err)
		}
		_, offset = time.UnixMilli(int64(ms)).In(location).Zone()
	}
	parts := e.timePicture(text)
	t := time.UnixMilli(int64(math.Trunc(ms + float64(offset)*1000))).UTC()
	var b strings.Builder
	for _, p := range parts {
		if p.component == 0 {
			b.WriteString(p.literal)
		} else if text, numeric := e.timeText(t, &p, offset/60); numeric && !known {
			b.WriteString(e.unknownTime(&p))
		} else {
			b.WriteString(text)
		}
		if b.Len() > e.limits.MaxResult {
			e.stop(tooBig("the time", e.limits.MaxResult))
		}
	}
	e.room("the time", b.Len())
	return b.String()
}

// timeText is one component of a time, which is so many minutes ahead of UTC. numeric says
// that it is made of a number.
func (e *Evaluator) timeText(t time.Time, p *timePart, offset int) (text string, numeric bool) {
	switch p.component {
	case 'P':
		text := "am"
		if t.Hour() >= 12 {
			text = "pm"
		}
		if p.names && p.letters == upper {
			text = strings.ToUpper(text)
		}
		return text, false
	case 'C', 'E':
		return "ISO", false
	case 'Z', 'z':
		return e.zoneText(p, offset), false
	}
	v, known := timeValue(t, p.component)
	if !known {
		e.bad(1, "D3132", "the picture has an unknown component %q", string(p.component))
	}
	if p.component == 'Y' && p.digits >= 0 && !p.names {
		v %= int(math.Pow(10, float64(min(p.digits, 15))))
	}
	if !p.names {
		return e.formatInteger(float64(v), p.integer), true
	}
	var name string
	switch p.component {
	case 'M', 'x':
		name = time.Month(v).String()
	case 'F':
		name = time.Weekday(v % 7).String()
	default:
		e.bad(1, "D3133", "the component %q has no name", string(p.component))
	}
	switch p.letters {
	case upper:
		name = strings.ToUpper(name)
	case lower:
		name = strings.ToLower(name)
	}
	if p.most >= 0 && len(name) > p.most {
		name = name[:p.most]
	}
	return name, true
}

// unknownTime is one component of what is not a time, such as that of NaN.
func (e *Evaluator) unknownTime(p *timePart) string {
	switch {
	case p.names && p.letters == title && p.most < 0:
		return "undefined"
	case p.names || p.integer.numbering == byWords:
		e.bad(0, "D3110", "the time is out of range")
	}
	return e.formatInteger(math.NaN(), p.integer)
}

func (e *Evaluator) zoneText(p *timePart, offset int) string {
	hours, minutes := offset/60, offset%60
	offset = hours*100 + minutes
	var text string
	switch n := p.integer.mandatory; {
	case p.integer.regular > 0, n == 3 || n == 4:
		text = e.formatInteger(float64(offset), p.integer)
	case n == 1 || n == 2:
		text = e.formatInteger(float64(hours), p.integer)
		if offset < 0 && hours == 0 {
			text = "-" + text
		}
		if minutes != 0 {
			text += ":" + e.formatInteger(math.Abs(float64(minutes)), e.integerPicture("00"))
		}
	default:
		e.bad(1, "D3134", "a time zone has at most four digits")
	}
	if offset >= 0 {
		text = "+" + text
	}
	if p.component == 'z' {
		text = "GMT" + text
	}
	if offset == 0 && p.zulu {
		text = "Z"
	}
	return text
}

// timeValues are the components of a time that are numbers. A week and its month and year are
// those of its Thursday.
var timeValues = [...]func(t time.Time) int{
	'Y': time.Time.Year, 'D': time.Time.Day, 'd': time.Time.YearDay, 'H': time.Time.Hour, 'm': time.Time.Minute, 's': time.Time.Second,
	'M': func(t time.Time) int { return int(t.Month()) },
	'F': func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
	'W': func(t time.Time) int { return (thursday(t).YearDay()-1)/7 + 1 },
	'w': func(t time.Time) int { return (thursday(t).Day()-1)/7 + 1 },
	'X': func(t time.Time) int { return thursday(t).Year() },
	'x': func(t time.Time) int { return int(thursday(t).Month()) },
	'h': func(t time.Time) int { return (t.Hour()+11)%12 + 1 },
	'f': func(t time.Time) int { return t.Nanosecond() / 1e6 },
}

// timeValue is a component of a time as a number.
func timeValue(t time.Time, component byte) (v int, known bool) {
	if int(component) >= len(timeValues) || timeValues[component] == nil {
		return 0, false
	}
	return timeValues[component](t), true
}

// thursday is the Thursday of the week of a time.
func thursday(t time.Time) time.Time { return t.AddDate(0, 0, 3-(int(t.Weekday())+6)%7) }
