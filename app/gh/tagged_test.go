package gh

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestAReleaseIsReadWithTheCommitOfItsTag(t *testing.T) {
	k := newKit(t)
	first := promotion.SHA(k.Head(repo, "main"))
	require.NoError(t, k.PublishRelease(repo, "ann", "v1.0.0", true))
	k.clock.Advance(time.Minute)
	second := k.push(map[string]string{"README.md": "2\n"})
	require.NoError(t, k.PublishRelease(repo, "ann", "v1.1.0", false))
	require.NoError(t, k.DraftRelease(repo, "ann", "v1.2.0"))

	seen, found, err := k.client.Releases.Read(t.Context(), "v1.0.0")
	require.NoError(t, err)
	require.True(t, found)
	ann := promotion.Actor{ID: k.AccountID("ann"), Login: "ann"}
	require.Equal(t, promotion.Tagged{
		Tag: "v1.0.0", SHA: first, At: noon, Release: seen.Release, Prerelease: true, Title: "v1.0.0", Author: ann,
	}, seen)
	for _, tag := range []string{"v1.2.0", "v9.9.9"} {
		_, found, err = k.client.Releases.Read(t.Context(), tag)
		require.NoError(t, err)
		require.False(t, found, "a draft, and what is not there")
	}

	require.Equal(t, 1, k.asked(func() {
		all, err := k.client.Releases.List(t.Context(), noon)
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, promotion.Tagged{
			Tag: "v1.1.0", SHA: second, At: noon.Add(time.Minute), Release: all[0].Release, Title: "v1.1.0", Author: ann,
		}, all[0])
		require.Equal(t, seen, all[1])
		require.Greater(t, all[0].Release, all[1].Release, "the numbers of releases grow")
	}))
	require.NoError(t, k.DeleteRelease(repo, "v1.0.0"))
	_, found, err = k.client.Releases.Read(t.Context(), "v1.0.0")
	require.NoError(t, err)
	require.False(t, found)
}

func TestATagIsDatedByItsCommit(t *testing.T) {
	k := newKit(t)
	first := promotion.SHA(k.Head(repo, "main"))
	k.clock.Advance(time.Minute)
	second := k.push(map[string]string{"README.md": "2\n"})
	k.clock.Advance(time.Minute)
	require.NoError(t, k.PushTag(repo, "ann", "api/v1.0.0", string(first)))
	require.NoError(t, k.PushTag(repo, "ann", "api/v1.1.0", "main"))

	seen, found, err := k.client.Tags.Read(t.Context(), "api/v1.0.0")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, promotion.Tagged{Tag: "api/v1.0.0", SHA: first, At: noon, Author: seen.Author}, seen)
	_, found, err = k.client.Tags.Read(t.Context(), "main")
	require.NoError(t, err)
	require.False(t, found, "a branch is no tag")
	all, err := k.client.Tags.List(t.Context(), noon)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, promotion.Tagged{
		Tag: "api/v1.1.0", SHA: second, At: noon.Add(time.Minute),
		Author: promotion.Actor{ID: k.AccountID("ann"), Login: "ann"},
	}, all[0], "the newest commit first")
	require.Equal(t, seen, all[1])
}

func TestAnAnnotatedTagHasADateOfItsOwn(t *testing.T) {
	const byAnn = `"tagger": {"date": "2026-03-02T12:00:00Z", "user": {"databaseId": 7, "login": "ann"}}, `
	answer := ""
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(string(asked), "... on Tag {"), "each link of a chain has to be asked for")
		fmt.Fprintf(w, `{"data": {"repository": {"one": {"name": "v1.0.0", "target": {"oid": "t1", %s}}}}}`, answer)
	})
	for _, row := range []struct {
		name, answer string
		want         promotion.Tagged
		found        bool
	}{
		{"annotated", `"tagger": {"date": "2026-03-02T14:00:00+02:00", "user": {"databaseId": 7, "login": "ann"}}, ` +
			`"target": {"commit": "c1", "committedDate": "2026-01-01T00:00:00Z"}`,
			promotion.Tagged{Tag: "v1.0.0", SHA: "c1", At: noon, Author: promotion.Actor{ID: 7, Login: "ann"}}, true},
		{"by nobody known", `"tagger": {"date": "2026-03-02T12:00:00Z", "user": null}, "target": {"commit": "c1", ` +
			`"committedDate": "2026-01-01T00:00:00Z"}`,
			promotion.Tagged{Tag: "v1.0.0", SHA: "c1", At: noon}, true},
		{"without a tagger", `"tagger": null, "target": {"commit": "c1", "committedDate": "2026-03-02T12:00:00Z"}`,
			promotion.Tagged{Tag: "v1.0.0", SHA: "c1", At: noon}, true},
		{"of a tag", byAnn + `"target": {"target": {"commit": "c1", "committedDate": "2026-01-01T00:00:00Z"}}`,
			promotion.Tagged{Tag: "v1.0.0", SHA: "c1", At: noon, Author: promotion.Actor{ID: 7, Login: "ann"}}, true},
		{"of a tag of a tag", `"tagger": null, "target": {"target": {"target": {"commit": "c1", "committedDate": ` +
			`"2026-03-02T12:00:00Z"}}}`,
			promotion.Tagged{Tag: "v1.0.0", SHA: "c1", At: noon}, true},
		{"of tags without end", byAnn + `"target": {"target": {"target": {}}}`, promotion.Tagged{}, false},
		{"of a tree", byAnn + `"target": {}`, promotion.Tagged{}, false},
		{"of a tag of a tree", byAnn + `"target": {"target": {}}`, promotion.Tagged{}, false},
		{"a second name of a tree", `"id": "x"`, promotion.Tagged{}, false},
	} {
		answer = row.answer
		seen, found, err := c.Tags.Read(t.Context(), "v1.0.0")
		require.NoError(t, err)
		require.Equal(t, row.found, found, row.name)
		if found {
			require.Equal(t, row.want, seen, row.name)
		}
	}
}

// TestReleasesAreListedAsFarAsTheyAreNewF44 has pages of a hundred releases; the second page has one new release.
func TestReleasesAreListedAsFarAsTheyAreNewF44(t *testing.T) {
	asked := 0
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		published := []string{
			"2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z",
		}[asked-1]
		one := fmt.Sprintf(`{"databaseId": %d, "tagName": "v1.0.%d", "publishedAt": %q, "tagCommit": {"oid": "c1"}}`, asked,
			asked, published)
		draft := `{"databaseId": 99, "tagName": "v2.0.0", "isDraft": true, "publishedAt": null, "tagCommit": null}`
		fmt.Fprintf(w, `{"data": {"repository": {"page": {"nodes": [%s], "pageInfo": {"hasNextPage": true, "endCursor": `+
			`"x"}}}}}`, strings.Join([]string{draft, one}, ","))
	})
	all, err := c.Releases.List(t.Context(), noon)
	require.NoError(t, err)
	require.Len(t, all, 3, "nothing of the third page is new, and nobody asks for the fourth")
}
