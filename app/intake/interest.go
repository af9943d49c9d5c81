package intake

import (
	"context"
	"sync"

	"waybill/handlers"
	"waybill/promotion"
)

// unsettled are the deliveries that may change pipeline files and have not been handled. While there are any, nothing
// is said to be of no interest: it may be to the files that are on their way.
type unsettled struct {
	mu      sync.Mutex
	cleared bool            // those of an earlier process have been handled
	waiting map[string]bool // by their GUIDs; whether they are in the inbox
}

// add notes a delivery that comes. It reports whether it was not noted before.
func (u *unsettled) add(guid string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, noted := u.waiting[guid]; noted {
		return false
	}
	u.waiting[guid] = false
	return true
}

// stored notes that a delivery is in the inbox, unless it has been dealt with already.
func (u *unsettled) stored(guid string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, noted := u.waiting[guid]; noted {
		u.waiting[guid] = true
	}
}

// inInbox lists the deliveries that are in the inbox, or have been there.
func (u *unsettled) inInbox() (all []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for guid, stored := range u.waiting {
		if stored {
			all = append(all, guid)
		}
	}
	return all
}

// remove notes that a delivery has been dealt with.
func (u *unsettled) remove(guid string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.waiting, guid)
}

// clear notes that the inbox has been seen empty after some deliveries were in it: none of an earlier process waits,
// and those have been handled, perhaps by another server.
func (u *unsettled) clear(handled []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cleared = true
	for _, guid := range handled {
		delete(u.waiting, guid)
	}
}

// none reports whether there are none.
func (u *unsettled) none() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cleared && len(u.waiting) == 0
}

// uninteresting reports whether a delivery tells nothing that any pipeline could have an interest in, which the
// pipeline files and the facts show without decoding it. It is as if it were handled now.
func (in Inbox) uninteresting(ctx context.Context, d *handlers.Delivery) (bool, error) {
	g := d.Glance
	switch {
	case g.Signal != nil && g.Signal.Kind == "":
		awaited, err := in.store.Await(ctx, g.Signal)
		return !awaited, err
	case !in.unsettled.none():
		return false, nil
	}
	if err := in.pipelines.Follow(ctx, in.store); err != nil {
		return false, err
	}
	switch {
	case g.Signal != nil && !in.pipelines.Awaits(g.Signal):
		if in.pipelines.AwaitsIn(d.Repo) {
			in.unawaited.note(d.Repo, g.Signal)
		}
		awaited, err := in.store.Await(ctx, g.Signal)
		return !awaited, err
	case g.Branch != "":
		on := promotion.Branch{Repo: d.Repo, Name: g.Branch}
		if in.pipelines.Uses(on) {
			return false, nil
		}
		used, err := in.store.UseBranch(ctx, on)
		return !used, err
	}
	if g.Candidate && len(in.pipelines.Guarding(d.Repo)) == 0 {
		return true, nil
	}
	if g.Within == 0 || in.pipelines.Concerns(d.Repo) {
		return false, nil
	}
	used, err := in.store.UseRepository(ctx, g.Within, d.Repo)
	return !used, err
}
