package gh

import (
	"context"
	"errors"
	"net/url"
)

// AddLabels puts labels on a pull request; GitHub makes those that the repository does not have yet.
func (c *Client) AddLabels(ctx context.Context, number int, names []string) error {
	_, _, err := c.rest.Issues.AddLabelsToIssue(ctx, c.owner, c.name, number, names)
	return c.wrong(classify(err), "put labels on #%d", number)
}

// RemoveLabel takes a label off a pull request. One that is not there is fine.
func (c *Client) RemoveLabel(ctx context.Context, number int, name string) error {
	_, err := c.rest.Issues.RemoveLabelForIssue(ctx, c.owner, c.name, number, url.PathEscape(name))
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return nil
	}
	return c.wrong(err, "take a label off #%d", number)
}
