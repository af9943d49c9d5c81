package command

import (
	"slices"

	"waybill/promotion"
)

// RollbackTo returns the index of the freight that a rollback means: the one the request names, if it has been verified
// here before, else the one verified here last that is older than the hosted one, of the same warehouse as the last
// deployment, if there is one; -1 with the reason if there is none. Without a name a rollback never goes forward: the
// freight that was rolled back is newer than the one that came back (T33).
func RollbackTo(s *promotion.Snapshot, r promotion.Request, last int) (int, promotion.Reason) {
	if name := r.Command.Freight; name != "" {
		i := freightNamed(s, name)
		switch {
		case i < 0:
			return -1, unknown(name)
		case hosts(s, &s.Freight[i]):
			return -1, promotion.Because(promotion.Already)
		case !goodHere(s, s.Freight[i].ID):
			return -1, promotion.Because(promotion.Unverified, string(s.Stage.Name))
		}
		return i, promotion.Reason{}
	}
	if last >= 0 {
		for j := range slices.Backward(s.Deployments) {
			deployment := &s.Deployments[j]
			i := s.FreightAt(deployment.Freight)
			if deployment.Warehouse == s.Deployments[last].Warehouse && i >= 0 && goesBack(s, i) &&
				goodHere(s, deployment.Freight) {
				return i, promotion.Reason{}
			}
		}
	}
	return -1, promotion.Because(promotion.Unverified,
		string(s.Stage.Name)).With("nothing older has been; name the freight to bring back another one")
}

// goesBack reports whether the i-th freight is older than the one that the stage hosts of its warehouse.
func goesBack(s *promotion.Snapshot, i int) bool {
	h := s.Hosted(s.Freight[i].Warehouse)
	if h < 0 {
		return false
	}
	hosted := s.FreightAt(s.Deployments[h].Freight)
	return hosted >= 0 && s.Freight[i].Before(s.Freight[hosted])
}

// goodHere reports whether the latest verdict on a freight in this stage is good.
func goodHere(s *promotion.Snapshot, f promotion.FreightID) bool {
	good := false
	for i := range s.Deployments {
		if v := s.Deployments[i].Verdict; s.Deployments[i].Freight == f && (v == promotion.Passed || v == promotion.Bad) {
			good = v == promotion.Passed
		}
	}
	return good
}

// hosts reports whether the stage hosts this freight now.
func hosts(s *promotion.Snapshot, f *promotion.Freight) bool {
	i := s.Hosted(f.Warehouse)
	return i >= 0 && s.Deployments[i].Freight == f.ID
}
