package sandbox

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"waybill/internal/githubsim"
)

// ci plays the CI of the sandbox: when a stage's file on the main branch changes, it reports what that stage waits for.
// It may be told to wait, and then a person says how its checks end.
type ci struct {
	github *githubsim.Server
	took   time.Duration // how long a check runs
	waits  atomic.Bool
}

// Waits reports whether a person says how checks end.
func (c *ci) Waits() bool { return c.waits.Load() }

// SetWaits has it wait for a person, or not. What has waited until then is reported.
func (c *ci) SetWaits(waits bool) { c.waits.Store(waits) }

// signals are what is reported for a stage's file: a check run, or for staging-b a commit status. The clusters of prod
// report for themselves.
var signals = map[string]string{
	"deploy/dev/values.yaml":       "smoke",
	"deploy/staging-a/values.yaml": "e2e staging-a",
	"deploy/staging-b/values.yaml": "argocd/staging-b",
}

// glance is how often CI looks at the branch.
const glance = 100 * time.Millisecond

// run looks at the main branch until the context ends.
func (c *ci) run(ctx context.Context) {
	seen := c.contents()
	head := c.github.Head(deployRepo, "main")
	for pause(ctx, glance) {
		now := c.github.Head(deployRepo, "main")
		if now == head {
			continue
		}
		head = now
		files := c.contents()
		for path, name := range signals {
			if files[path] != seen[path] {
				go c.report(ctx, now, name, c.panics(files[path]))
			}
		}
		seen = files
	}
}

func (c *ci) contents() map[string]string {
	files := map[string]string{}
	for path := range signals {
		files[path], _ = c.github.File(deployRepo, "main", path)
	}
	return files
}

// panics reports whether the version of the application that a stage's file names would not live for long.
func (c *ci) panics(values string) bool {
	tag := tagIn(values)
	for _, p := range c.github.Pulls(sourceRepo) {
		if strings.HasPrefix(p.MergeSHA, tag) && c.panicsAt(p.MergeSHA) {
			return true
		}
	}
	return false
}

// tagIn is the image's tag in a file of values.
func tagIn(values string) string {
	_, tag, _ := strings.Cut(values, "\n  tag: ")
	tag, _, _ = strings.Cut(tag, "\n")
	tag, _, _ = strings.Cut(tag, " ")
	return strings.Trim(tag, `"`)
}

func (c *ci) panicsAt(sha string) bool {
	for _, path := range c.github.Files(sourceRepo, sha) {
		if text, _ := c.github.File(sourceRepo, sha, path); strings.Contains(text, "panic(") {
			return true
		}
	}
	return false
}

// report runs one check on a commit. Only end-to-end tests run the application for long enough to see it panic.
func (c *ci) report(ctx context.Context, sha, name string, panics bool) {
	if strings.HasPrefix(name, "argocd/") {
		c.status(ctx, sha, name)
		return
	}
	spec := githubsim.CheckSpec{Name: name, SHA: sha, Branch: "main", Suite: name, Status: "in_progress"}
	id, err := c.github.CreateCheckRun(deployRepo, spec)
	if err != nil || !c.work(ctx) {
		return
	}
	if run, found := c.github.CheckRun(deployRepo, id); !found || run.Status == "completed" {
		return // somebody has said how it ends
	}
	spec.Status, spec.Conclusion = "completed", "success"
	if panics && strings.HasPrefix(name, "e2e ") {
		spec.Conclusion = "failure"
	}
	_ = c.github.UpdateCheckRun(deployRepo, id, spec) // the sandbox may be closing
}

func (c *ci) status(ctx context.Context, sha, name string) {
	if c.github.CreateStatus(deployRepo, sha, argo, name, "pending", "syncing") != nil || !c.work(ctx) {
		return
	}
	if statusOf(c.github, sha, name) == "pending" { // otherwise somebody has said how it ends
		_ = c.github.CreateStatus(deployRepo, sha, argo, name, "success", "healthy") // the sandbox may be closing
	}
}

// argo is who reports what becomes of the clusters: Argo CD.
const argo = "argocd"

// statusOf is the state of a commit status, "" if there is none.
func statusOf(github *githubsim.Server, sha, name string) string {
	for _, now := range github.Statuses(deployRepo, sha) {
		if now.Context == name {
			return now.State
		}
	}
	return ""
}

// work takes as long as a check does, and for as long as a person is waited for. It reports whether the context still
// lasts.
func (c *ci) work(ctx context.Context) bool {
	lasts := pause(ctx, c.took)
	for lasts && c.waits.Load() {
		lasts = pause(ctx, glance)
	}
	return lasts
}

// pause waits, and reports whether the context still lasts.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
