package config

import (
	"regexp"
	"sync"
)

// expression is a regular expression. It is compiled when something is first matched: the expressions of all forms cost
// more than the rest of a start, and most commands read no file.
type expression struct {
	text     string
	compiled func() *regexp.Regexp
}

// expressed returns an expression. It panics at the first match if the text is none.
func expressed(text string) expression {
	return expression{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// MatchString reports whether s contains a match.
func (e expression) MatchString(s string) bool { return e.compiled().MatchString(s) }
