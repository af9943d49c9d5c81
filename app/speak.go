package app

import (
	"context"
	"fmt"

	"waybill/app/gh"
	"waybill/promotion"
)

// tell writes a comment on the freight's source pull request. The comment carries its effect's key, so that it is found
// again when the answer to it was lost.
func (a *App) tell(ctx context.Context, j *job) (record, error) {
	if j.freight.Number == 0 {
		return nil, nil // freight without a pull request is told about by its check run
	}
	source, err := a.client(j.row.Installation, j.freight.Repo)
	if err != nil {
		return nil, err
	}
	_, err = source.Comment(ctx, gh.Comment{
		Issue: j.freight.Number, Marker: mark(j), Body: promotion.TellText(&j.promotion, j.Outcome, j.Reason),
	})
	return nil, err
}

// reply answers a command where it was asked.
func (a *App) reply(ctx context.Context, j *job) (record, error) {
	repo, number, err := parseSurface(j.Surface)
	if err != nil {
		return nil, err
	}
	where, err := a.client(j.row.Installation, repo)
	if err != nil {
		return nil, err
	}
	_, err = where.Comment(ctx, gh.Comment{Issue: number, Marker: mark(j), Body: promotion.ReplyText(j.Outcome, j.Reason)})
	return nil, err
}

// mark is the hidden line by which a comment is known to be that of an effect.
func mark(j *job) string { return fmt.Sprintf("<!-- waybill:%s -->", j.Key()) }

// parseSurface reads "acme/api#142".
func parseSurface(s string) (promotion.Repo, int, error) {
	var repo string
	var number int
	for i := range s {
		if s[i] == '#' {
			repo = s[:i]
			if _, err := fmt.Sscanf(s[i+1:], "%d", &number); err == nil {
				return promotion.Repo(repo), number, nil
			}
		}
	}
	return "", 0, fmt.Errorf("reply on %q: not a pull request", s)
}
