package record

import (
	"regexp"
	"sync"
)

// secrets are the forms of GitHub's tokens, of JWTs and of keys, and addresses of mail, which are nobody's business.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`gh[a-z]_[A-Za-z0-9_.-]+|github_pat_[A-Za-z0-9_]+|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+|` +
		`-----BEGIN[^-]*-----[^-]*-----END[^-]*-----|v1\.[0-9a-f]{40}|` +
		`[A-Za-z0-9.+_-]+(\[bot\])?@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)
})

// signatures are those of commits: the proof that GitHub made one, and of no use to the reader.
var signatures = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(signature|payload)": ?"(?:[^"\\]|\\.)*"`)
})

// clean takes secrets out of a text.
func clean(text string) string {
	return signatures().ReplaceAllString(secrets().ReplaceAllString(text, "REMOVED"), `"$1":"REMOVED"`)
}
