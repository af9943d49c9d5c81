package promotion

import (
	"time"

	"github.com/Masterminds/semver/v3"
)

// Placed returns freight at its place in the order of its warehouse. Where versions are the order, that is a time and a
// number that stand for the version, and the freight keeps its own in Published and Serial. It takes freight at either
// place, and it takes freight of other warehouses as it is.
func (w *Warehouse) Placed(f Freight) Freight {
	if w.Kind != FromReleases && w.Kind != FromTags {
		return f
	}
	if !f.Published.IsZero() {
		f.Merged, f.Number, f.Published, f.Serial = f.Published, f.Serial, time.Time{}, 0
	}
	if w.Versions.ByDate {
		return f
	}
	f.Published, f.Serial = f.Merged, f.Number
	version, err := semver.NewVersion(f.Version)
	if err != nil { // it is from when the warehouse was of another kind
		f.Merged = f.Merged.AddDate(-beforeVersions, 0, 0)
		return f
	}
	f.Merged, f.Number = placeOf(version)
	return f
}

// beforeVersions is by how many years freight without a version is moved, so that it comes before all versions.
const beforeVersions = 200

// The limits of the numbers of a version in its place, so that versions made of dates keep their order. Larger numbers
// count as the largest.
const (
	mostOfMajor = 1<<25 - 1
	mostOfOther = 1<<32 - 1
	itself      = 1 << 30 // behind all pre-releases of a version
	mostOfPre   = 1<<20 - 1
)

// placeOf returns what stands for a version in the order of a warehouse: for major and minor a time that nothing is
// published at, in the first microseconds of Unix, and a number for the rest. Pre-releases count by the first two
// letters of their name and the last number in it.
func placeOf(v *semver.Version) (at time.Time, number int) {
	major, minor := int64(min(v.Major(), mostOfMajor)), int64(min(v.Minor(), mostOfOther))
	pre := itself
	if name := v.Prerelease(); name != "" {
		second := 0
		if letterOf(name) > 0 && len(name) > 1 {
			second = letterOf(name[1:])
		}
		pre = (letterOf(name)<<5|second)<<20 | min(countOf(name), mostOfPre)
	}
	return time.UnixMicro(1 + major<<32 + minor).UTC(), int(min(v.Patch(), mostOfOther))<<31 | pre
}
