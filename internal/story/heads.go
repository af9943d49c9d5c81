package story

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"waybill/promotion"
)

// heads maps commits that name freight to their names in the story: k1, k2, ... in the order of their first outcomes,
// as in api@k1. Commits differ between worlds.
type heads map[string]string

var headNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^@]+@([0-9a-f]{10})$`) })

// name returns the story's name of a freight.
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

// back returns the world's name of a freight.
func (h heads) back(freight string) string {
	warehouse, name, _ := cutLast(freight, "@")
	for commit, known := range h {
		if known == name {
			return warehouse + "@" + commit
		}
	}
	return freight
}

// reason returns a reason with the story's names of freight.
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
