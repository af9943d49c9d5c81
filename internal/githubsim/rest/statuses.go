package rest

import (
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func statusRoutes(t *table) {
	t.with("statuses:write", "POST /repos/{owner}/{repo}/statuses/{sha}", setStatus)
	t.with("statuses:read", "GET /repos/{owner}/{repo}/commits/{ref}/statuses", listStatuses)
	t.with("statuses:read", "GET /repos/{owner}/{repo}/commits/{ref}/status", showCombined)
}

func setStatus(c *call) (reply, error) {
	var in hub.StatusSpec
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	one, err := c.Checks.SetStatus(c.repo, c.params["sha"], in, c.who.Account)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.Status(c.repo, one)), nil
}

func listStatuses(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, hub.NotFound()
	}
	return list(c, c.repo.StatusesOf(commit.SHA), func(one *hub.Status) any { return c.Render.Status(c.repo, one) }), nil
}

func showCombined(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, hub.NotFound()
	}
	latest := c.repo.LatestStatuses(commit.SHA)
	shown, header := page(c, latest)
	out := ok(obj{
		"state": hub.Combined(latest), "sha": commit.SHA, "total_count": len(latest),
		"repository": c.Render.MinimalRepo(c.repo),
		"statuses":   render.List(shown, func(one *hub.Status) any { return withoutCreator(c.Render.Status(c.repo, one)) }),
		"commit_url": c.Render.API(c.repo, "/commits/"+commit.SHA),
		"url":        c.Render.API(c.repo, "/commits/"+commit.SHA+"/status"),
	})
	out.Header = header
	return out, nil
}

// withoutCreator renders a status as in the combined status.
func withoutCreator(j obj) obj {
	delete(j, "creator")
	return j
}
