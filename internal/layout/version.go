package layout

import (
	"regexp"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"
)

// The kinds of freight that a version may be of.
const (
	OfMerges = "merges" // it names the commit of a merge
	OfTags   = "tags"   // it is a version by which a commit is tagged
)

// isVersion reports whether a text is a complete version, as 1.4.2 and v1.4.2 are.
func isVersion(text string) bool {
	_, err := semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
	return err == nil
}

// These match the names of commits, with what may stand in front of them.
var (
	wholeCommit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)[0-9a-f]{40}$`) })
	shortCommit = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:[A-Za-z]+[-_.])?)[0-9a-f]{7,12}$`)
	})
)

// freight returns the kind of freight that a version names, the text before that name, and the word of ${api.word} that
// a promotion writes. A version that says nothing, such as `latest`, becomes the short name of a commit.
func freight(text string) (kind, before, word string) {
	switch whole, short := wholeCommit().FindStringSubmatch(text), shortCommit().FindStringSubmatch(text); {
	case isVersion(text) && strings.HasPrefix(text, "v"):
		return OfTags, "", "tag"
	case isVersion(text):
		return OfTags, "", "version"
	case whole != nil:
		return OfMerges, whole[1], "commit"
	case short != nil:
		return OfMerges, short[1], "short"
	}
	return OfMerges, "", "short"
}
