package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"
)

// release decodes a change of a release. A draft is no release yet. One that is withdrawn changes nothing: it is no new
// freight, and freight that it was stays.
func (us Self) release(e *github.ReleaseEvent) (Told, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() || e.GetRelease().GetTagName() == "" {
		return Told{}, incomplete("release")
	}
	switch e.GetAction() {
	case "published", "released", "edited":
		if !e.GetRelease().GetDraft() {
			f.tell(&Released{e.GetRelease().GetTagName()})
		}
	}
	return f, nil
}

// taggedBy returns the tag that a push has made or moved; empty if it has deleted one, or is about something else.
func taggedBy(e *github.PushEvent) string {
	tag, is := strings.CutPrefix(e.GetRef(), "refs/tags/")
	if !is || e.GetDeleted() {
		return ""
	}
	return tag
}
