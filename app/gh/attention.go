package gh

import (
	"context"
	"errors"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// DrawAttention puts labels, reviewers and assignees on a pull request, with one request for each of the three. If
// GitHub refuses one of them, the others are put there all the same, and so are the other reviewers. To do it again
// changes nothing but that reviewers are asked once more.
func (pl Pulls) DrawAttention(ctx context.Context, pull int, a promotion.Attention) error {
	var errs []error
	if len(a.Labels) > 0 {
		errs = append(errs, pl.c.Labels.Add(ctx, pull, a.Labels))
	}
	if len(a.Assignees) > 0 {
		_, _, err := pl.c.rest.Issues.AddAssignees(ctx, pl.c.owner, pl.c.name, pull, a.Assignees)
		errs = append(errs, pl.c.wrong(classify(err), "assign #%d", pull))
	}
	if len(a.Reviewers) > 0 {
		errs = append(errs, pl.askReviewers(ctx, pull, a.Reviewers))
	}
	return errors.Join(errs...)
}

// askReviewers asks people, and teams, for reviews. That notifies them, and counts as content. GitHub refuses all of
// them because of one who may not read the repository: then each is asked alone.
func (pl Pulls) askReviewers(ctx context.Context, pull int, all []string) error {
	var who github.ReviewersRequest
	for _, r := range all {
		if _, team, is := strings.Cut(r, "/"); is {
			who.TeamReviewers = append(who.TeamReviewers, team)
			continue
		}
		who.Reviewers = append(who.Reviewers, r)
	}
	err := pl.c.create(ctx, func() error {
		_, _, err := pl.c.rest.PullRequests.RequestReviewers(ctx, pl.c.owner, pl.c.name, pull, who)
		return err
	})
	if len(all) == 1 || !RefusesThis(err) {
		return pl.c.wrong(classify(err), "ask %s for a review of #%d", strings.Join(all, ", "), pull)
	}
	var errs []error
	for i := range all {
		errs = append(errs, pl.askReviewers(ctx, pull, all[i:i+1]))
	}
	return errors.Join(errs...)
}
