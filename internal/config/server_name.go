package config

import (
	"strings"
	"unicode"
)

const maxServerName = 64

// isServerName reports whether the name begins with a letter or a number, followed by
// letters, numbers and _.@- and with single spaces between them.
func isServerName(name string) bool {
	afterSpace := true
	for i, c := range name {
		switch {
		case unicode.IsLetter(c) || unicode.IsNumber(c) || i > 0 && strings.ContainsRune("_.@-", c):
			afterSpace = false
		case c == ' ' && !afterSpace:
			afterSpace = true
		default:
			return false
		}
	}
	return !afterSpace
}

// LegalName returns the nearest legal spelling of a server's name.
func LegalName(name string) string {
	legal := strings.Map(func(c rune) rune {
		if isServerName(string(c)) || strings.ContainsRune("_.-", c) {
			return c
		}
		return '-'
	}, name)
	if legal = strings.Trim(legal, "-_. "); legal == "" {
		return "server"
	}
	runes := []rune(legal)
	return strings.Trim(string(runes[:min(len(runes), maxServerName)]), "-_. ")
}
