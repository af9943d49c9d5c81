package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// group decodes an event of a group of a merge queue. Its base is taken from the delivery, its pull request from the
// name of its branch: no other field has it.
func (us Self) group(e *github.MergeGroupEvent) (Facts, error) {
	f, g := us.about(e.Repo, e.Installation, e.Sender), e.GetMergeGroup()
	ref, is := strings.CutPrefix(g.GetHeadRef(), "refs/heads/")
	if !f.named() || !is || g.GetHeadSHA() == "" || g.GetBaseSHA() == "" {
		return Facts{}, incomplete("merge_group")
	}
	group, _ := promotion.ParseGroup(ref)
	group.Branch, group.Base = strings.TrimPrefix(g.GetBaseRef(), "refs/heads/"), promotion.SHA(g.GetBaseSHA())
	f.Group = &MergeGroup{Group: group, Ref: ref, Head: promotion.SHA(g.GetHeadSHA()), Gone: e.GetAction() == "destroyed"}
	return f, nil
}
