package driver

import (
	"strings"
	"unicode/utf8"
)

// symbolForNUL stands in texts for the character NUL. People write it into titles and comments through GitHub's API.
const symbolForNUL = "\u2400"

// Storable returns a text as every database can store it: in valid UTF-8, and without the character NUL, for which
// PostgreSQL has no place.
func Storable(text string) string {
	if strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", symbolForNUL)
}
