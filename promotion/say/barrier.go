package say

import (
	"strings"
	"time"
	"waybill/promotion"
)

// Barrier rules on a job that GitHub holds back before it deploys a commit into the stage's environment, or into that
// of one of its targets. It waits while a person holds the stage, or that target, and while the stage is frozen for
// what the commit is. A hold of Waybill's own stops promotions, and no job: the one that waits may be what would show
// that everything is well.
func Barrier(s *promotion.Snapshot, environment string, sha promotion.SHA, now time.Time) Ruling {
	stage := string(s.Stage.Name)
	var all []obstacle
	for _, h := range s.ActiveHolds(now) {
		if !h.By.Bot() && heldIn(s.Stage, h, environment) {
			all = append(all, heldUp(s, h))
		}
	}
	all = append(all, frozenUp(s, classOf(s, sha), now)...)
	if len(all) == 0 {
		return Ruling{Title: "Nothing stops " + stage + ": it is neither held nor frozen."}
	}
	return Ruling{Waits: true,
		Title: promotion.Clip("Waits: "+all[0].title+". It goes on by itself when that is over.", maxReport)}
}

// heldIn reports whether a hold concerns an environment: that of a target concerns the environment of no other.
func heldIn(s *promotion.Stage, h promotion.Hold, environment string) bool {
	if h.Target == "" {
		return true
	}
	t := s.Target(h.Target)
	return t != nil && (t.Environment == "" || strings.EqualFold(t.Environment, environment))
}

// maxReport is how many characters GitHub takes of what a deployment protection rule reports.
const maxReport = 1024

// NoBarrier turns a job away whose stage does not have the environment any more.
func NoBarrier(stage promotion.StageName, environment string) Ruling {
	return Ruling{Moot: true,
		Title: promotion.Clip("The stage "+string(stage)+" does not have the environment "+environment+
			" any more: run the job again.", maxReport)}
}

// NoStageFor says why a job is turned away that waits before an environment which no stage has.
func NoStageFor(repo promotion.Repo, environment string) string {
	return promotion.Clip("No stage of "+string(repo)+" has the environment "+environment+
		": correct the pipeline file, or take Waybill off the protection rules of the environment.", maxReport)
}

// classOf is the class of the promotion that brought a commit; that of what people ask for if none did.
func classOf(s *promotion.Snapshot, sha promotion.SHA) promotion.Class {
	for i := range s.Promotions {
		if p := &s.Promotions[i]; p.MergeSHA == sha {
			return p.Class
		}
	}
	return promotion.Manual
}
