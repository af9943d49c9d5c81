package play

import (
	"fmt"

	"waybill/internal/story"
	"waybill/promotion"
)

// Ground is the surroundings on which happenings take place: GitHub with its people and its CI, Slack, and the process
// with its network. It answers an unsupported happening with Refused.
type Ground interface {
	Pulls
	Branches
	Signals
	Trouble

	// Slash types a command in Slack. Press presses a button of the check run of a stage.
	Slash(by promotion.Login, text string) error
	Press(stage promotion.StageName, button string, by promotion.Login) error
	// Rerun asks for the check run of a stage to be run again, RerunAll for all on the merge commit of a source pull
	// request.
	Rerun(stage promotion.StageName, by promotion.Login) error
	RerunAll(pull story.Pull, by promotion.Login) error
	// Grant gives a person a permission on the home repository.
	Grant(login promotion.Login, permission string) error
}

// Pulls are pull requests, named with their full repository. A source pull request is open until it is merged.
type Pulls interface {
	// PullOf returns the pull request of a promotion, and its head branch.
	PullOf(promotion.Number) (story.Pull, promotion.Branch, error)
	// SourceState reports whether a source pull request exists, and whether it is open.
	SourceState(story.Pull) (exists, open bool)
	// OpenSource opens a source pull request that changes one file.
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

// Branches are the branches of repositories, with their files and tags.
type Branches interface {
	Head(promotion.Branch) promotion.SHA
	File(on promotion.Branch, path string) (text string, exists bool)
	// PushFiles puts a commit on a branch. Files that are nil are deleted.
	PushFiles(on promotion.Branch, by promotion.Login, message string, files map[string]*string) error
	DeleteBranch(on promotion.Branch, by promotion.Login) error
	// Release publishes a release of the default branch and creates its tag if necessary. Tag points a tag at that branch.
	Release(repo promotion.Repo, tag string) error
	Tag(repo promotion.Repo, tag string) error
}

// Signals are the reports of CI, and the commits that they are about.
type Signals interface {
	// SourceCommit returns the merge commit of the source pull request with a number, PromotionCommit that of a promotion.
	// HostedCommit returns the commit that a stage verifies, or hosts if it verifies nothing; with a target, it returns
	// the commit that brought the target its freight.
	SourceCommit(number int) (promotion.SHA, error)
	PromotionCommit(promotion.Number) (promotion.SHA, error)
	HostedCommit(stage promotion.StageName, target promotion.TargetName) (promotion.SHA, error)
	// Report reports a signal of CI on a commit of a branch.
	Report(on promotion.Branch, s Signal) error
	// FinishRun changes the state of the workflow run that was started last for a stage.
	FinishRun(stage promotion.StageName, result string) error
	SetEnvironment(repo promotion.Repo, name string, exists bool) error
	PushImage(promotion.Image) error
	// ReportFreight reports a version of the head of a branch to a warehouse, as CI does.
	ReportFreight(warehouse *promotion.Warehouse, version string) error
}

// Signal is one report of CI: a check run, a commit status or a deployment status.
type Signal struct {
	Kind   promotion.SignalKind
	SHA    promotion.SHA
	Name   string
	Result string
	Suite  string // of a check run; empty: the default suite
	App    string // of a check run; empty: GitHub Actions
}

// Trouble makes faults between GitHub and the process, and repairs them.
type Trouble interface {
	LoseWebhooks()
	// DeliverLost ends the loss and delivers the lost webhooks in order. Each is handled before the next one.
	DeliverLost() error
	// Redeliver delivers the last n webhooks once more.
	Redeliver(n int) error
	Restart() error
	Resync() error
	// CrashAt arms one kill of the process, "before" or "after" GitHub carries out an effect.
	CrashAt(boundary string, effect promotion.Verb) error
	// FailAt makes GitHub answer an effect with an HTTP status, the given number of times. A merge that is answered with
	// 405, 409 or 422 is refused until an event could change the answer.
	FailAt(effect promotion.Verb, code, times int) error
}

// Refused is the error of a world that does not play a happening.
type Refused struct {
	Word string // of the notation
	Why  string
}

// Error implements error.
func (r Refused) Error() string { return fmt.Sprintf("%q is not played here: %s", r.Word, r.Why) }
