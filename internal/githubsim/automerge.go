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

// retryAutoMerges merges the pull requests with a head that just got better, if they wait for it.
func (w *world) retryAutoMerges(r *repository, sha string) {
	for _, p := range r.openPulls() {
		if p.autoMerge == nil || p.headSHA != sha {
			continue
		}
		_, err := w.mergePull(r, p, mergeRequest{method: p.autoMerge.method}, p.autoMerge.by)
		if err != nil && asAPIError(err).status != http.StatusMethodNotAllowed {
			w.disarm(r, p, p.autoMerge.by)
		}
	}
}
