package rest

import (
	"slices"
	"strconv"

	"waybill/internal/githubsim/hub"
)

func reactionRoutes(t *table) {
	for _, on := range []struct {
		path string
		find func(*call) (*[]*hub.Reaction, error)
	}{
		{"/issues/{issue_number}/reactions", issueReactions},
		{"/issues/comments/{comment_id}/reactions", commentReactions},
	} {
		path := "/repos/{owner}/{repo}" + on.path
		t.with("issues:read", "GET "+path, listReactions(on.find))
		t.with("issues:write", "POST "+path, createReaction(on.find))
		t.with("issues:write", "DELETE "+path+"/{reaction_id}", deleteReaction(on.find))
	}
}

func issueReactions(c *call) (*[]*hub.Reaction, error) {
	i, err := c.issue()
	if err != nil {
		return nil, err
	}
	return &i.Reactions, nil
}

func commentReactions(c *call) (*[]*hub.Reaction, error) {
	one, err := c.comment()
	if err != nil {
		return nil, err
	}
	return &one.Reactions, nil
}

func listReactions(find func(*call) (*[]*hub.Reaction, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		on, err := find(c)
		if err != nil {
			return reply{}, err
		}
		return list(c, *on, c.Render.Reaction), nil
	}
}

// createReaction answers 200 instead of 201 if the reaction exists already.
func createReaction(find func(*call) (*[]*hub.Reaction, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		on, err := find(c)
		if err != nil {
			return reply{}, err
		}
		var in struct{ Content string }
		if err := c.decode(&in); err != nil {
			return reply{}, err
		}
		if !slices.Contains(hub.ReactionContents, in.Content) {
			return reply{}, hub.ValidationFailed("Reaction", "content", "invalid", "")
		}
		one, isNew := c.Tracker.React(on, in.Content, c.who.Account)
		if !isNew {
			return ok(c.Render.Reaction(one)), nil
		}
		return created(c.Render.Reaction(one)), nil
	}
}

func deleteReaction(find func(*call) (*[]*hub.Reaction, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		on, err := find(c)
		if err != nil {
			return reply{}, err
		}
		at := slices.IndexFunc(*on, func(one *hub.Reaction) bool {
			return strconv.FormatInt(one.ID,
				10) == c.params["reaction_id"]
		})
		if at < 0 {
			return reply{}, hub.NotFound()
		}
		*on = slices.Delete(*on, at, at+1)
		return nothing(), nil
	}
}
