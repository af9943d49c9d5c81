package githubsim

import (
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
)

// repository is one repository with everything that happened in it.
type repository struct {
	id            int64
	owner         *account
	name          string
	private       bool
	archived      bool
	defaultBranch string
	created       time.Time
	pushed        time.Time
	settings      RepoSettings
	git           *gitstore.Repo
	parent        *repository // of a fork

	collaborators map[string]string // explicit levels, by lower-case login
	roles         map[string]string // custom roles that stand for them
	numbers       int               // last number of an issue or pull request
	issues        map[int]*issue
	labels        []*label
	comments      []*comment
	suites        []*checkSuite
	runs          []*checkRun
	statuses      []*status
	deployments   []*deployment
	environments  []string
	releases      []*release
	protections   map[string]Protection // by branch
	workflowRuns  []*workflowRun
	queue         []*queueEntry // of all branches
}

// RepoSettings are the switches of a repository that decide how pull requests are merged.
type RepoSettings struct {
	NoMergeCommit       bool // merge method "merge" is refused
	NoSquash            bool
	NoRebase            bool
	AutoMerge           bool // pull requests may be set to merge by themselves
	DeleteBranchOnMerge bool
}

// Protection is what a branch demands before a pull request may be merged into it.
type Protection struct {
	RequiredChecks  []string // names of check runs or contexts of statuses
	RequiredReviews int
	UpToDate        bool     // the head must contain the base
	MergeQueue      bool     // merges go through the merge queue only
	DismissStale    bool     // a push dismisses approvals
	Bypass          []string // logins that may merge without all this, as the bypass list of a ruleset has them
}

func (r *repository) fullName() string { return r.owner.login + "/" + r.name }

// apiURL is the address of something of the repository in the REST API.
func (v *Render) API(r *repository, path string) string {
	return v.URL + "/api/v3/repos/" + r.fullName() + path
}

// htmlURL is the address of something of the repository for people.
func (v *Render) HTML(r *repository, path string) string { return v.URL + "/" + r.fullName() + path }

// visibility is "private" or "public".
func (r *repository) visibility() string {
	if r.private {
		return "private"
	}
	return "public"
}

// repoJSON renders GitHub's "repository" as far as the simulator knows it.
func (v *Render) Repo(r *repository) obj {
	return obj{
		"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		"visibility": r.visibility(), "owner": v.Account(r.owner), "html_url": v.HTML(r, ""), "url": v.API(r, ""),
		"description": nil, "fork": r.parent != nil, "archived": r.archived, "disabled": false, "default_branch": r.defaultBranch,
		"created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
		"open_issues_count": r.openIssues(), "open_issues": r.openIssues(), "has_issues": true, "is_template": false,
		"allow_merge_commit": !r.settings.NoMergeCommit, "allow_squash_merge": !r.settings.NoSquash,
		"allow_rebase_merge": !r.settings.NoRebase, "allow_auto_merge": r.settings.AutoMerge,
		"delete_branch_on_merge": r.settings.DeleteBranchOnMerge, "git_url": "git://" + strings.TrimPrefix(v.HTML(r, ".git"), "http://"),
		"clone_url": v.HTML(r, ".git"), "topics": []string{}, "language": nil, "license": nil,
		"homepage": nil, "mirror_url": nil,
	}
}

// minimalRepoJSON renders GitHub's "minimal-repository", which keeps to itself how pull requests are merged.
func (v *Render) MinimalRepo(r *repository) obj {
	j := v.Repo(r)
	for _, key := range []string{"allow_merge_commit", "allow_squash_merge", "allow_rebase_merge", "allow_auto_merge"} {
		delete(j, key)
	}
	return j
}

func (r *repository) openIssues() int {
	open := 0
	for _, i := range r.issues {
		if i.open {
			open++
		}
	}
	return open
}

// resolve finds the commit that a branch, tag, full reference or SHA names.
func (r *repository) resolve(ref string) (sha string, ok bool) {
	for _, name := range []string{"refs/heads/" + ref, "refs/tags/" + ref, "refs/" + ref, ref} {
		if sha, ok := r.git.Ref(name); ok {
			return sha, true
		}
	}
	if ref == "HEAD" {
		return r.git.Branch(r.defaultBranch)
	}
	if r.git.Has(gitstore.KindCommit, ref) {
		return ref, true
	}
	return "", false
}

// treeOf answers the tree of a commit that is known to exist.
func (r *repository) treeOf(commit string) string {
	c, err := r.git.Commit(commit)
	if err != nil {
		return ""
	}
	return c.Tree
}
