package markedit

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// value is the position of a value in a file, without its quotes.
type value struct {
	start, end int
	quoted     bool
}

// quoted matches quoted text at the end of a line, before any closing brackets. It does not match quotes with prefixes
// or escapes.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\\\w"'` + "`" + `])(?:"([^"'\\` + "`" + `]*)"|'([^"'\\` + "`" + `]*)')[ \t,;)\]}]*$`)
})

// bare are the ways in which one word can be the value of a line: behind what it is assigned to, behind another word,
// or alone.
var bare = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^[^=:]*(?:=|:=|:[ \t])[ \t]*([^\s,;=]+)[ \t,;]*$`),
		regexp.MustCompile(`^[ \t]*[^\s=]+[ \t]+([^\s,;=]+)[ \t,;]*$`),
		regexp.MustCompile(`^[ \t]*([^\s,;=]+)[ \t,;]*$`),
	}
})

// value finds the value of a line. The reason completes a sentence that begins with the line.
func (l line) value() (v value, reason string) {
	if strings.TrimSpace(l.text) == "" {
		return value{}, "is empty, and has no value"
	}
	if strings.ContainsAny(l.text, "\"'`") {
		return l.inQuotes()
	}
	for _, way := range bare() {
		if at := way.FindStringSubmatchIndex(l.text); at != nil {
			return value{start: l.start + at[2], end: l.start + at[3]}, ""
		}
	}
	return value{}, "does not say which word is its value; put the value in quotes, or write it as " +
		"NAME=VALUE or NAME: VALUE"
}

func (l line) inQuotes() (value, string) {
	at := quoted().FindStringSubmatchIndex(l.text)
	if at == nil || strings.Count(l.text, `"`)%2 != 0 {
		return value{}, "does not end with a value in plain quotes"
	}
	if at[2] < 0 {
		at[2], at[3] = at[4], at[5]
	}
	return value{start: l.start + at[2], end: l.start + at[3], quoted: true}, ""
}

// word matches text that is one plain word in every kind of file.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./:@+~-]*$`) })

// takes returns an error if text cannot be written in place of the value.
func (v value) takes(text string) error {
	if reason := Refuse(text); reason != "" {
		return errors.New(reason)
	}
	if !v.quoted && !word().MatchString(text) {
		return errors.New("the new value is more than a word, and the file has no quotes around the value; put some there")
	}
	return nil
}

// Refuse returns the reason why text cannot be the value of a marked line, or "". The program that reads the file is
// not known, so text with quotes, escapes or substitutions is refused: it could mean more than itself.
func Refuse(text string) string {
	if strings.ContainsAny(text, "\"'`\\$%{}") ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "a marked value has no quotes, no \\ $ % { } and nothing that cannot be seen"
	}
	return ""
}
