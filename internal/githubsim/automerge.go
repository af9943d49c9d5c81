package githubsim

import "net/http"

// Arm lets a pull request merge by itself once its requirements are met. GitHub refuses where nothing is missing: merge it then.
func (ms *Merges) Arm(r *repository, p *pull, method string, who *account) error {
	switch {
	case !r.settings.AutoMerge:
		return invalid("Auto merge is not allowed for this repository")
	case !p.open:
		return invalid("Pull request Pull request is closed")
	case p.draft:
		return invalid("Pull request Pull request is in draft state")
	}
	if err := ms.pulls.test(r, p); err != nil {
		return err
	}
	if r.protections[p.baseRef].MergeQueue && len(r.unmetBesideQueue(p)) == 0 {
		_, err := ms.queues.Enter(r, p, false, who)
		return err
	}
	if state := r.mergeableState(p); state == "clean" || state == "unstable" {
		return invalid("Pull request Pull request is in %s status", state)
	}
	if err := r.allowsMethod(method); err != nil {
		return err
	}
	p.autoMerge = &autoMerge{by: who, method: method, since: ms.clock.Now()}
	ms.pulls.Tell(r, p, "auto_merge_enabled", who, nil)
	return nil
}

// Disarm takes auto-merge back.
func (ps *Pulls) Disarm(r *repository, p *pull, who *account) {
	if p.autoMerge == nil {
		return
	}
	p.autoMerge = nil
	ps.Tell(r, p, "auto_merge_disabled", who, Fields{"reason": "disabled"})
}

// reported looks after everything that waits for a commit to get better: pull requests that merge by themselves, and merge queues.
func (ms *Merges) reported(r *repository, sha string) error {
	for _, p := range r.openPulls() {
		if p.autoMerge != nil && p.headSHA == sha {
			if err := ms.retry(r, p); err != nil {
				return err
			}
		}
	}
	for _, e := range r.queue {
		if e.head == sha {
			return ms.queues.run(r, e.pull.baseRef)
		}
	}
	return nil
}

// retry merges or enqueues a pull request that waits to; what is still missing keeps it waiting, anything else ends it.
func (ms *Merges) retry(r *repository, p *pull) error {
	waiting := p.autoMerge
	if r.protections[p.baseRef].MergeQueue {
		if len(r.unmetBesideQueue(p)) > 0 {
			return nil
		}
		_, err := ms.queues.Enter(r, p, false, waiting.by)
		return err
	}
	_, err := ms.Merge(r, p, mergeRequest{method: waiting.method}, waiting.by)
	switch {
	case err == nil || asAPIError(err).status == http.StatusMethodNotAllowed:
		return nil
	case asAPIError(err).status == http.StatusInternalServerError:
		return err
	}
	ms.pulls.Disarm(r, p, waiting.by)
	return nil
}
