package hub

import (
	"time"

	"waybill/internal/githubsim/gitstore"
)

// lagLasts is longer than GitHub's servers differ, so that lag alone never keeps a client from its end. Unverified.
const lagLasts = 5 * time.Second

// Lag hides the newest writes from requests. GitHub has many servers, and a request may reach one that has not heard
// yet of a write that GitHub has answered.
type Lag struct {
	clock    *Clock
	requests int // that do not see a write
	count    int // of requests so far
}

// mark is the time of a write.
type mark struct {
	request int
	at      time.Time
}

// Set hides each write from so many later requests, if they come within lagLasts; 0 hides none.
func (l *Lag) Set(requests int) { l.requests = requests }

func (l *Lag) mark() mark { return mark{l.count, l.clock.Exact()} }

// hides reports whether the current request does not see a write.
func (l *Lag) hides(written mark) bool {
	return l.count-written.request <= l.requests && l.count > written.request &&
		l.clock.Exact().Sub(written.at) < lagLasts
}

// Lists reports whether lists have a pull request.
func (l *Lag) Lists(p *Pull) bool { return !l.hides(p.born) }

// Head returns the head of a pull request, and the time of its last change, as the current request sees them.
func (l *Lag) Head(p *Pull) (sha string, updated time.Time) {
	if p.before.sha != "" && l.hides(p.moved) {
		return p.before.sha, p.before.updated
	}
	return p.HeadSHA, p.Updated
}

// past is a repository before a request.
type past struct {
	mark
	gitstore.Moment
}

// begin counts a request, and has each repository show it the state before the writes that it does not see.
func (l *Lag) begin(repos *Repos) {
	if l.requests == 0 {
		if l.count > 0 {
			l.end(repos)
		}
		return
	}
	l.count++
	for _, r := range repos.Sorted() {
		r.past = append(r.past, past{l.mark(), r.git.Moment()})
		for len(r.past) > 0 && !l.hides(r.past[0].mark) && r.past[0].request != l.count {
			r.past = r.past[1:]
		}
		r.seen = r.git.At(r.past[0].Moment)
	}
}

// end has all repositories show their present state.
func (l *Lag) end(repos *Repos) {
	for _, r := range repos.Sorted() {
		r.past, r.seen = nil, nil
	}
	l.count = 0
}
