package play

import (
	"fmt"

	"waybill/internal/story"
	"waybill/promotion"
)

// Ground is where happenings take place: GitHub with its people and its CI, Slack, and the process with the network
// around it. What a world cannot do it answers with Refused.
type Ground interface {
	Pulls
	Branches
	Signals
	Trouble

	// Slash has somebody type a command in Slack, Press press a button of the check run of a stage.
	Slash(by promotion.Login, text string) error
	Press(stage promotion.StageName, button string, by promotion.Login) error
	// Grant gives somebody a permission on the home repository.
	Grant(login promotion.Login, permission string) error
}

// Pulls are pull requests, which are named with their full repository. A source pull request is open until it is
// merged.
type Pulls interface {
	// PullOf returns the pull request of a promotion, and the branch that it comes from.
	PullOf(promotion.Number) (story.Pull, promotion.Branch, error)
	// SourceState reports whether there is a source pull request, and whether it is open.
	SourceState(story.Pull) (exists, open bool)
	// OpenSource opens one that changes a file, into a branch.
	OpenSource(pull story.Pull, into, file string, by promotion.Login) error
	MergePull(pull story.Pull, by promotion.Login) error
	ClosePull(pull story.Pull, by promotion.Login) error
	ReopenPull(pull story.Pull, by promotion.Login) error
	Retarget(pull story.Pull, base string, by promotion.Login) error
	Review(pull story.Pull, verdict string, by promotion.Login) error
	Comment(pull story.Pull, by promotion.Login, text string) error
	Label(pull story.Pull, name string, by promotion.Login) error
	Unlabel(pull story.Pull, name string, by promotion.Login) error
}

// Branches are branches of repositories with their files and tags.
type Branches interface {
	Head(promotion.Branch) promotion.SHA
	File(on promotion.Branch, path string) (text string, exists bool)
	// PushFiles puts a commit on a branch. Files that are nil are deleted.
	PushFiles(on promotion.Branch, by promotion.Login, message string, files map[string]*string) error
	DeleteBranch(on promotion.Branch, by promotion.Login) error
	// Release publishes a release of the default branch, with its tag if there is none; Tag points a tag at it.
	Release(repo promotion.Repo, tag string) error
	Tag(repo promotion.Repo, tag string) error
}

// Signals is what CI does and shows, and where.
type Signals interface {
	// SourceCommit returns the merge commit of the source pull request with a number, PromotionCommit that of a
	// promotion, and HostedCommit the commit that a stage verifies, or hosts when it verifies nothing, or that brought
	// to one of its targets what it hosts.
	SourceCommit(number int) (promotion.SHA, error)
	PromotionCommit(promotion.Number) (promotion.SHA, error)
	HostedCommit(stage promotion.StageName, target promotion.TargetName) (promotion.SHA, error)
	// Report has CI report on a commit of a branch.
	Report(on promotion.Branch, s Signal) error
	// FinishRun has the workflow that was started last for a stage go on or end.
	FinishRun(stage promotion.StageName, result string) error
	SetEnvironment(repo promotion.Repo, name string, exists bool) error
	PushImage(promotion.Image) error
	// ReportFreight has CI report a version of the head of a branch to a warehouse.
	ReportFreight(warehouse *promotion.Warehouse, version string) error
}

// Signal is what CI reports: a check run, a commit status or a deployment status.
type Signal struct {
	Kind   promotion.SignalKind
	SHA    promotion.SHA
	Name   string
	Result string
	Suite  string // of a check run; empty: one for all
	App    string // of a check run; empty: GitHub Actions
}

// Trouble is what goes wrong between GitHub and the process, and what sets it right.
type Trouble interface {
	LoseWebhooks()
	// DeliverLost ends that and delivers what was lost, in order, each to its end.
	DeliverLost() error
	// Redeliver delivers the last webhooks once more.
	Redeliver(n int) error
	Restart() error
	Resync() error
	// CrashAt has the process killed once, "before" or "after" GitHub carries out an effect.
	CrashAt(boundary string, effect promotion.Verb) error
	// FailAt has GitHub answer an effect with an HTTP status, so many times. A merge that is answered with 405, 409 or
	// 422 is refused, until something happens that could change GitHub's mind.
	FailAt(effect promotion.Verb, code, times int) error
}

// Refused says that a world does not play something.
type Refused struct {
	Word string // of the notation
	Why  string
}

// Error implements error.
func (r Refused) Error() string { return fmt.Sprintf("%q is not played here: %s", r.Word, r.Why) }
