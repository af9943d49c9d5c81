package say

import (
	"strings"

	"waybill/promotion"
)

// branches names the branches of a stage for people.
func branches(all []promotion.Branch) string {
	if len(all) == 1 {
		return all[0].Name
	}
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.String()
	}
	return strings.Join(promotion.FirstOf(names), ", ")
}
