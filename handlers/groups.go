package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// group decodes what happened to a group of a merge queue. What it was put on is believed from the delivery, whose pull
// request it is from the name of its branch: nothing else tells.
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
