package yamledit

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// spell returns the spelling of value in place of old, whose current spelling is text. The style of quotes stays. A
// value without quotes gets double quotes if some YAML reader would not read it as the same text.
func spell(old *yaml.Node, text, value string) (string, error) {
	if !utf8.ValidString(value) {
		return "", errors.New("the new value is not valid UTF-8")
	}
	if old.Style&yaml.TaggedStyle != 0 && old.ShortTag() != "!!str" {
		return "", fmt.Errorf("it has the tag %s, and only plain values and !!str can be set", old.Tag)
	}
	switch {
	case old.ShortTag() == "!!str" && old.Value == value && (quoted(old) || !typed().MatchString(value)):
		return text, nil
	case old.Style&yaml.SingleQuotedStyle != 0 && printable(value):
		return "'" + strings.ReplaceAll(value, "'", "''") + "'", nil
	case quoted(old):
		return doubleQuoted(value), nil
	case plain(value) || sameKind(old, value):
		return value, nil
	}
	return doubleQuoted(value), nil
}

// sameKind reports whether old and value are both numbers or both booleans. Only the canonical spelling of a number
// counts: 012, 1e3 and 1.10 are versions or short commit names, and reading them as numbers would lose a part of them.
func sameKind(old *yaml.Node, value string) bool {
	switch old.ShortTag() {
	case "!!int", "!!float":
		return usualNumber(value)
	case "!!bool":
		return value == "true" || value == "false"
	}
	return false
}

// exact is the largest integer up to which floating-point numbers are exact.
const exact = 1 << 53

func usualNumber(s string) bool {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.FormatInt(n, 10) == s && -exact <= n && n <= exact
	}
	if !strings.Contains(s, ".") {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && strconv.FormatFloat(f, 'f', -1, 64) == s
}

// plain reports whether every YAML reader reads an unquoted value as the same text, inside and outside of brackets.
func plain(value string) bool { return harmless().MatchString(value) && !typed().MatchString(value) }

// harmless matches letters, digits and punctuation without a meaning in YAML. Such a character follows each colon, and
// blanks are single.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_/]([ :]?[A-Za-z0-9_/.+@~^$%=()-])*$`)
})

// typed matches text that some YAML reader, 1.1 or 1.2, reads as another type than a string.
var typed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(` + strings.Join([]string{
		`null`, `true|false|yes|no|on|off|y|n`,
		`0b[01_]+`, `0o?[0-7_]+`, `0x[0-9a-f_.p+-]+`,
		`[0-9][0-9_]*(:[0-9][0-9_]*)+(\.[0-9_]*)?`, // base 60
		`[0-9][0-9_]*\.?[0-9_]*(e[-+]?[0-9_]+)?`,
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*`, // dates
		`inf|infinity|nan`,
	}, "|") + `)$`)
})

// printable reports whether a value can be written in single quotes on one line.
func printable(value string) bool {
	for _, r := range value {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func doubleQuoted(value string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
