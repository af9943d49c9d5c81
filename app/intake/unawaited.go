package intake

import (
	"slices"
	"sync"

	"waybill/promotion"
)

const (
	// unawaitedNames is how many names are kept of a repository, and unawaitedRepos of how many repositories: those where
	// somebody waits for others.
	unawaitedNames = 20
	unawaitedRepos = 1000
)

// unawaited remembers names of signals that have come since the start and for which no pipeline waits: a pipeline file
// may have misspelt one of them.
type unawaited struct {
	mu   sync.Mutex
	kept map[promotion.Repo][]promotion.Signal
}

// note remembers the name of a signal, if there is room for it.
func (u *unawaited) note(repo promotion.Repo, g *promotion.Signal) {
	one := promotion.Signal{Kind: g.Kind, App: g.App, Name: g.Name}
	if one.Kind == "" || one.Name == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	some, known := u.kept[repo]
	if !known && len(u.kept) >= unawaitedRepos || len(some) >= unawaitedNames {
		return
	}
	if !slices.Contains(some, one) {
		u.kept[repo] = append(some, one)
	}
}

// Unawaited returns names of signals that have come in a repository since the start and for which no pipeline waits.
func (in Inbox) Unawaited(repo promotion.Repo) []promotion.Signal {
	in.unawaited.mu.Lock()
	defer in.unawaited.mu.Unlock()
	return slices.Clone(in.unawaited.kept[repo])
}
