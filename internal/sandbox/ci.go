package sandbox

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"waybill/internal/githubsim"
)

// ci simulates the CI of the sandbox: when the file of a stage changes on the main branch, it reports the signal that
// verifies the stage. It can be set to wait for a person, who then decides how its checks end.
type ci struct {
	github *githubsim.Server
	took   time.Duration // duration of a check
	waits  atomic.Bool
}

// Waits reports whether checks wait for a person to end them.
func (c *ci) Waits() bool { return c.waits.Load() }

// SetWaits sets whether checks wait for a person. Checks that waited before are reported once it is false.
func (c *ci) SetWaits(waits bool) { c.waits.Store(waits) }

// signals maps the file of a stage to the name of its signal: a check run, or for staging-b a commit status. The
// clusters of prod report their own.
var signals = map[string]string{
	"deploy/dev/values.yaml":       "smoke",
	"deploy/staging-a/values.yaml": "e2e staging-a",
	"deploy/staging-b/values.yaml": "argocd/staging-b",
}

// glance is the interval at which the simulated CI and clusters poll the branch.
const glance = 100 * time.Millisecond

// run polls the main branch until the context ends.
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

// panics reports whether the application version in a stage's file contains a call of panic.
func (c *ci) panics(values string) bool {
	tag := tagIn(values)
	for _, p := range c.github.Pulls(sourceRepo) {
		if strings.HasPrefix(p.MergeSHA, tag) && c.panicsAt(p.MergeSHA) {
			return true
		}
	}
	return false
}

// tagIn returns the image tag in a values file.
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

// report runs one check on a commit. Only end-to-end tests run long enough for the application to panic.
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
		return // a person has ended it
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
	if statusOf(c.github, sha, name) == "pending" { // otherwise a person has ended it
		_ = c.github.CreateStatus(deployRepo, sha, argo, name, "success", "healthy") // the sandbox may be closing
	}
}

// argo is the login of Argo CD, which reports the state of the clusters.
const argo = "argocd"

// statusOf returns the state of a commit status, or "" if it has not been reported.
func statusOf(github *githubsim.Server, sha, name string) string {
	for _, now := range github.Statuses(deployRepo, sha) {
		if now.Context == name {
			return now.State
		}
	}
	return ""
}

// work waits for the duration of a check, and then until checks no longer wait for a person. It reports whether the
// context is still alive.
func (c *ci) work(ctx context.Context) bool {
	lasts := pause(ctx, c.took)
	for lasts && c.waits.Load() {
		lasts = pause(ctx, glance)
	}
	return lasts
}

// pause waits for d, and reports whether the context is still alive.
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
