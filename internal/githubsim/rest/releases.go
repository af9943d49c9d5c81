package rest

import (
	"slices"
	"strconv"

	"waybill/internal/githubsim/hub"
)

func releaseRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases", listReleases)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/latest", showLatestRelease)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/tags/{tag}", showTaggedRelease)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/{release_id}", showRelease)
	t.with("contents:write", "POST /repos/{owner}/{repo}/releases", createRelease)
}

func listReleases(c *call) (reply, error) {
	newestFirst := slices.Clone(c.repo.Releases)
	slices.Reverse(newestFirst)
	return list(c, newestFirst, func(one *hub.Release) any { return c.Render.Release(c.repo, one) }), nil
}

// firstRelease returns the newest release that matches.
func (c *call) firstRelease(wanted func(*hub.Release) bool) (reply, error) {
	for _, one := range slices.Backward(c.repo.Releases) {
		if wanted(one) {
			return ok(c.Render.Release(c.repo, one)), nil
		}
	}
	return reply{}, hub.NotFound()
}

func showLatestRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *hub.Release) bool { return !one.Draft && !one.Prerelease })
}

func showTaggedRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *hub.Release) bool { return one.Tag == c.params["tag"] })
}

func showRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *hub.Release) bool { return strconv.FormatInt(one.ID, 10) == c.params["release_id"] })
}

func createRelease(c *call) (reply, error) {
	var in struct {
		TagName    string `json:"tag_name"`
		Target     string `json:"target_commitish"`
		Name, Body string
		Draft      bool
		Prerelease bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	for _, other := range c.repo.Releases {
		if other.Tag == in.TagName {
			return reply{}, hub.ValidationFailed("Release", "tag_name", "already_exists", "")
		}
	}
	one := &hub.Release{
		Tag: in.TagName, Name: in.Name, Body: in.Body, Target: in.Target, Author: c.who.Account, Draft: in.Draft,
		Prerelease: in.Prerelease,
	}
	if err := c.Releases.Publish(c.repo, one); err != nil {
		return reply{}, err
	}
	return created(c.Render.Release(c.repo, one)), nil
}
