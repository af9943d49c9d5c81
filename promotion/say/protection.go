package say

import "waybill/promotion"

// ProtectionRule returns the answer to a job that GitHub holds back before it deploys into an environment of the stage:
// all are its obstacles there.
func ProtectionRule(s *promotion.Stage, all []promotion.Obstacle) GuardCheck {
	if len(all) == 0 {
		return GuardCheck{Title: "Nothing stops " + string(s.Name) + ": it is neither held nor frozen."}
	}
	return GuardCheck{Waits: true,
		Title: promotion.Clip("Waits: "+obstacleTitle(s, all[0])+". The job starts when that is over; /why "+string(s.Name)+
			" says more.", maxReport)}
}

// maxReport is GitHub's limit for the characters in a report of a deployment protection rule.
const maxReport = 1024

// NoProtectionRule turns a job away whose stage does not have the environment any more.
func NoProtectionRule(stage promotion.StageName, environment string) GuardCheck {
	return GuardCheck{Moot: true,
		Title: promotion.Clip("The stage "+string(stage)+" does not have the environment "+environment+
			" any more: run the job again.", maxReport)}
}

// NoStageFor says why a job is turned away that waits before an environment which no stage has.
func NoStageFor(repo promotion.Repo, environment string) string {
	return promotion.Clip("No stage of "+string(repo)+" has the environment "+environment+
		": correct the pipeline file, or take Waybill off the protection rules of the environment.", maxReport)
}
