package command

import (
	"slices"

	"waybill/promotion"
)

// RollbackTo returns the index of the freight that a rollback means: the one the request names, if it has been verified
// here before, else the one verified here last that is older than the hosted one, of the same warehouse as the last
// deployment, if there is one; -1 with the reason if there is none. Without a name a rollback never goes forward: the
// freight that was rolled back is newer than the one that came back (T33).
//
// Where only some targets have been rolled back so far, a rollback of the stage goes to the same freight. Below a pull
// request it takes back freight of that warehouse, and of no other that came later.
func RollbackTo(s *promotion.Snapshot, r promotion.Request, last int) (int, promotion.Reason) {
	if w := BackBelow(s, r); w != "" {
		last = s.Hosted(w)
	}
	if r.Command.Target != "" {
		return targetBackTo(s, r, last)
	}
	if name := r.Command.Freight; name != "" {
		i := freightNamed(s, name)
		switch {
		case i < 0:
			return -1, unknown(name)
		case hosts(s, &s.Freight[i]) && partlyBackTo(s, s.Freight[i].Warehouse) != i:
			return -1, promotion.Because(promotion.Already)
		case !s.VerifiedHere(s.Freight[i].ID):
			return -1, promotion.Because(promotion.Unverified, string(s.Stage.Name))
		}
		if bad := s.Rejected(s.Stage.Name, &s.Freight[i]); bad != nil {
			return -1, bad.Because()
		}
		return i, promotion.Reason{}
	}
	if why := hostsOther(s, r); !why.IsZero() {
		return -1, why
	}
	if last >= 0 {
		if i := partlyBackTo(s, s.Deployments[last].Warehouse); i >= 0 {
			return i, promotion.Reason{}
		}
		for j := range slices.Backward(s.Deployments) {
			deployment := &s.Deployments[j]
			i := s.FreightAt(deployment.Freight)
			if deployment.Warehouse == s.Deployments[last].Warehouse && i >= 0 && GoesBack(s, s.Freight[i].Ref()) &&
				s.VerifiedHere(deployment.Freight) && s.Rejected(s.Stage.Name, &s.Freight[i]) == nil {
				return i, promotion.Reason{}
			}
		}
	}
	return -1, promotion.Because(promotion.Unverified,
		string(s.Stage.Name)).With("there is nothing older to go back to; to mean other freight: /rollback " +
		string(s.Stage.Name) + " to FREIGHT")
}

// BackBelow returns the warehouse whose freight a rollback takes back that names none: that of the pull request on
// which it was asked for; "" if it stands on none that the stage takes, or names freight.
func BackBelow(s *promotion.Snapshot, r promotion.Request) promotion.WarehouseName {
	if r.Pull == 0 || r.Command.Freight != "" {
		return ""
	}
	i, _ := freightBelow(s, r)
	if i < 0 {
		return ""
	}
	source, _ := s.Stage.Source(s.Freight[i].Warehouse)
	return source.Warehouse
}

// partlyBackTo returns the index of the freight that a stage hosts because some of its targets were rolled back to it,
// and it may go everywhere; -1 if there is none.
func partlyBackTo(s *promotion.Snapshot, w promotion.WarehouseName) int {
	h := s.Hosted(w)
	if h < 0 || !s.Deployments[h].Incomplete {
		return -1
	}
	p, i := s.Promotion(s.Deployments[h].Promotion), s.FreightAt(s.Deployments[h].Freight)
	if p == nil || !p.GoesPartlyBack() || i < 0 || !s.VerifiedHere(s.Freight[i].ID) ||
		s.Rejected(s.Stage.Name, &s.Freight[i]) != nil {
		return -1
	}
	return i
}

// GoesBack reports whether freight is older than that which the stage hosts of its warehouse.
func GoesBack(s *promotion.Snapshot, f promotion.FreightRef) bool {
	i, h := s.FreightAt(f.ID), s.Hosted(f.Warehouse)
	if i < 0 || h < 0 {
		return false
	}
	hosted := s.FreightAt(s.Deployments[h].Freight)
	return hosted >= 0 && s.Freight[i].Before(s.Freight[hosted])
}

// hostsOther returns why a rollback that is asked for below the pull request of some freight is none of it: the stage
// hosts other freight of that warehouse, which is verified, and the freight is not on its way there. So a rollback that
// has been done is not done again.
func hostsOther(s *promotion.Snapshot, r promotion.Request) promotion.Reason {
	if r.Pull == 0 {
		return promotion.Reason{}
	}
	i, _ := freightBelow(s, r)
	if i < 0 || hosts(s, &s.Freight[i]) || s.OpenOf(s.Freight[i].ID) != nil {
		return promotion.Reason{}
	}
	h := s.Hosted(s.Freight[i].Warehouse)
	if h < 0 || s.Deployments[h].Verdict != promotion.Passed {
		return promotion.Reason{}
	}
	return promotion.Because(promotion.Hosts, s.NameOf(s.Deployments[h].Freight), s.Freight[i].Name)
}

// hosts reports whether the stage hosts this freight now.
func hosts(s *promotion.Snapshot, f *promotion.Freight) bool {
	i := s.Hosted(f.Warehouse)
	return i >= 0 && s.Deployments[i].Freight == f.ID
}
