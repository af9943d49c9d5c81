package gh

import (
	"context"
	"errors"
	"net/url"
)

// Add puts labels on a pull request; GitHub makes those that the repository does not have yet.
func (lb Labels) Add(ctx context.Context, number int, names []string) error {
	_, _, err := lb.c.rest.Issues.AddLabelsToIssue(ctx, lb.c.owner, lb.c.name, number, names)
	return lb.c.wrong(classify(err), "put labels on #%d", number)
}

// Remove takes a label off a pull request. One that is not there is fine.
func (lb Labels) Remove(ctx context.Context, number int, name string) error {
	_, err := lb.c.rest.Issues.RemoveLabelForIssue(ctx, lb.c.owner, lb.c.name, number, url.PathEscape(name))
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return nil
	}
	return lb.c.wrong(err, "take a label off #%d", number)
}
