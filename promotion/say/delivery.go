package say

import (
	"cmp"

	"waybill/promotion"
)

// deliveryWords are the words for each way to deliver, where they are not those for a pull request.
var deliveryWords = map[promotion.Delivery]struct {
	states map[promotion.State]string       // in titles
	merge  string                           // who merges
	note   func(is promotion.Status) string // the note of a plan about it
}{
	promotion.DeliveryNone:        {},
	promotion.DeliveryPullRequest: {},
	promotion.DeliveryCommit: {
		states: map[promotion.State]string{promotion.Running: "Committing", promotion.Verifying: "Committed, verifying"},
		merge:  "none, it is committed directly",
		note: func(is promotion.Status) string {
			return "It is committed to " + branches(is.Branches) + " without a pull request."
		},
	},
	promotion.DeliveryWorkflow: {
		states: map[promotion.State]string{
			promotion.Running: "Starting its workflow", promotion.Verifying: "Its workflow runs",
		},
		note: func(is promotion.Status) string {
			return "It starts the workflow " + is.Stage.Dispatch.Workflow + ", and changes no file."
		},
	},
}

// stateWord says a state in the words of a title, as it is in this stage.
func stateWord(s *promotion.Stage, state promotion.State) string {
	special := ""
	if s != nil {
		special = deliveryWords[s.Delivery].states[state]
	}
	return cmp.Or(special, stateWords[state])
}

// merging tells how a promotion comes onto the branch.
func merging(s *promotion.Stage) string {
	return cmp.Or(deliveryWords[s.Delivery].merge, string(s.Merge.By))
}
