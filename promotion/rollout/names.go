package rollout

import "waybill/promotion"

func namesOf(s *promotion.Stage) map[promotion.TargetName]bool {
	all := make(map[promotion.TargetName]bool, len(s.Targets))
	for i := range s.Targets {
		all[s.Targets[i].Name] = true
	}
	return all
}

func setOf(names []promotion.TargetName) map[promotion.TargetName]bool {
	all := make(map[promotion.TargetName]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}
