package gh

import (
	"context"
	"errors"
	"strings"

	"github.com/google/go-github/v60/github"
)

// Comment is a comment of ours on an issue or a pull request.
type Comment struct {
	Issue  int
	ID     int64  // of one that is there already; 0 if it is not known
	Marker string // by which it is found again: a comment in HTML, which is not shown
	Body   string // without the marker, which is added
	// Fresh says that no earlier try can have written it, so that there is no need to look for it.
	Fresh bool
}

// Write writes a comment, once: if one of ours with the marker is there, that one is left as it is.
func (co Comments) Write(ctx context.Context, comment Comment) (Known, error) {
	known, err := co.find(ctx, comment)
	if err == nil && known.ID == 0 {
		known, err = co.create(ctx, comment)
	}
	return known, co.c.wrong(err, "comment on #%d", comment.Issue)
}

// Minimize folds comments, named by their nodes, because they have had their day. One that is not there any more is
// none to fold.
func (co Comments) Minimize(ctx context.Context, nodes []string) error {
	steps := make([]step, len(nodes))
	for i, node := range nodes {
		steps[i] = step{
			field: "minimizeComment", input: map[string]any{"subjectId": node, "classifier": "OUTDATED"},
			wants: "minimizedComment { isMinimized }", into: new(struct{}),
		}
	}
	for _, err := range co.c.graph.mutate(ctx, steps) {
		if err != nil && !errors.Is(err, ErrNotFound) {
			return co.c.wrong(err, "fold comments")
		}
	}
	return nil
}

// Save brings a comment to a state: it edits the one that is there, and writes it if there is none.
func (co Comments) Save(ctx context.Context, comment Comment) (Known, error) {
	known, err := co.editOrWrite(ctx, comment)
	return known, co.c.wrong(err, "comment on #%d", comment.Issue)
}

func (co Comments) editOrWrite(ctx context.Context, comment Comment) (Known, error) {
	id := comment.ID
	if id == 0 && !comment.Fresh {
		found, err := co.find(ctx, comment)
		if err != nil {
			return Known{}, err
		}
		id = found.ID
	}
	if id == 0 {
		return co.create(ctx, comment)
	}
	edited, _, err := co.c.rest.Issues.EditComment(ctx, co.c.owner, co.c.name, id,
		&github.IssueComment{Body: comment.text()})
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return co.insteadOf(ctx, id, comment)
	}
	return Known{ID: id, Node: edited.GetNodeID()}, err
}

// insteadOf brings a comment to a state whose id is known and that a person has deleted: another may have been written
// in its place, which a copy of the database does not know.
func (co Comments) insteadOf(ctx context.Context, deleted int64, comment Comment) (Known, error) {
	found, err := co.find(ctx, comment)
	switch {
	case err != nil:
		return Known{}, err
	case found.ID == 0 || found.ID == deleted:
		return co.create(ctx, comment)
	}
	comment.ID = found.ID
	return co.editOrWrite(ctx, comment)
}

func (co Comments) create(ctx context.Context, comment Comment) (Known, error) {
	var made *github.IssueComment
	err := co.c.create(ctx, func() (err error) {
		made, _, err = co.c.rest.Issues.CreateComment(ctx, co.c.owner, co.c.name, comment.Issue,
			&github.IssueComment{Body: comment.text()})
		return err
	})
	if err == nil && made.GetID() == 0 {
		return Known{}, incomplete("the comment that it made")
	}
	return Known{ID: made.GetID(), Node: made.GetNodeID()}, err
}

func (c Comment) text() *string { return github.String(marked(c.Body, c.Marker)) }

// find finds the comment of ours that has the marker; its zero value if there is none. Anyone can write a marker, so
// only comments of our App count.
func (co Comments) find(ctx context.Context, comment Comment) (Known, error) {
	self, err := co.c.self(ctx)
	if err != nil || comment.Marker == "" {
		return Known{}, err
	}
	var known Known
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := co.c.rest.Issues.ListComments(ctx, co.c.owner, co.c.name, comment.Issue,
			&github.IssueListCommentsOptions{ListOptions: *page})
		for _, one := range some {
			if one.GetID() == 0 {
				return nil, incomplete("a comment")
			}
			if known.ID == 0 && self.is(one.User) && strings.Contains(one.GetBody(), comment.Marker) {
				known = Known{ID: one.GetID(), Node: one.GetNodeID()}
				response.NextPage = 0
			}
		}
		return response, err
	})
	return known, err
}
