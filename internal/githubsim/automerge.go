package githubsim

import "net/http"

// arm lets a pull request merge by itself once its requirements are met. GitHub refuses where nothing is missing: merge it then.
func (w *world) arm(r *repository, p *pull, method string, who *account) error {
	switch {
	case !r.settings.AutoMerge:
		return invalid("Auto merge is not allowed for this repository")
	case !p.open:
		return invalid("Pull request Pull request is closed")
	case p.draft:
		return invalid("Pull request Pull request is in draft state")
	}
	if err := w.test(r, p); err != nil {
		return err
	}
	if r.protections[p.baseRef].MergeQueue && len(w.unmetBesideQueue(r, p)) == 0 {
		_, err := w.enqueue(r, p, false, who)
		return err
	}
	if state := w.mergeableState(r, p); state == "clean" || state == "unstable" {
		return invalid("Pull request Pull request is in %s status", state)
	}
	if err := r.allowsMethod(method); err != nil {
		return err
	}
	p.autoMerge = &autoMerge{by: who, method: method, since: w.now()}
	w.emitPull(r, p, "auto_merge_enabled", who, nil)
	return nil
}

// disarm takes auto-merge back.
func (w *world) disarm(r *repository, p *pull, who *account) {
	if p.autoMerge == nil {
		return
	}
	p.autoMerge = nil
	w.emitPull(r, p, "auto_merge_disabled", who, obj{"reason": "disabled"})
}

// signalled looks after everything that waits for a commit to get better: pull requests that merge by themselves, and merge queues.
func (w *world) signalled(r *repository, sha string) error {
	for _, p := range r.openPulls() {
		if p.autoMerge != nil && p.headSHA == sha {
			if err := w.retryAutoMerge(r, p); err != nil {
				return err
			}
		}
	}
	for _, e := range r.queue {
		if e.head == sha {
			return w.runQueue(r, e.pull.baseRef)
		}
	}
	return nil
}

// retryAutoMerge merges or enqueues a pull request that waits to; what is still missing keeps it waiting, anything else ends it.
func (w *world) retryAutoMerge(r *repository, p *pull) error {
	waiting := p.autoMerge
	if r.protections[p.baseRef].MergeQueue {
		if len(w.unmetBesideQueue(r, p)) > 0 {
			return nil
		}
		_, err := w.enqueue(r, p, false, waiting.by)
		return err
	}
	_, err := w.mergePull(r, p, mergeRequest{method: waiting.method}, waiting.by)
	switch {
	case err == nil || asAPIError(err).status == http.StatusMethodNotAllowed:
		return nil
	case asAPIError(err).status == http.StatusInternalServerError:
		return err
	}
	w.disarm(r, p, waiting.by)
	return nil
}
