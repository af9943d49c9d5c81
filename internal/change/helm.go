package change

import (
	"regexp"
	"sync"

	"waybill/internal/keypath"
)

// A chart says in Chart.yaml which versions of other charts it is made of.

// DependencyKey is the key of the version of a chart that another one depends on.
func DependencyKey(chart string) string {
	return keypath.Path{
		{Kind: keypath.ByKey, Key: "dependencies"},
		{Kind: keypath.ByMatch, Where: []string{"name"}, Is: chart},
		{Kind: keypath.ByKey, Key: "version"},
	}.String()
}

// version is one version of a chart, and no range: what is promoted is one thing.
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
