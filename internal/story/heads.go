package story

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"waybill/promotion"
)

// heads gives freight that is called by its commit the name that a story knows it by: api@k1 is what was printed first.
// No two worlds have the same commits.
type heads map[string]string

var headNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^@]+@([0-9a-f]{10})$`) })

// name returns the name in the story of a freight of the world.
func (h heads) name(freight string) string {
	m := headNames().FindStringSubmatchIndex(freight)
	if m == nil {
		return freight
	}
	commit := freight[m[2]:m[3]]
	if h[commit] == "" {
		h[commit] = fmt.Sprintf("k%d", len(h)+1)
	}
	return freight[:m[2]] + h[commit]
}

// back returns the name in the world of a freight of the story.
func (h heads) back(freight string) string {
	warehouse, name, _ := cutLast(freight, "@")
	for commit, known := range h {
		if known == name {
			return warehouse + "@" + commit
		}
	}
	return freight
}

// reason returns a reason in which freight is called as in the story.
func (h heads) reason(r promotion.Reason) promotion.Reason {
	if r.Code != promotion.Newer {
		return r
	}
	r.Args = slices.Clone(r.Args)
	for i := range r.Args {
		r.Args[i] = h.name(r.Args[i])
	}
	return r
}
