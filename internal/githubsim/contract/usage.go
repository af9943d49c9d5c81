package contract

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Use counts the uses of an operation.
type Use struct {
	Operation string // GitHub's operation ID, or "graphql/<field>" for each top-level field
	Count     int
}

// usage counts operations. The zero value is ready.
type usage struct {
	mu     sync.Mutex
	counts map[string]int
}

// note counts the operations of one exchange.
func (u *usage) note(operations []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts == nil {
		u.counts = map[string]int{}
	}
	for _, operation := range operations {
		u.counts[operation]++
	}
}

// used lists the operations by name.
func (u *usage) used() []Use {
	u.mu.Lock()
	defer u.mu.Unlock()
	uses := make([]Use, 0, len(u.counts))
	for operation, count := range maps.All(u.counts) {
		uses = append(uses, Use{operation, count})
	}
	slices.SortFunc(uses, func(a, b Use) int { return cmp.Compare(a.Operation, b.Operation) })
	return uses
}
