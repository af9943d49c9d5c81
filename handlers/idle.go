package handlers

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// idle reports whether a delivery tells nothing, whatever the pipelines are: a comment without a command or by a bot,
// a check run or suite of our own App that has just been made, the new text of a pull request of ours by a bot, or a
// branch that was removed. A busy organization writes many such comments, and ours come back with everything that
// Waybill shows. us is the id of our App.
func (e *envelope) idle(event string, us int64) bool {
	switch event {
	case "issue_comment": // one of ours that is deleted is shown again
		return e.action == "edited" || e.action == "created" && (e.bot || !mayCommand(readable(e.text)))
	case "check_run":
		return e.action == "created" && e.app == us && us != 0 && e.status != "completed"
	case "check_suite":
		return e.action == "requested" && e.app == us && us != 0 && e.status != "completed"
	case "pull_request":
		return e.action == "edited" && e.sender == "Bot" && len(e.rebased) == 0 && strings.HasPrefix(e.head, ourBranches)
	case "push":
		return e.deleted && strings.HasPrefix(e.ref, "refs/heads/")
	}
	return false
}

// Glance is what could be read off a delivery without decoding it, if that says for whom it can be of interest. The
// zero value says nothing: then it has to be decoded.
type Glance struct {
	// Signal is a check run or a status, or the check suite of an App, whose Signal has no Name. That, and that its commit
	// may be merged now, is all that the delivery tells. Of a check run or suite of our own App the Kind is empty: it
	// tells the latter at most.
	Signal *promotion.Signal
	// Branch is another branch than the default one, to which was pushed.
	Branch string
	// Candidate says that the delivery tells of a change of a person's pull request that only guards look at.
	Candidate bool
	// Files says that the pipeline files, or what may be reached, may have changed.
	Files bool
	// Within is the id of the repository, if only those can have an interest who have something to do with that: pipelines
	// that live there or name it, and promotions with a pull request there.
	Within int64
}

// glance returns for whom a delivery can be of interest. us is the id of our App.
func (e *envelope) glance(event string, us int64) (g Glance) {
	branch, isBranch := strings.CutPrefix(e.ref, "refs/heads/")
	switch event {
	case "check_run", "check_suite":
		asked := event == "check_run" && e.action != "created" && e.action != "completed" ||
			event == "check_suite" && e.action != "requested" && e.action != "completed"
		switch {
		case asked || e.sha == "" || us == 0 || e.app == 0 || (event == "check_run" && e.name == ""):
		case e.app == us:
			g.Signal = &promotion.Signal{SHA: e.sha}
		default:
			g.Signal = &promotion.Signal{Kind: promotion.KindCheck, Name: e.name, App: e.slug, SHA: e.sha}
		}
	case "status":
		if e.sha != "" && e.name != "" {
			g.Signal = &promotion.Signal{Kind: promotion.KindStatus, Name: e.name, SHA: e.sha}
		}
	case "push":
		g.Files = !isBranch || branch == e.home || e.home == ""
		if !g.Files {
			g.Branch = branch
		}
	case "pull_request":
		silent := e.action == "labeled" && e.sender == "Bot" ||
			slices.Contains([]string{"assigned", "unassigned", "review_requested", "review_request_removed"}, e.action)
		g.Candidate = silent && e.head != "" && !strings.HasPrefix(e.head, ourBranches)
		g.Within = e.repoID
	case "deployment_status", "issue_comment", "merge_group", "pull_request_review", "release", "workflow_run":
		g.Within = e.repoID
	case "installation", "installation_repositories", "repository":
		g.Files = true
	}
	if g.Signal != nil {
		g.Signal.Repo = e.repo
	}
	return g
}
