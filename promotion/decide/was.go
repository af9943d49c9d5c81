package decide

import "waybill/promotion"

// wasThere says where the freight of a promotion was that has ended, if the stage hosts it no more: where it is now and
// what became of it then are two things. However the promotion ended, what it had merged was there.
func wasThere(s *promotion.Snapshot, p *promotion.Promotion) promotion.Was {
	if p == nil || !p.State.Ended() || s.HostedDeployment(p.Freight.ID) != nil {
		return promotion.Was{}
	}
	left, known := leftBy(s, p)
	if !known && p.Merged.IsZero() {
		return promotion.Was{} // it never came
	}
	was := promotion.Was{In: p.Stage, Until: left.Left}
	if h := s.Hosted(p.Freight.Warehouse); h >= 0 {
		was.Then = s.NameOf(s.Deployments[h].Freight)
		i, hosted := s.FreightAt(p.Freight.ID), s.FreightAt(s.Deployments[h].Freight)
		was.Back = i >= 0 && hosted >= 0 && s.Freight[hosted].Before(s.Freight[i])
	} else if !known {
		return promotion.Was{}
	}
	for i := range s.Deployments { // what came first
		d := &s.Deployments[i]
		if known && d.Warehouse == left.Warehouse && d.Freight != left.Freight && !d.Entered.Before(left.Left) {
			was.Then = s.NameOf(d.Freight)
			break
		}
	}
	return was
}

// leftBy returns the latest deployment of a promotion's freight, which has ended; false if it is not known any more.
func leftBy(s *promotion.Snapshot, p *promotion.Promotion) (left promotion.Deployment, known bool) {
	for i := range s.Deployments {
		if d := &s.Deployments[i]; d.Freight == p.Freight.ID && d.Ended() {
			left, known = *d, true
		}
	}
	return left, known
}
