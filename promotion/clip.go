package promotion

import (
	"strings"
)

// Clip cuts s to n bytes at most, at a rune.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-3], "") + "..."
}
