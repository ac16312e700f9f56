package jsonata

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var isoText = regexp.MustCompile(`^(\d{4})(?:-([01]\d))?(?:-([0-3]\d))?(?:T([0-2]\d):([0-5]\d):([0-5]\d))?(?:\.(\d+))?(?:([+-])([0-2]\d):?([0-5]\d)|Z)?$`)

// isoTime reads a time by ISO 8601 in milliseconds since 1970: NaN for what looks like one
// and is none. As in V8, the days after the last one of a month are those of the next.
func isoTime(text string) (ms float64, ok bool) {
	parts := isoText.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	n := make([]int, len(parts))
	for i, part := range parts {
		n[i], _ = strconv.Atoi(part)
	}
	for i := 2; i <= 3; i++ { // the first month and day
		if parts[i] == "" {
			n[i] = 1
		}
	}
	hasTime, fraction, zone := parts[4] != "", parts[7], parts[8] != ""
	ms, _ = strconv.ParseFloat("0"+(fraction + "000")[:3], 64)
	endOfDay := n[4] == 24 && n[5] == 0 && n[6] == 0 && ms == 0
	switch {
	case n[2] < 1 || n[2] > 12 || n[3] < 1 || n[3] > 31, n[4] > 23 && !endOfDay, n[9] > 23, !hasTime && (fraction != "" || zone):
		return math.NaN(), true
	}
	t := time.Date(n[1], time.Month(n[2]), n[3], n[4], n[5], n[6], 0, time.UTC)
	offset := float64(n[9]*60+n[10]) * 60_000
	if parts[8] == "-" {
		offset = -offset
	}
	return float64(t.UnixMilli()) + ms - offset, true
}

// A timeReader reads one component.
type timeReader struct {
	pattern string
	read    func(text string) (v float64, ok bool)
}

// reader is how a part of a picture is read.
func (e *Evaluator) reader(p *timePart) timeReader {
	switch {
	case p.component == 0:
		return timeReader{pattern: regexp.QuoteMeta(p.literal)}
	case p.component == 'Z' || p.component == 'z':
		return zoneReader(p)
	case p.component == 'f':
		return timeReader{"[0-9]+", func(text string) (float64, bool) {
			f, err := strconv.ParseFloat("0."+text[:min(len(text), 3)], 64)
			return f * 1000, err == nil
		}}
	case p.integer != nil:
		return timeReader{e.integerPattern(p.integer), func(text string) (float64, bool) {
			v := p.integer.read(text)
			return v, v == v
		}}
	}
	names := func(list []string) timeReader {
		return timeReader{"[a-zA-Z]+", func(text string) (float64, bool) {
			n, ok := nameNumber(list, text, p.most)
			return float64(n), ok
		}}
	}
	switch p.component {
	case 'M', 'x':
		return names(monthNames)
	case 'F':
		return names(dayNames)
	case 'P':
		return timeReader{"[a-zA-Z]+", func(text string) (float64, bool) {
			n, ok := nameNumber([]string{"am", "pm"}, text, -1)
			return float64(n - 1), ok
		}}
	}
	e.bad(1, "D3133", "the component %q has no name", string(p.component))
	return timeReader{}
}

func (e *Evaluator) integerPattern(p *integerPicture) string {
	switch p.numbering {
	case byLetters:
		if p.letters == upper {
			return "[A-Z]+"
		}
		return "[a-z]+"
	case byRomans:
		return "[MDCLXVI]+"
	case byWords:
		return wordsPattern
	case bySequence:
		e.bad(1, "D3130", "the picture %q is not one of a number", brief(p.text))
	}
	pattern := "[0-9]+"
	if p.width > 0 {
		pattern = "[0-9]{" + strconv.Itoa(min(p.width, 1000)) + "}"
	}
	if p.ordinal {
		pattern += "(?:th|st|nd|rd)"
	}
	return pattern
}

var wordsPattern = func() string {
	words := []string{"and", "[-, ]"}
	for w := range wordValues {
		words = append(words, w)
	}
	return "(?:" + strings.Join(words, "|") + ")+"
}()

func zoneReader(p *timePart) timeReader {
	pattern, prefix := "[-+][0-9]+", ""
	if p.component == 'z' {
		prefix = "GMT"
	}
	sep := ""
	if p.integer.regular > 0 {
		sep = string(p.integer.separators[0].char)
		pattern += regexp.QuoteMeta(sep) + "[0-9]+"
	}
	pattern = "(?:Z|UTC|" + prefix + "(?:" + pattern + "|[-+][0-9]{4}|[-+][0-9]{1,2}:[0-9]{2}))"
	return timeReader{pattern, func(text string) (float64, bool) {
		if strings.ContainsAny(text[:1], "ZzUu") {
			return 0, true
		}
		text = text[len(prefix):]
		hours, minutes := text, ""
		if i := strings.IndexAny(text, ":"+sep); i > 0 {
			hours, minutes = text[:i], text[i+1:]
		} else if len(text) > 3 {
			hours, minutes = text[:3], text[3:]
		}
		return float64(signedMinutes(hours, minutes)), true
	}}
}

// parseTime reads a time by a picture. It is undefined where the text does not have the
// form of the picture, or has a name that is not one.
func (e *Evaluator) parseTime(text, picture string) any {
	e.short("the text of a time", text)
	parts := e.timePicture(picture)
	readers := make([]timeReader, len(parts))
	var pattern strings.Builder
	pattern.WriteString("(?i)^")
	for i := range parts {
		readers[i] = e.reader(&parts[i])
		pattern.WriteString("(" + readers[i].pattern + ")")
	}
	pattern.WriteString("$")
	re, err := regexp.Compile(pattern.String())
	if err != nil {
		e.bad(1, "D3135", "the picture %q cannot be read", brief(picture))
	}
	e.steps(1000)
	found := re.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	values := map[byte]float64{}
	for i, r := range readers {
		if r.read == nil {
			continue
		}
		v, ok := r.read(found[i+1])
		if !ok {
			return nil
		}
		values[parts[i].component] = v
	}
	if len(values) == 0 {
		return nil
	}
	return e.componentTime(values)
}

// given reports which of the components have a value that is not zero, as bits.
func componentBits(values map[byte]float64, components string) (mask int) {
	for _, c := range []byte(components) {
		mask <<= 1
		if values[c] != 0 {
			mask |= 1
		}
	}
	return mask
}

// componentTime is the time of components; what is missing is now's before the first that is
// given, and the least after the last.
func (e *Evaluator) componentTime(values map[byte]float64) any {
	within := func(mask, all int) bool { return mask&^all == 0 && mask != 0 }
	date := componentBits(values, "YXMxWwdD")
	clock := componentBits(values, "PHhmsf")
	dateA, timeA := within(date, 0b10100001), within(clock, 0b010111)
	dayOfYear := !dateA && within(date, 0b10000010)
	weeks := within(date, 0b01010100) || within(date, 0b01001000)
	halfDay := !timeA && within(clock, 0b101111)
	components := "YMD"
	switch {
	case dayOfYear:
		components = "YD"
	case weeks:
		components = "XxwF"
		if !within(date, 0b01010100) {
			components = "XWF"
		}
	}
	if halfDay {
		components += "Phmsf"
	} else {
		components += "Hmsf"
	}
	now, started, ended := e.clock().UTC(), false, false
	for _, c := range []byte(components) {
		if _, ok := values[c]; ok {
			started = true
			if ended {
				e.bad(1, "D3136", "the picture leaves out a component between others")
			}
			continue
		}
		if started {
			values[c] = 0
			if c == 'M' || c == 'D' || c == 'd' {
				values[c] = 1
			}
			ended = true
			continue
		}
		v, _ := timeValue(now, c)
		values[c] = float64(v)
	}
	if weeks {
		e.bad(1, "D3136", "a time cannot be read from weeks")
	}
	month, day := max(values['M'], 1), values['D']
	if dayOfYear {
		month, day = 1, values['d']
	}
	hour := values['H']
	if halfDay {
		if hour = values['h']; hour == 12 {
			hour = 0
		}
		if values['P'] == 1 {
			hour += 12
		}
	}
	year := values['Y']
	if year >= 0 && year <= 99 {
		year += 1900
	}
	t := time.Date(int(year), time.Month(int(month)), int(day), int(hour), int(values['m']), int(values['s']), 0, time.UTC)
	zone := values['Z']
	if zone == 0 {
		zone = values['z']
	}
	return float64(t.UnixMilli()) + math.Round(values['f']) - zone*60_000
}

var monthNames = func() (names []string) {
	for m := time.January; m <= time.December; m++ {
		names = append(names, m.String())
	}
	return names
}()

var dayNames = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// nameNumber is the number from 1 of a name, or of its beginning of so many letters, in
// any case.
func nameNumber(names []string, text string, most int) (int, bool) {
	i := slices.IndexFunc(names, func(name string) bool {
		if most >= 0 && len(name) > most {
			name = name[:most]
		}
		return strings.EqualFold(name, text)
	})
	return i + 1, i >= 0
}
