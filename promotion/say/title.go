package say

import (
	"fmt"

	"waybill/promotion"
)

// PullTitle is the title of a promotion's pull request.
func PullTitle(p *promotion.Promotion) string {
	title := fmt.Sprintf("Promote %s to %s", p.Freight.Name, p.Stage)
	if p.Class == promotion.Rollback {
		title = fmt.Sprintf("Roll back %s to %s", p.Where(), p.Freight.Name)
	}
	if p.Rolls() {
		title += fmt.Sprintf(" (%s: %s)", p.Rollout.BatchName(), firstOf(p.Rollout.Targets))
	}
	return promotion.Clip(title, 250)
}

// CommitMessage is the message of a promotion's commit, which ends with a trailer (Pipeline.Trailer).
func CommitMessage(p *promotion.Promotion, trailer string) string {
	return fmt.Sprintf("%s\n\n%s\n", PullTitle(p), trailer)
}

// details is the link to where people see for themselves why freight stands as it does, such as the check that failed.
func details(at promotion.FreightStatus) promotion.Link {
	return promotion.Link{What: "details", URL: address(at.Why().URL)}
}
