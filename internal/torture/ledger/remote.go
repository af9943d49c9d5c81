package ledger

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Remote is the state of GitHub, as far as it matters to promotions.
type Remote struct {
	byHand *ByHand
	github *githubsim.Server
	log    *Journal
	shape  shape.Shape

	commits   map[string][]string // the files that commits change
	Committed []githubsim.Pull    // commits on the branches of stages without a pull request
	entered   map[string]bool     // pull requests that have been in the merge queue, by branch
}

// numberIn returns the number of the pull request that a request merges.
func numberIn(r *http.Request) int {
	results := strings.Split(r.URL.Path, "/")
	number, _ := strconv.Atoi(results[len(results)-2])
	return number
}

// Ours lists the pull requests in a state that come from Waybill's branches. The state "" means all of them.
func (v *Remote) Ours(state string) []githubsim.Pull {
	var all []githubsim.Pull
	for _, repo := range v.shape.Repos() {
		all = append(all, v.github.Pulls(repo)...)
	}
	return slices.DeleteFunc(all, func(p githubsim.Pull) bool { return !IsOurs(p) || state != "" && p.State != state })
}

// IsOurs reports whether a pull request comes from a branch of Waybill's. A fork names its branches as it likes.
func IsOurs(p githubsim.Pull) bool { return strings.HasPrefix(p.HeadBranch, "waybill/") && !p.Fork }

// Where names a pull request as stories do.
func Where(repo string, number int) string {
	if repo == shape.Home {
		repo = ""
	}
	return fmt.Sprintf("%s#%d", repo, number)
}

func Keys(files map[string]*string) []string {
	var all []string
	for name := range files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// StageIn returns the stage of a pull request of Waybill's. Outside the home repository its branch also names the
// pipeline.
func StageIn(p githubsim.Pull) string {
	results := strings.Split(p.HeadBranch, "/")
	if strings.HasPrefix(results[1], "@") {
		return results[2]
	}
	return results[1]
}

// TargetsIn returns the targets whose files a merged pull request has changed.
func (v *Remote) TargetsIn(p githubsim.Pull) (all []string) {
	for _, path := range v.ChangedBy(p.Repo, p.MergeSHA) {
		if shape.StageOf(path) == StageIn(p) {
			all = append(all, shape.TargetOf(path))
		}
	}
	return all
}

// Trailer matches the line of a commit that names its promotion. Outside the home repository it also names the
// pipeline.
var Trailer = regexp.MustCompile(`(?m)^Waybill-Promotion: (?:\d+/)?(\d+)$`)

// Merges returns the merged pull requests of Waybill, and its commits without a pull request as merged pull requests
// without a number. They are in the order of the merges.
func (v *Remote) Merges() []githubsim.Pull {
	all := append(v.Ours("merged"), v.Committed...)
	if len(v.Committed) > 0 || len(v.shape.Places) > 1 {
		slices.SortStableFunc(all, func(a, b githubsim.Pull) int { return a.MergedAt.Compare(b.MergedAt) })
	}
	return all
}

// PathsOf returns the files that a pull request changes, or has changed.
func (v *Remote) PathsOf(p githubsim.Pull) (paths []string) {
	if p.State == "merged" {
		return v.ChangedBy(p.Repo, p.MergeSHA)
	}
	changes, err := v.github.PullChanges(p.Repo, p.Number)
	if err != nil {
		v.log.Broken(GitHubCanBeSeen, "%v", err)
	}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// Whole reports whether a pull request goes to an environment branch.
func Whole(p githubsim.Pull) bool { return strings.HasPrefix(p.BaseBranch, "env/") }

// Contents returns the files of a commit, with mode and hash.
func (v *Remote) Contents(repo, ref string) map[string]string {
	all := map[string]string{}
	for _, path := range v.github.Files(repo, ref) {
		mode, sha, _ := v.github.Entry(repo, ref, path)
		all[path] = mode + " " + sha
	}
	return all
}

// Matching returns the files in a commit that match the target files of a stage, whatever the name of the target.
func (v *Remote) Matching(s *shape.Stage, ref string) []string {
	before, behind, _ := strings.Cut(s.File("*"), "*")
	return slices.DeleteFunc(v.github.Files(shape.Home, ref), func(path string) bool {
		name, ends := strings.CutSuffix(strings.TrimPrefix(path, before), behind)
		return !strings.HasPrefix(path, before) || !ends || name == "" || strings.Contains(name, "/")
	})
}

// NumberOf returns the number of the promotion in a branch name. The branch of a rollout's step has a suffix after it.
func NumberOf(branch string) int64 {
	number, _, _ := strings.Cut(branch[strings.LastIndex(branch, "/")+1:], "-")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n
}

// ChangedBy returns the files that a commit on a branch of the stages changes.
func (v *Remote) ChangedBy(repo, sha string) []string {
	if paths, known := v.commits[sha]; known {
		return paths
	}
	changes, err := v.github.CommitChanges(repo, sha)
	if err != nil {
		v.log.Broken(GitHubCanBeSeen, "%v", err)
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	v.commits[sha] = paths
	return paths
}

// TheirBranches returns the branches whose head another person has pushed, with those heads.
func (v *Remote) TheirBranches() map[shape.Place]string {
	theirs := map[shape.Place]string{}
	if len(v.byHand.Pushed) == 0 {
		return theirs
	}
	for _, repo := range v.shape.Repos() {
		for _, branch := range v.github.Branches(repo) {
			if head := v.github.Head(repo, branch); v.byHand.Pushed[head] {
				theirs[shape.Place{Repo: repo, Branch: branch}] = head
			}
		}
	}
	return theirs
}

// OpenOf returns the newest pull request of a promotion.
func (v *Remote) OpenOf(p Promo) (newest githubsim.Pull) {
	for _, pull := range v.Ours("") {
		if NumberOf(pull.HeadBranch) == p.Number {
			newest = pull
		}
	}
	return newest
}

// Shows reports whether a pull request or a commit names the number of a promotion.
func (v *Remote) Shows(number int64) bool {
	is := func(p githubsim.Pull) bool { return NumberOf(p.HeadBranch) == number }
	return slices.ContainsFunc(v.Ours(""), is) || slices.ContainsFunc(v.Committed, is)
}

// Gate is the check that a merge queue requires.
const Gate = "ci"

// BeforeGate lists Waybill's pull requests to the branch that has a merge queue.
func (v *Remote) BeforeGate(state string) []githubsim.Pull {
	return slices.DeleteFunc(v.Ours(state), func(p githubsim.Pull) bool { return GoesTo(p) != shape.Here })
}

// Heads returns the heads of the branches of all places.
func (v *Remote) Heads() map[shape.Place]string {
	heads := make(map[shape.Place]string, len(v.shape.Places))
	for _, at := range v.shape.Places {
		heads[at] = v.github.Head(at.Repo, at.Branch)
	}
	return heads
}

// Pulled returns the pull request that a request merges.
func (v *Remote) Pulled(r *http.Request) (p githubsim.Pull, found bool) {
	_, path, _ := strings.Cut(r.URL.Path, "/repos/")
	results := strings.Split(path, "/") // owner, repository, pulls, number, merge
	return v.github.Pull(results[0]+"/"+results[1], numberIn(r))
}

// GoesTo returns the base branch of a pull request.
func GoesTo(p githubsim.Pull) shape.Place { return shape.Place{Repo: p.Repo, Branch: p.BaseBranch} }

// Deployments lists the deployments of all repositories that have files of stages.
func (v *Remote) Deployments() (all []githubsim.Deployment) {
	for _, repo := range v.shape.Repos() {
		all = append(all, v.github.Deployments(repo)...)
	}
	return all
}

// Sticky reports whether a comment is Waybill's comment with the progress of freight.
func Sticky(c githubsim.Comment) bool {
	return c.Author == "waybill[bot]" && strings.Contains(c.Body, "<!-- waybill:status -->")
}

// OpenTargets returns the targets of a stage that open pull requests would update.
func (v *Remote) OpenTargets(stage string) (all []string) {
	for _, p := range v.Ours("open") {
		if StageIn(p) != stage {
			continue
		}
		changes, _ := v.github.PullChanges(p.Repo, p.Number)
		for _, c := range changes {
			all = append(all, shape.TargetOf(c.Path))
		}
	}
	return all
}

// NameOfRun returns the name of a promotion's workflow run.
func NameOfRun(p Promo) string { return fmt.Sprintf("waybill/%s/%d", p.Stage, p.Number) }

// Runs lists the workflow runs that Waybill has started for a stage or a promotion, oldest first.
func (v *Remote) Runs(called string) []githubsim.DispatchedRun {
	return slices.DeleteFunc(v.github.DispatchedRuns(shape.Home), func(r githubsim.DispatchedRun) bool {
		return r.Actor != "waybill[bot]" || !strings.Contains(r.Title, "("+called)
	})
}

// WatchQueue remembers which of Waybill's pull requests are in the merge queue, and returns all that go to its branch.
func (v *Remote) WatchQueue() []githubsim.Pull {
	if !v.shape.Queued {
		return nil
	}
	all := v.BeforeGate("")
	for _, p := range all {
		v.entered[p.HeadBranch] = v.entered[p.HeadBranch] || p.Queued
	}
	return all
}

// AtTheGate reports whether an open pull request waits for the merge queue or its required check, or has left the
// queue. Waybill retries those after the next event.
func (v *Remote) AtTheGate(p githubsim.Pull) bool {
	passed := func(r githubsim.CheckRun) bool { return r.Name == Gate && r.Conclusion == "success" }
	if !v.shape.Queued || GoesTo(p) != shape.Here {
		return false
	}
	return p.Queued || v.entered[p.HeadBranch] ||
		v.shape.Gated && !slices.ContainsFunc(v.github.CheckRuns(shape.Home, p.HeadSHA), passed)
}

// IsMerge reports whether a request merges a pull request.
func IsMerge(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/merge")
}
