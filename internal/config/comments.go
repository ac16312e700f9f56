package config

import "strings"

// BlankComments returns a JSON text with spaces in place of its // and /* */ comments:
// several editors write them into their mcp.json. Every other byte stays in its place.
func BlankComments(src string) string {
	text := strings.TrimLeft(src, "\ufeff \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/*") {
		return src
	}
	out := []byte(src)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '*':
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return src
			}
			for end += i + 4; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return string(out)
}
