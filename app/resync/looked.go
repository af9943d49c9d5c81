package resync

import "sync"

// looked remembers what the repositories of each installation held when they were last looked into for a pipeline. One
// that only allows others to name it is not read again as long as it holds the same, so that the search goes on behind
// those that it had time for.
type looked struct {
	mu sync.Mutex
	at map[int64]map[reached]string // by installation
}

// isNews reports whether a repository holds something else than when it was last looked into.
func (l *looked) isNews(at reached, has string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[at.installation][at] != has
}

// note remembers what a repository held.
func (l *looked) note(at reached, has string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[int64]map[reached]string{}
	}
	if l.at[at.installation] == nil {
		l.at[at.installation] = map[reached]string{}
	}
	l.at[at.installation][at] = has
}

// keep forgets the repositories of an installation that are not among some.
func (l *looked) keep(installation int64, some map[reached]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := range l.at[installation] {
		if !some[at] {
			delete(l.at[installation], at)
		}
	}
}
