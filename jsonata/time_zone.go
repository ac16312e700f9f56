package jsonata

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // so that every machine has the same time zones
)

// zoneOffset and zoneName are the forms of a time zone.
var (
	zoneOffset = regexp.MustCompile(`^([-+])([01]\d|2[0-3]):?([0-5]\d)$`)
	zoneName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+/-]{1,63}$`)
)

// zones are the time zones that were used, by name.
var zones sync.Map

// timeZone returns the time zone that a text names. "0000" is that of jsonata-js.
func timeZone(text string) (*time.Location, error) {
	if text == "Z" || text == "UTC" || text == "0000" {
		return time.UTC, nil
	}
	if parts := zoneOffset.FindStringSubmatch(text); parts != nil {
		return time.FixedZone("", 60*signedMinutes(parts[1]+parts[2], parts[3])), nil
	}
	if known, ok := zones.Load(text); ok {
		return known.(*time.Location), nil //nolint:forcetypeassert // it is stored below
	}
	if zoneName.MatchString(text) && text != "Local" {
		if zone, err := time.LoadLocation(text); err == nil {
			zones.Store(text, zone)
			return zone, nil
		}
	}
	return nil, fmt.Errorf("unknown time zone %q: expected a name such as Europe/Berlin, UTC, Z, or an offset such as +02:00 or +0200", brief(text))
}

// signedMinutes is an offset of hours, which have a sign, and minutes.
func signedMinutes(hours, minutes string) int {
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if hours[0] == '-' {
		m = -m
	}
	return 60*h + m
}

// CheckText returns what is wrong with a text as the i-th argument, from 0, of which nothing
// is known before it runs but for time zones.
func (b *Builtin) CheckText(i int, text string) error {
	if b.Area != AreaTime || i != len(b.params.params)-1 || b.Name == "toMillis" {
		return nil
	}
	_, err := timeZone(text)
	return err
}
