package dora

import "waybill/promotion"

// Stages returns the stages that are deployed to, and the last ones among them: those after which no other takes
// freight, directly or through stages that only pass it on.
func Stages(p *promotion.Pipeline) (all, last []promotion.StageName) {
	followed := map[*promotion.Stage]bool{}
	for _, s := range p.Stages {
		if s.Delivery != promotion.DeliveryNone {
			follow(s, followed)
		}
	}
	for _, s := range p.Stages {
		if s.Delivery == promotion.DeliveryNone {
			continue
		}
		all = append(all, s.Name)
		if !followed[s] {
			last = append(last, s.Name)
		}
	}
	return all, last
}

// follow notes the stages after which a stage takes freight. The pipeline file has no cycles.
func follow(s *promotion.Stage, followed map[*promotion.Stage]bool) {
	for _, source := range s.From {
		if source.After == nil {
			continue
		}
		for _, up := range source.After.Of {
			if followed[up] {
				continue
			}
			followed[up] = true
			if up.Delivery == promotion.DeliveryNone {
				follow(up, followed)
			}
		}
	}
}
