package core

import (
	"time"

	"waybill/internal/story"
	"waybill/promotion"
)

// tagged is the present state of a release or a tag.
type tagged struct {
	repo promotion.Repo
	kind promotion.WarehouseKind
	promotion.Tagged
}

// Release implements play.Branches.
func (w ground) Release(repo promotion.Repo, tag string) error {
	g := w.github
	sha, exists := g.tagOf(repo, tag)
	if !exists {
		sha = g.tag(repo, tag)
	}
	g.nextID++
	g.put(tagged{repo, promotion.FromReleases, promotion.Tagged{
		Tag: tag, SHA: sha, At: w.now, Release: int(g.nextID), Title: tag,
	}})
	return nil
}

// Tag implements play.Branches.
func (w ground) Tag(repo promotion.Repo, tag string) error {
	w.github.tag(repo, tag)
	return nil
}

// tagOf returns the commit of a tag, and whether the tag exists.
func (g *github) tagOf(repo promotion.Repo, tag string) (promotion.SHA, bool) {
	for _, t := range g.tagged {
		if t.repo == repo && t.Tag == tag {
			return t.SHA, true
		}
	}
	return "", false
}

// tag points a tag at the head of the default branch and returns that commit.
func (g *github) tag(repo promotion.Repo, tag string) promotion.SHA {
	sha := g.head(promotion.Branch{Repo: repo, Name: story.Branch})
	g.put(tagged{repo, promotion.FromTags, promotion.Tagged{Tag: tag, SHA: sha, At: g.dated(sha)}})
	return sha
}

// put adds a release or tag, or replaces the one with its name, and sends the webhook.
func (g *github) put(t tagged) {
	g.tagged = put(g.tagged, t, func(known tagged) bool {
		return known.repo == t.repo && known.kind == t.kind && known.Tag == t.Tag
	})
	g.hear(taggedFact(t))
}

// dated returns the date of a commit. Commits from before the story have the date of its start.
func (g *github) dated(sha promotion.SHA) time.Time {
	if at, known := g.dates[sha]; known {
		return at
	}
	return story.Start()
}
