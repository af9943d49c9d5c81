package promotion

import (
	"cmp"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
)

// Versions says which versions a warehouse takes, and where in a tag they stand.
type Versions struct {
	Range       *semver.Constraints // nil: all
	Prefix      string              // the part of a tag before its version, and before the v of that
	Prereleases bool
	ByDate      bool // freight is in the order of its dates, not of its versions
}

// Tagged is a release, or a tag, as GitHub tells of it.
type Tagged struct {
	Tag        string
	SHA        SHA       // the commit that the tag names
	At         time.Time // when it was published; of a tag without a release, its own date or else that of its commit
	Release    int       // GitHub's number of the release, which orders those of the same second; 0: it is a tag
	Prerelease bool      // its author has marked it as one
	Title      string
	Author     Actor
	Pusher     Hand // of a tag, as far as a webhook has told
}

// Versioned makes the freight of a release or tag, if the warehouse takes its version.
func (w *Warehouse) Versioned(t Tagged) (f Freight, is bool) {
	version, taken := w.Versions.Of(t.Tag)
	if !taken || t.SHA == "" || t.Prerelease && !w.Versions.Prereleases {
		return Freight{}, false
	}
	f = Freight{
		Warehouse: w.Name,
		Name:      w.NameOf(t.Tag),
		Merged:    t.At.UTC(),
		Number:    cmp.Or(t.Release, rank(version)),
		Repo:      w.Repo,
		SHA:       t.SHA,
		Author:    t.Author,
		Title:     t.Title,
		Contents:  Contents{Tag: t.Tag, Version: version.String()},
		Hands:     Hands{All: []Hand{t.publisher()}, Unread: true},
	}
	if t.Release == 0 {
		f.Hands.All = []Hand{t.Pusher.as(PusherPart)}
	}
	f.ID = f.identify()
	return w.Placed(f), true
}

// publisher returns who has published a release. GitHub names nobody for a bot, or for an account that is gone.
func (t *Tagged) publisher() Hand {
	h := Hand{Part: PublisherPart, By: t.Author}
	if h.By.ID == 0 {
		h.Text = "GitHub names no person"
	}
	return h
}

// NameOf returns the name of the freight of a tag, or of the first letters of a commit.
func (w *Warehouse) NameOf(tag string) string { return string(w.Name) + "@" + tag }

// maxTag bounds a tag that is read for its version, which becomes a part of the freight's name.
const maxTag = 200

// Of returns the version that a tag says, and whether the warehouse takes it. Only a whole version counts: v1 and v1.4
// are tags that move.
func (v Versions) Of(tag string) (version *semver.Version, taken bool) {
	rest, has := strings.CutPrefix(tag, v.Prefix)
	version, err := semver.StrictNewVersion(strings.TrimPrefix(rest, "v"))
	if !has || err != nil || len(tag) > maxTag {
		return nil, false
	}
	if version.Prerelease() != "" && !v.Prereleases {
		return version, false
	}
	return version, v.Range == nil || v.Range.Check(version)
}

// The limits of the numbers of a version in its rank. Larger ones count as the largest.
const (
	mostMajor  = 1<<15 - 1
	mostMinor  = 1<<16 - 1
	mostRank   = 1<<16 - 1 // behind all pre-releases of a version: itself
	mostLetter = 1<<5 - 1
	mostCount  = 1<<11 - 2
)

// rank is a number for a version, so that tags of the same date stand in the order of their versions, as release
// candidates and the release itself do that name one commit. Pre-releases count by the first letter of their name and
// the last number in it.
func rank(v *semver.Version) int {
	core := int(min(v.Major(), mostMajor))<<32 | int(min(v.Minor(), mostMinor))<<16 | int(min(v.Patch(), mostMinor))
	last := mostRank
	if pre := v.Prerelease(); pre != "" {
		last = letterOf(pre)<<11 | min(countOf(pre), mostCount)
	}
	return core<<16 | last
}
