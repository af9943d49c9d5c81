package command

import (
	"slices"

	"waybill/promotion"
)

// targetBackTo is RollbackTo for one target: the freight must have been verified there, and not have failed in the
// stage. Without a name it is the one that was there last and is older than what is there.
func targetBackTo(s *promotion.Snapshot, r promotion.Request, last int) (int, promotion.Reason) {
	if name := r.Command.Freight; name != "" {
		return targetBackToNamed(s, r, name)
	}
	why := promotion.Because(promotion.Unverified, r.Command.Place()).
		With("nothing older has been; name the freight to bring back another one")
	if last < 0 {
		return -1, why
	}
	all := s.BroughtTo(r.Command.Target, s.Deployments[last].Warehouse)
	if len(all) == 0 {
		return -1, why
	}
	if other := targetHostsOther(s, r, all[0]); !other.IsZero() {
		return -1, other
	}
	has := s.FreightAt(all[0].Freight)
	for _, b := range all[1:] {
		i := s.FreightAt(b.Freight)
		if i >= 0 && has >= 0 && s.Freight[i].Before(s.Freight[has]) && goodThere(s, b) &&
			s.Rejected(s.Stage.Name, &s.Freight[i]) == nil {
			return i, promotion.Reason{}
		}
	}
	return -1, why
}

// targetBackToNamed is targetBackTo for the freight of a name.
func targetBackToNamed(s *promotion.Snapshot, r promotion.Request, name string) (int, promotion.Reason) {
	i := freightNamed(s, name)
	if i < 0 {
		return -1, unknown(name)
	}
	all := s.BroughtTo(r.Command.Target, s.Freight[i].Warehouse)
	at := slices.IndexFunc(all, func(b promotion.Brought) bool { return b.Freight == s.Freight[i].ID })
	bad := s.Rejected(s.Stage.Name, &s.Freight[i])
	switch {
	case at == 0:
		return -1, promotion.Because(promotion.Already)
	case at < 0 || !goodThere(s, all[at]):
		return -1, promotion.Because(promotion.Unverified, r.Command.Place())
	case bad != nil:
		return -1, bad.Because()
	}
	return i, promotion.Reason{}
}

// goodThere reports whether freight is good in a target, and has not failed in the stage.
func goodThere(s *promotion.Snapshot, b promotion.Brought) bool {
	return b.Verdict == promotion.Passed && s.VerdictHere(b.Freight) != promotion.Bad
}

// targetHostsOther is hostsOther for one target, which has this freight.
func targetHostsOther(s *promotion.Snapshot, r promotion.Request, has promotion.Brought) promotion.Reason {
	if r.Pull == 0 || has.Verdict != promotion.Passed {
		return promotion.Reason{}
	}
	i, _ := freightBelow(s, r)
	if i < 0 || s.Freight[i].ID == has.Freight || s.OpenOf(s.Freight[i].ID) != nil {
		return promotion.Reason{}
	}
	if h := s.FreightAt(has.Freight); h < 0 || s.Freight[h].Warehouse != s.Freight[i].Warehouse {
		return promotion.Reason{}
	}
	return promotion.Because(promotion.Hosts, s.NameOf(has.Freight), s.Freight[i].Name)
}
