package gh

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// MergeRequest is a pull request to be merged as it was seen.
type MergeRequest struct {
	Pull    int
	Base    string         // of the pull request: merges into one branch go one by one
	Head    promotion.SHA  // merged is this commit or nothing
	Known   promotion.Pull // as the database has it: GitHub may show an older state
	Method  string         // squash, merge or rebase; see Base.MergeMethod
	Title   string         // of the commit; GitHub's own if empty
	Message string
}

// MergeResult is the result of the request to merge.
type MergeResult string

const (
	// Merged is done: by this call, by an earlier one whose answer was lost, or by a person.
	Merged MergeResult = "merged"
	// HeadMoved means that the pull request has changed since it was read. Nothing was merged.
	HeadMoved MergeResult = "head-moved"
	// Conflicts means that the pull request does not fit its base any more.
	Conflicts MergeResult = "conflicts"
	// NotAllowed means that a rule stands in the way, for example a check or a review that is missing.
	NotAllowed MergeResult = "not-allowed"
	// Behind means that the rules want the branch to be up to date first.
	Behind MergeResult = "behind"
	// Enqueued means that GitHub has it in its merge queue and merges it when it is its turn.
	Enqueued MergeResult = "enqueued"
	// Closed means that a person closed the pull request.
	Closed MergeResult = "closed"
)

// MergeOutcome is the result of the request to merge, and the pull request as it is now.
type MergeOutcome struct {
	Result MergeResult
	Pull   promotion.Pull
	Text   string // of NotAllowed and Behind: why, in GitHub's words
}

// A merge that GitHub refuses for a moment is tried so often, with pauses in between.
const (
	mergeTries = 4
	mergePause = time.Second
)

// errMoment is a refusal that may be over in a moment.
var errMoment = errors.New("not now")

// Merge merges a pull request if it has not changed since it was read. Merges into the same branch go one at a time.
// GitHub's refusals tell little, so the pull request is read again and that decides. An error means that it is not
// known whether it was merged: the call may be made again, and finds out.
func (pl Pulls) Merge(ctx context.Context, r MergeRequest) (MergeOutcome, error) {
	leave, err := pl.c.hub.lanes.enter(ctx, string(pl.c.repo)+" "+r.Base)
	if err != nil {
		return MergeOutcome{}, pl.c.wrong(err, "merge #%d", r.Pull)
	}
	defer leave()
	for try := 1; ; try++ {
		outcome, err := pl.mergeOnce(ctx, r, try == mergeTries)
		if err == nil || !errors.Is(err, errMoment) || try == mergeTries {
			return outcome, pl.c.wrong(err, "merge #%d", r.Pull)
		}
		if err := pl.c.hub.nap(ctx, mergePause<<(try-1)); err != nil {
			return MergeOutcome{}, pl.c.wrong(err, "merge #%d", r.Pull)
		}
	}
}

func (pl Pulls) mergeOnce(ctx context.Context, r MergeRequest, last bool) (MergeOutcome, error) {
	began := pl.c.hub.config.Clock()
	done, response, err := pl.c.rest.PullRequests.Merge(ctx, pl.c.owner, pl.c.name, r.Pull, r.Message,
		&github.PullRequestOptions{CommitTitle: r.Title, SHA: string(r.Head), MergeMethod: r.Method})
	if err == nil && done.GetMerged() && done.GetSHA() != "" {
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			took := pl.c.hub.config.Clock().Sub(began)
			return MergeOutcome{Result: Merged, Pull: pl.merged(r, promotion.SHA(done.GetSHA()), at, took)}, nil
		}
	}
	tried := classify(err)
	if tried != nil && !about(err) && errors.Is(tried, ErrRefused) {
		return MergeOutcome{}, pl.unseen(ctx, tried) // not a refusal to merge: we may not, or GitHub does not show it
	}
	seen, err := pl.look(ctx, r.Pull)
	if err != nil {
		return MergeOutcome{}, pl.unseen(ctx, err)
	}
	pull, err := pl.fact(ctx, seen)
	if err != nil {
		return MergeOutcome{}, err
	}
	result, text, err := judge(r, seen, tried, last)
	if err == nil && result == NotAllowed && ClassOf(tried) == ClassQueued {
		return pl.c.MergeQueue.add(ctx, r, seen, pull)
	}
	return MergeOutcome{Result: result, Pull: pull, Text: text}, err
}

// merged is the pull request after GitHub has said that it has just merged it for us. Whatever the method, GitHub has
// made the commit for that. The answer tells when it was written, in whole seconds of GitHub's clock, and not when
// GitHub merged: CI may have begun with the commit before. The earliest time that the answer allows counts.
func (pl Pulls) merged(r MergeRequest, commit promotion.SHA, written time.Time, took time.Duration) promotion.Pull {
	at := written.Add(-took).Truncate(time.Second)
	return promotion.Pull{
		Repo: pl.c.repo, Number: r.Pull, HeadSHA: r.Head, Base: r.Base, State: promotion.PullMerged,
		MergeSHA: commit, MergedAt: at.UTC(), NewCommit: true, Updated: at.UTC(),
	}
}

// about reports whether an error is GitHub's refusal to merge, rather than to talk about it.
func about(err error) bool {
	if ClassOf(classify(err)) == ClassRuled {
		return true
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.Response.StatusCode {
	case http.StatusMethodNotAllowed, http.StatusConflict, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// judge returns the result of a try to merge, from the pull request as it is now.
func judge(r MergeRequest, p *github.PullRequest, tried error, last bool) (MergeResult, string, error) {
	switch {
	case p.GetMerged():
		return Merged, "", nil
	case p.GetState() == "closed":
		return Closed, "", nil
	case promotion.SHA(p.GetHead().GetSHA()) != r.Head && r.late(p, last):
		return "", "", transient(5*time.Second, "GitHub does not show the newest commit yet", errMoment)
	case promotion.SHA(p.GetHead().GetSHA()) != r.Head:
		return HeadMoved, "", nil
	case tried == nil:
		return "", "", transient(time.Second, "GitHub merged it and does not show it yet", nil)
	case errors.Is(tried, ErrTransient):
		return "", "", tried
	case conflicting(p):
		return Conflicts, "", nil
	}
	return judgeState(p, tried)
}

// late reports whether GitHub shows a pull request as it was before our last push: one of its servers has not heard of
// the push yet. GitHub tells times in whole seconds: once our push is known, what is shown of its second is taken to be
// older, until the last try.
func (r MergeRequest) late(p *github.PullRequest, last bool) bool {
	updated := p.GetUpdatedAt()
	return promotion.SHA(p.GetHead().GetSHA()) == r.Known.HeadSHA || updated.Before(r.Known.Updated) ||
		!last && r.Known.HeadSHA == r.Head && updated.Equal(github.Timestamp{Time: r.Known.Updated})
}

// judgeState says why an open pull request without conflicts was not merged.
func judgeState(p *github.PullRequest, tried error) (MergeResult, string, error) {
	text := tried.Error()
	switch p.GetMergeableState() {
	case "draft":
		return NotAllowed, "It is a draft.", nil
	case "behind":
		return Behind, text, nil
	case "blocked":
		return NotAllowed, text, nil
	}
	// of a pull request that is seen to be mergeable, it means that GitHub is busy with a push, or with finding that out
	if ClassOf(tried) == ClassLookAgain || p.Mergeable == nil {
		return "", "", transient(5*time.Second, text, errMoment)
	}
	return NotAllowed, text, nil // for example a method that the repository does not allow
}
