package layout

import (
	"io/fs"
	"regexp"
	"strings"
	"sync"
)

// remote matches the address of a remote in a Git configuration, with its owner and name.
var remote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\[remote "origin"\][^\[]*?url\s*=\s*\S*[:/]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+)`)
})

// Origin returns the repository that a clone was made of, as owner/name; "" if its configuration does not say.
func Origin(repository fs.FS) string {
	text, err := fs.ReadFile(repository, ".git/config")
	if err != nil {
		return ""
	}
	m := remote().FindStringSubmatch(string(text))
	if m == nil {
		return ""
	}
	return strings.TrimSuffix(m[1], ".git")
}

// Builds reports whether the repository builds an image itself: then it holds the application, too.
func Builds(repository fs.FS) bool {
	for _, pattern := range []string{"Dockerfile", "*/Dockerfile", "*/*/Dockerfile", "Containerfile"} {
		if found, err := fs.Glob(repository, pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// Source guesses the repository of an application from its image: ghcr.io names images after repositories, in the
// simplest case. It returns "" where nothing can be guessed.
func (a App) Source() string {
	parts := strings.Split(a.Image, "/")
	if len(parts) != 3 || parts[0] != "ghcr.io" {
		return ""
	}
	return parts[1] + "/" + parts[2]
}
