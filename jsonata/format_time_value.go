package jsonata

import "time"

// timeValue is a component of a time as a number.
func timeValue(t time.Time, component byte) (v int, known bool) {
	switch component {
	case 'Y':
		return t.Year(), true
	case 'M':
		return int(t.Month()), true
	case 'D':
		return t.Day(), true
	case 'd':
		return t.YearDay(), true
	case 'F':
		return (int(t.Weekday())+6)%7 + 1, true
	case 'W':
		_, week := t.ISOWeek()
		return week, true
	case 'w', 'x':
		month, week := isoMonth(t)
		if component == 'w' {
			return week, true
		}
		return month, true
	case 'X':
		year, _ := t.ISOWeek()
		return year, true
	case 'H':
		return t.Hour(), true
	case 'h':
		return (t.Hour()+11)%12 + 1, true
	case 'm':
		return t.Minute(), true
	case 's':
		return t.Second(), true
	case 'f':
		return t.Nanosecond() / 1e6, true
	}
	return 0, false
}

// isoMonth is the month that the week of a time belongs to, that of its Thursday, and
// the number of the week in it.
func isoMonth(t time.Time) (month, week int) {
	thursday := t.AddDate(0, 0, 4-((int(t.Weekday())+6)%7+1))
	return int(thursday.Month()), (thursday.Day()-1)/7 + 1
}
