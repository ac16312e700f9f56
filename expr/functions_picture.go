package expr

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A number in a picture can make a long text of a short picture: a Roman numeral
// has one letter M per thousand, and a component of a date has a width.

// romanRest is the longest that a Roman numeral below 1000 is, with a sign.
const romanRest = len("-DCCCLXXXVIII")

// millisPerYear is the mean length of a year.
const millisPerYear = 31_556_952_000

// dateComponent finds the components of a picture of a date, without their "]".
var dateComponent = regexp.MustCompile(`\[[^\]]*`)

// pictureSize is about how many bytes a function makes of a picture, or 0 where
// that is about as many as the picture has.
func pictureSize(name string, args []any) int {
	if len(args) < 2 {
		return 0
	}
	n, isNumber := number(args[0])
	picture, isText := args[1].(string)
	if !isNumber || !isText {
		return 0
	}
	switch name {
	case "formatInteger":
		if token, _, _ := strings.Cut(picture, ";"); token == "i" || token == "I" {
			return romanSize(n)
		}
	case "fromMillis":
		year := romanSize(1970 + math.Abs(n)/millisPerYear)
		size := 0
		for _, component := range dateComponent.FindAllString(strings.ReplaceAll(picture, " ", ""), -1) {
			if strings.HasPrefix(component, "[Y") {
				size += year
			}
			_, widths, _ := strings.Cut(component, ",")
			for _, width := range strings.FieldsFunc(widths, func(r rune) bool { return r < '0' || r > '9' }) {
				n, err := strconv.Atoi(width)
				if err != nil {
					n = math.MaxInt32
				}
				size += min(n, math.MaxInt32)
			}
		}
		return size
	}
	return 0
}

// romanSize is the most letters that a number has as a Roman numeral.
func romanSize(n float64) int {
	return int(min(math.Abs(n)/1000, math.MaxInt32)) + romanRest
}
