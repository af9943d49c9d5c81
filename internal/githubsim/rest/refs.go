package rest

import (
	"net/http"

	"waybill/internal/githubsim/hub"
)

func refRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/ref/{ref}", showRef)
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/matching-refs/{ref}", listRefs)
	t.with("contents:write", "POST /repos/{owner}/{repo}/git/refs", createRef)
	t.with("contents:write", "PATCH /repos/{owner}/{repo}/git/refs/{ref}", updateRef)
	t.with("contents:write", "DELETE /repos/{owner}/{repo}/git/refs/{ref}", removeRef)
}

func showRef(c *call) (reply, error) {
	ref := "refs/" + c.params["ref"]
	if _, found := c.repo.Seen().Ref(ref); !found {
		return reply{}, hub.NotFound()
	}
	return ok(c.Render.Ref(c.repo, ref)), nil
}

func listRefs(c *call) (reply, error) {
	return list(c, c.repo.Seen().Refs("refs/"+c.params["ref"]),
		func(ref string) any { return c.Render.Ref(c.repo, ref) }), nil
}

func createRef(c *call) (reply, error) {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.Refs.New(c.who, c.repo, in.Ref, in.SHA); err != nil {
		return reply{}, err
	}
	out := created(c.Render.Ref(c.repo, in.Ref))
	out.Header = http.Header{"Location": {c.Render.API(c.repo, "/git/"+in.Ref)}}
	return out, nil
}

func updateRef(c *call) (reply, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	ref := "refs/" + c.params["ref"]
	if err := c.Refs.Move(c.who, c.repo, ref, in.SHA, in.Force); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Ref(c.repo, ref)), nil
}

func removeRef(c *call) (reply, error) {
	if err := c.Refs.Remove(c.who, c.repo, "refs/"+c.params["ref"]); err != nil {
		return reply{}, err
	}
	return nothing(), nil
}
