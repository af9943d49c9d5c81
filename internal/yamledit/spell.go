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

// spell returns how value is written in the place of old, which is now spelled text. The kind of quotes stays; a value
// without quotes gets double ones where it would not be read as the same text by every YAML reader.
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

// sameKind reports whether old is a number and so is value, or a truth value and so is value. Only the one usual
// spelling of a number counts, because any other is text that looks like one: 012, 1e3 and 1.10 are versions and short
// commit names, and a reader of numbers would lose part of them.
func sameKind(old *yaml.Node, value string) bool {
	switch old.ShortTag() {
	case "!!int", "!!float":
		return usualNumber(value)
	case "!!bool":
		return value == "true" || value == "false"
	}
	return false
}

// exact is the largest whole number up to which readers that know only floating point are exact.
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

// plain reports whether a value needs no quotes anywhere: inside and outside of brackets every YAML reader takes it for
// the same text.
func plain(value string) bool { return harmless().MatchString(value) && !typed().MatchString(value) }

// harmless are letters, digits and marks without a meaning of their own, where a colon is followed by one of them and a
// blank stands alone.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_/]([ :]?[A-Za-z0-9_/.+@~^$%=()-])*$`)
})

// typed is what some YAML reader, 1.1 or 1.2, takes for something else than text.
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

// printable reports whether a value can stand in single quotes on one line.
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
