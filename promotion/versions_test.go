package promotion_test

import (
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func versions(t *testing.T, of string, prereleases bool) promotion.Versions {
	t.Helper()
	v := promotion.Versions{Prereleases: prereleases}
	if of != "" {
		var err error
		v.Range, err = semver.NewConstraint(of)
		require.NoError(t, err)
		v.Range.IncludePrerelease = prereleases
	}
	return v
}

func TestWhichTagsAWarehouseTakes(t *testing.T) {
	for _, c := range []struct {
		name, of, prefix string
		prereleases      bool
		tag, version     string // version: none if it is not taken
	}{
		{"a version", "", "", false, "1.4.2", "1.4.2"},
		{"a version with a v", "", "", false, "v1.4.2", "1.4.2"},
		{"a version with metadata of its build", "", "", false, "v1.4.2+7", "1.4.2+7"},
		{"not a tag that is no version", "", "", false, "latest", ""},
		{"not a tag that moves from version to version", "", "", false, "v1", ""},
		{"not half a version", "", "", false, "v1.4", ""},
		{"not two letters before it", "", "", false, "vv1.4.2", ""},
		{"a version in the range", ">=1.2 <3", "", false, "v2.9.9", "2.9.9"},
		{"not the end of the range", ">=1.2 <3", "", false, "v3.0.0", ""},
		{"not what is before the range", ">=1.2 <3", "", false, "v1.1.9", ""},
		{"one of two ranges", "~1.4.2 || ^3", "", false, "v3.7.0", "3.7.0"},
		{"no pre-release", "", "", false, "v1.4.2-rc.1", ""},
		{"no pre-release in the range either", ">=1.2 <3", "", false, "v1.4.2-rc.1", ""},
		{"a pre-release where they are wanted", "", "", true, "v1.4.2-rc.1", "1.4.2-rc.1"},
		{"a pre-release in the range", ">=1.2 <3", "", true, "v1.4.2-rc.1", "1.4.2-rc.1"},
		{"not the pre-release of where the range begins", ">=1.2 <3", "", true, "v1.2.0-rc.1", ""},
		{"behind a prefix", "", "api/", false, "api/v1.4.2", "1.4.2"},
		{"not without the prefix", "", "api/", false, "v1.4.2", ""},
		{"not behind another prefix", "", "api/", false, "web/v1.4.2", ""},
		{"not behind a prefix that nobody has named", "", "", false, "api/v1.4.2", ""},
	} {
		v := versions(t, c.of, c.prereleases)
		v.Prefix = c.prefix
		got, taken := v.Of(c.tag)
		require.Equal(t, c.version != "", taken, "%s: %s", c.name, c.tag)
		if taken {
			require.Equal(t, c.version, got.String(), c.name)
		}
	}
}

func TestAReleaseIsFreightOfWhatItIs(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReleases, Repo: "acme/api",
		Versions: promotion.Versions{ByDate: true}}
	release := promotion.Tagged{Tag: "v1.4.2", SHA: "0123456789abcdef", At: fixture.Noon.In(time.FixedZone("x", 3600)),
		Release: 99, Title: "Better", Author: promotion.Actor{ID: 7, Login: "ann"}}
	f, is := w.Versioned(release)
	require.True(t, is)
	require.Equal(t, promotion.Freight{
		ID: f.ID, Warehouse: "api", Name: "api@v1.4.2", Merged: fixture.Noon, Number: 99, Repo: "acme/api",
		SHA: release.SHA, Author: release.Author, Title: "Better",
		Hands:    promotion.Hands{All: []promotion.Hand{{Part: promotion.PublisherPart, By: release.Author}}, Unread: true},
		Contents: promotion.Contents{Tag: "v1.4.2", Version: "1.4.2"},
	}, f)
	for key, want := range map[string]string{"tag": "v1.4.2", "version": "1.4.2", "commit": "0123456789abcdef",
		"short": "0123456", "name": "api@v1.4.2"} {
		got, has := f.Value(key)
		require.True(t, has, key)
		require.Equal(t, want, got, key)
		require.Contains(t, w.Keys(), key)
	}
	_, has := f.Value("number")
	require.False(t, has, "there is no pull request")
	require.Len(t, w.Keys(), 5)

	candidate := release
	candidate.Tag = "v1.4.3"
	again, _ := w.Versioned(candidate)
	require.NotEqual(t, f.ID, again.ID, "two releases of one commit are two pieces of freight")
	release.Prerelease = true
	_, is = w.Versioned(release)
	require.False(t, is, "its author says that it is a pre-release, whatever its version says")
	w.Versions.Prereleases = true
	_, is = w.Versioned(release)
	require.True(t, is)
	release.SHA = ""
	_, is = w.Versioned(release)
	require.False(t, is, "a release without a commit is nothing that could be promoted")
}
