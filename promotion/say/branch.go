package say

import (
	"strings"
	"waybill/promotion"
)

// branches names the branches of the snapshot's stage for people.
func branches(s *promotion.Snapshot) string {
	all := s.Pipeline.BranchesOf(s.Stage)
	if len(all) == 1 {
		return all[0].Name
	}
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.String()
	}
	return strings.Join(promotion.FirstOf(names), ", ")
}
