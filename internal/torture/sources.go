package torture

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// source is something that people or CI have brought about and that is freight: a merged pull request, a push, a
// release, a tag or a report.
type source struct {
	warehouses []string
	kind       string // of the warehouse, as the pipeline file calls it
	repo       string
	number     int // of the pull request, if it is one
	sha        string
	tag        string // of a release or tag
	version    string // of those and of a report
	author     string
	at         time.Time // by which it is in order
	nth        int       // of the same second
	doubtful   bool      // it may be freight or not: it was taken back, or nobody knows whether it was told
}

// name is what freight of a source is called in a warehouse.
func (s source) name(warehouse string) string {
	switch s.kind {
	case "pushes":
		return warehouse + "@" + s.sha[:10]
	case "releases", "tags":
		return warehouse + "@" + s.tag
	case "reports":
		return warehouse + "@" + s.version
	}
	return fmt.Sprintf("%s#%d", warehouse, s.number)
}

// ref is what commands call it by.
func (s source) ref() string {
	if s.number == 0 && len(s.warehouses) > 0 {
		return s.name(s.warehouses[0])
	}
	return fmt.Sprintf("#%d", s.number)
}

// value is what stages write of it.
func (s source) value() string {
	if s.version != "" {
		return s.version
	}
	return s.sha[:7]
}

// sourceOf returns what a promotion promotes.
func (f *Sources) sourceOf(p promo) (source, bool) {
	for _, s := range f.sources {
		if slices.Contains(s.warehouses, p.warehouse) && s.name(p.warehouse) == p.name {
			return s, true
		}
	}
	return source{}, false
}

// inOrder lists what a warehouse takes, the oldest first.
func (f *Sources) inOrder(warehouse string) []source {
	all := slices.DeleteFunc(slices.Clone(f.sources), func(s source) bool { return !slices.Contains(s.warehouses, warehouse) })
	slices.SortFunc(all, func(a, b source) int { return cmp.Or(a.at.Compare(b.at), a.nth-b.nth) })
	return all
}

// at names a commit: that of a promotion or of a source.
func (f *Sources) at(sha string) string {
	for _, p := range f.db.seen.promotions {
		if p.mergeSHA == sha {
			return fmt.Sprintf("m%d", p.number)
		}
	}
	for _, s := range f.sources {
		if s.sha == sha {
			return fmt.Sprintf("c%d", s.number)
		}
	}
	return fmt.Sprintf("(%.7s)", sha)
}

// Sources are what people and CI have brought about that is freight.
type Sources struct {
	db *Database

	sources []source
	images  map[string]bool // what has one
}
