package decide

import "waybill/promotion"

// tellRecoveries tells people that a stage is good again, where its failure was told: when the stage has verified the
// freight that had failed, or later freight of that warehouse. It tells them once, however often checks change, and not
// at all if the stage was good again before this decision.
func tellRecoveries(d *draft, before *promotion.Snapshot) {
	for i := range d.Promotions {
		p := &d.Promotions[i]
		why, at := recovery(&d.Snapshot, p), d.DeploymentOf(p.Number)
		if why.IsZero() || at < 0 || d.Deployments[at].Recovered {
			continue
		}
		if was := before.Promotion(p.Number); was == nil || !recovery(before, was).IsZero() {
			continue
		}
		d.changeDeployment(at).Recovered = true
		d.tell(p, string(promotion.Recovered), why.At(p.Reason.URL))
	}
}

// recovery says by what the stage is good again after a promotion has failed its verification; the zero reason if the
// promotion has not failed, or the stage is not good yet.
func recovery(s *promotion.Snapshot, p *promotion.Promotion) promotion.Reason {
	if p.State != promotion.VerificationFailed {
		return promotion.Reason{}
	}
	if i := s.DeploymentOf(p.Number); i >= 0 && s.Deployments[i].Verdict == promotion.Passed {
		return promotion.Because(promotion.Recovered, p.Freight.Name, p.Number.String())
	}
	for i := range s.Promotions {
		by := &s.Promotions[i]
		if by.Number > p.Number && by.Freight.Warehouse == p.Freight.Warehouse && by.State == promotion.Succeeded {
			return promotion.Because(promotion.Recovered, by.Freight.Name, by.Number.String())
		}
	}
	return promotion.Reason{}
}
