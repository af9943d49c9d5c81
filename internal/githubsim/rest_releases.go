package githubsim

import (
	"slices"
	"strconv"
)

func releaseRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases", listReleases)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/latest", showLatestRelease)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/tags/{tag}", showTaggedRelease)
	t.with("contents:read", "GET /repos/{owner}/{repo}/releases/{release_id}", showRelease)
	t.with("contents:write", "POST /repos/{owner}/{repo}/releases", createRelease)
}

func listReleases(c *call) (reply, error) {
	newestFirst := slices.Clone(c.repo.releases)
	slices.Reverse(newestFirst)
	return list(c, newestFirst, func(one *release) any { return c.Render.Release(c.repo, one) }), nil
}

// firstRelease answers the newest release that is as wanted.
func (c *call) firstRelease(wanted func(*release) bool) (reply, error) {
	for _, one := range slices.Backward(c.repo.releases) {
		if wanted(one) {
			return ok(c.Render.Release(c.repo, one)), nil
		}
	}
	return reply{}, notFound()
}

func showLatestRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *release) bool { return !one.draft && !one.prerelease })
}

func showTaggedRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *release) bool { return one.tag == c.params["tag"] })
}

func showRelease(c *call) (reply, error) {
	return c.firstRelease(func(one *release) bool { return strconv.FormatInt(one.id, 10) == c.params["release_id"] })
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
	for _, other := range c.repo.releases {
		if other.tag == in.TagName {
			return reply{}, validationFailed("Release", "tag_name", "already_exists", "")
		}
	}
	one := &release{tag: in.TagName, name: in.Name, body: in.Body, target: in.Target, author: c.who.account, draft: in.Draft, prerelease: in.Prerelease}
	if err := c.Releases.Publish(c.repo, one); err != nil {
		return reply{}, err
	}
	return created(c.Render.Release(c.repo, one)), nil
}
