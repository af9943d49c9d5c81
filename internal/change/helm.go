package change

import (
	"regexp"
	"sync"

	"waybill/internal/keypath"
)

// Chart.yaml lists the versions of the other charts that a chart depends on.

// DependencyKey returns the key of the version of a dependency.
func DependencyKey(chart string) string {
	return keypath.Path{
		{Kind: keypath.ByKey, Key: "dependencies"},
		{Kind: keypath.ByMatch, Where: []string{"name"}, Is: chart},
		{Kind: keypath.ByKey, Key: "version"},
	}.String()
}

// version matches one exact version of a chart. It does not match ranges, because a promotion deploys one version.
var version = sync.OnceValue(func() *regexp.Regexp {
	const number, names = `(0|[1-9][0-9]*)`, `[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*`
	return regexp.MustCompile(`^v?` + number + `(\.` + number + `){0,2}(-` + names + `)?(\+` + names + `)?$`)
})

func acceptVersion(_, value string) string {
	if !version().MatchString(value) {
		return "the version of a chart is written as 1.4.2 or 1.4.2-rc.1"
	}
	return ""
}
