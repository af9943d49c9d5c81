package config

import (
	"github.com/Masterminds/semver/v3"

	"waybill/promotion"
)

// maxRange bounds a range of versions: people write shorter ones, and each tag is compared with all of it.
const maxRange = 200

// namesPrerelease finds a pre-release in a range, as in ">=1.2.0-rc.1". In "1.2 - 1.4" the dash stands alone.
var namesPrerelease = expressed(`\d-[0-9A-Za-z]`)

// The values of `order`.
const (
	byVersion = "version"
	byDate    = "date"
)

// compileVersions works out which releases or tags a warehouse takes.
func compileVersions(r *reader, w *promotion.Warehouse, f versionsFile, home promotion.Repo) {
	w.Repo = promotion.Repo(f.repo.or(string(home)))
	w.Versions = promotion.Versions{Prefix: f.prefix.or(""), Prereleases: f.prereleases.or(false),
		ByDate: f.order.or(byVersion) == byDate}
	if !f.versions.good() || !f.versions.given() {
		return
	}
	r = r.key("versions")
	text := f.versions.value
	of, err := semver.NewConstraint(text)
	switch {
	case err != nil || len(text) > maxRange:
		r.errorf(f.versions.at, "%s is not a range of versions; write comparisons such as \">=1.2 <3\", \"^1.4\" or \"1.x\"",
			quote(text))
		return
	case namesPrerelease.MatchString(text) && !w.Versions.Prereleases:
		r.errorf(f.versions.at, "%s names a pre-release, and pre-releases make no freight here; add `prereleases: "+
			"true`, or take it out", quote(text))
	}
	of.IncludePrerelease = w.Versions.Prereleases
	w.Versions.Range = of
}
