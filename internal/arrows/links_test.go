package arrows

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	title     = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	code      = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")
	elsewhere = regexp.MustCompile(`^[a-z]+:`)
)

// TestLinksLeadSomewhere checks that each link between pages leads to a file, and to a heading of it if it names one.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "internal/githubsim/CONFORMANCE.md"}
	for _, pattern := range []string{"docs/*.md", "docs/recipes/*.md", "docs/decisions/*.md"} {
		some, err := fs.Glob(root, pattern)
		require.NoError(t, err)
		pages = append(pages, some...)
	}
	followed := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, page), ""), -1) {
			if elsewhere.MatchString(m[1]) {
				continue
			}
			followed++
			file, heading, _ := strings.Cut(m[1], "#")
			to := page
			if file != "" {
				to = path.Join(path.Dir(page), file)
			}
			if _, err := fs.Stat(root, to); !assert.NoError(t, err, "%s links to %s", page, m[1]) || heading == "" {
				continue
			}
			assert.Contains(t, anchors(read(t, to)), heading, "%s links to %s", page, m[1])
		}
	}
	require.Greater(t, followed, 300)
}

// anchors returns what GitHub makes of the headings of a page to link to them: of equal ones all but the first are
// numbered.
func anchors(text string) (all []string) {
	seen := map[string]bool{}
	for _, m := range title.FindAllStringSubmatch(regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(text, ""), -1) {
		anchor := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchor = strings.ReplaceAll(anchor, " ", "-")
		for n := 0; ; n++ {
			numbered := anchor
			if n > 0 {
				numbered += "-" + string(rune('0'+n))
			}
			if !seen[numbered] {
				seen[numbered] = true
				all = append(all, numbered)
				break
			}
		}
	}
	return all
}
