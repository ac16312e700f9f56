package diag_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain, naïve 日本 🎉\n\ttab\r\nline": "plain, naïve 日本 🎉\n\ttab\r\nline",
		"\x1b[31mred\x07":                  `\u001b[31mred\u0007`,
		"over\rwritten":                    `over\u000dwritten`,
		"user\u202etxt.exe":                `user\u202etxt.exe`,
		"zero\u200bwidth\ufeff":            `zero\u200bwidth\ufeff`,
		"tag\U000E0041":                    `tag\udb40\udc41`,
		"c1\u009b31m":                      `c1\u009b31m`,
		"broken \xff bytes":                "broken \xff bytes",
	} {
		if got := diag.Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"a\u202eb\U000E0041c", "\u200b"} {
		b, _ := json.Marshal(text)
		var back string
		if err := json.Unmarshal([]byte(diag.Visible(string(b))), &back); err != nil || back != text {
			t.Errorf("%s: %q, %v", b, back, err)
		}
	}
}
