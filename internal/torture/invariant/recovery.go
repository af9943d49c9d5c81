package invariant

import (
	"fmt"

	"waybill/internal/torture/ledger"
)

// recoveryRules must hold an hour after an older copy of the database was put in its place.
var recoveryRules = []rule[knows]{
	{"all freight comes from acts of people and CI, and has the commit that its name meant first", isBroughtAbout},
	{"every source event is freight once and in its order", isFreight},
	{"merges by people and by Waybill are known", knowsMerges},
	{"no pull request of a lost promotion, or of a lost step of one, is open", closesLost},
}

// knowsMerges passes over the lost steps of a rollout, which has others in their place.
func knowsMerges(l *ledger.Ledger, _ knows) string {
	for _, p := range l.Remote.Ours("merged") {
		number := ledger.NumberOf(p.HeadBranch)
		if known, is := l.DB.Seen.Promotions[number]; is && !known.Merged.Valid && !known.Ended() &&
			l.DB.HasPull(p) {
			return fmt.Sprintf("p%d is %s, and #%d is merged", number, known.State, p.Number)
		}
	}
	return ""
}

func closesLost(l *ledger.Ledger, _ knows) string {
	for _, p := range l.Remote.Ours("open") {
		_, is := l.DB.Seen.Promotions[ledger.NumberOf(p.HeadBranch)]
		if (!is || !l.DB.HasPull(p)) && p.Author == "waybill[bot]" {
			return fmt.Sprintf("#%d of %s", p.Number, p.HeadBranch)
		}
	}
	return ""
}
