package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// group decodes a change of a group of a merge queue. The base comes from the delivery, the pull request from the name
// of the group's branch: there is no other source.
func (us Self) group(e *github.MergeGroupEvent) (Told, error) {
	f, g := us.about(e.Repo, e.Installation, e.Sender), e.GetMergeGroup()
	ref, is := strings.CutPrefix(g.GetHeadRef(), "refs/heads/")
	if !f.named() || !is || g.GetHeadSHA() == "" || g.GetBaseSHA() == "" {
		return Told{}, incomplete("merge_group")
	}
	group, _ := promotion.ParseGroup(ref)
	group.Branch, group.Base = strings.TrimPrefix(g.GetBaseRef(), "refs/heads/"), promotion.SHA(g.GetBaseSHA())
	f.tell(&MergeGroup{Group: group, Ref: ref, Head: promotion.SHA(g.GetHeadSHA()), Gone: e.GetAction() == "destroyed"})
	return f, nil
}
