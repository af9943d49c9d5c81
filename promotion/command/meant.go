package command

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// FreightMeant returns the index of the freight that a request means: the one it names, or that of the pull request it
// stands on, or, if it stands on none, the newest available; -1 with the reason if there is none. A pull request is
// never about the freight of others.
func FreightMeant(s *promotion.Snapshot, r promotion.Request, available func(i int) bool) (int, promotion.Reason) {
	switch name := r.Command.Freight; {
	case name != "":
		if i := freightNamed(s, name); i >= 0 {
			return i, promotion.Reason{}
		}
		return -1, unknown(name)
	case r.Pull != 0:
		return freightBelow(s, r)
	}
	if i := newest(s, available); i >= 0 {
		return i, promotion.Reason{}
	}
	return -1, unknown("freight")
}

// NamedFreight returns the index of the freight that a request names, or that of the pull request it stands on; -1
// with the reason if there is none. It guesses no other.
func NamedFreight(s *promotion.Snapshot, r promotion.Request) (int, promotion.Reason) {
	if r.Command.Freight == "" && r.Pull == 0 {
		return -1, unknown("freight").With("name it, as in /" + string(r.Command.Verb) + " api#142")
	}
	return FreightMeant(s, r, func(int) bool { return false })
}

// freightBelow returns the index of the freight of the pull request that a request stands on. If that is freight of
// several warehouses, the one that the stage takes is meant.
func freightBelow(s *promotion.Snapshot, r promotion.Request) (int, promotion.Reason) {
	var all, taken []int
	for i := range s.Freight {
		if !r.StandsOn(&s.Freight[i]) {
			continue
		}
		all = append(all, i)
		if _, takes := s.Stage.Source(s.Freight[i].Warehouse); takes {
			taken = append(taken, i)
		}
	}
	if len(taken) == 0 {
		taken = all
	}
	switch len(taken) {
	case 0:
		return -1, noFreight(r)
	case 1:
		return taken[0], promotion.Reason{}
	}
	var names []string
	for _, i := range taken {
		names = append(names, s.Freight[i].Name)
	}
	return -1, promotion.Because(promotion.Several, names...)
}

// noFreight returns the reason that the pull request of a request is no freight.
func noFreight(r promotion.Request) promotion.Reason {
	args := []string{string(r.PullRepo) + promotion.PullRef(r.Pull)}
	if r.Unmerged {
		args = append(args, "unmerged")
	}
	return promotion.Because(promotion.NoFreight, args...)
}

// Elsewhere returns why a request is not about the freight of a promotion: it stands on the pull request of other
// freight, or of none; the zero reason if it is about it, or stands on no pull request.
func Elsewhere(s *promotion.Snapshot, r promotion.Request, p *promotion.Promotion) promotion.Reason {
	if r.Pull == 0 || concerns(s, r, p) {
		return promotion.Reason{}
	}
	i, why := freightBelow(s, r)
	if i >= 0 {
		return unknown("open promotion of " + s.Freight[i].Name)
	}
	return why
}

// freightNamed returns the index of the freight with that name, pull request number or commit, or -1.
func freightNamed(s *promotion.Snapshot, name string) int {
	for i := range slices.Backward(s.Freight) {
		f := &s.Freight[i]
		if f.Name == name || f.Pull != 0 && promotion.PullRef(f.Pull) == name ||
			len(name) >= 7 && strings.HasPrefix(string(f.SHA), name) {
			return i
		}
	}
	return -1
}

// NewestFreight returns the index of the newest freight of the stage's warehouses, whether it may go there or not; -1
// if there is none.
func NewestFreight(s *promotion.Snapshot) int { return newest(s, func(int) bool { return true }) }

// newest returns the index of the newest freight that counts, or -1: of each warehouse the last in its order, and of
// these the one that came last.
func newest(s *promotion.Snapshot, counts func(i int) bool) int {
	of := make(map[promotion.WarehouseName]int)
	for i := range s.Freight {
		last, some := of[s.Freight[i].Warehouse]
		if (!some || s.Freight[last].Before(s.Freight[i])) && counts(i) {
			of[s.Freight[i].Warehouse] = i
		}
	}
	newest := -1
	for i := range s.Freight {
		last, some := of[s.Freight[i].Warehouse]
		if some && last == i && (newest < 0 || cameLater(&s.Freight[i], &s.Freight[newest])) {
			newest = i
		}
	}
	return newest
}

// cameLater reports whether freight of one warehouse came later than freight of another, whose order is not comparable.
func cameLater(f, than *promotion.Freight) bool {
	if at := f.At().Compare(than.At()); at != 0 {
		return at > 0
	}
	return than.Before(*f)
}

// ToCancel returns the promotion that a cancel means: the one that it names; else the one that it stands on, or the one
// that runs, unless it is merged; else the only one that waits. If several wait it means none, and the reason lists
// them. A promotion that is merged comes back only if the cancel can mean no other. Without any there is neither.
func ToCancel(s *promotion.Snapshot, r promotion.Request) (*promotion.Promotion, promotion.Reason) {
	var waiting []*promotion.Promotion
	var names []string
	named := freightNamed(s, r.Command.Freight)
	for i := range s.Promotions {
		p := &s.Promotions[i]
		switch name := r.Command.Freight; {
		case p.State.Ended():
		case name != "" && (name == "p"+p.Number.String() || named >= 0 && p.Freight.ID == s.Freight[named].ID):
			return p, promotion.Reason{}
		case p.State == promotion.Verifying && !p.Rolls(): // it is merged
		case name == "" && concerns(s, r, p):
			return p, promotion.Reason{}
		case p.State == promotion.Queued:
			waiting = append(waiting, p)
			names = append(names, "p"+p.Number.String()+" "+p.Freight.Name)
		}
	}
	runs := s.Active()
	switch {
	case r.Command.Freight != "":
		return nil, unknown(r.Command.Freight)
	case runs != nil && (runs.State != promotion.Verifying || runs.Rolls()):
		return runs, promotion.Reason{}
	case len(waiting) == 1:
		return waiting[0], promotion.Reason{}
	case len(waiting) > 1:
		return nil, promotion.Because(promotion.Which, names...)
	}
	return runs, promotion.Reason{}
}

// ToRetry returns the promotion that a retry means: the one that failed last, of those of the freight that it names, or
// of those that it stands on; nil if none has. A cancelled promotion has not failed.
func ToRetry(s *promotion.Snapshot, r promotion.Request) *promotion.Promotion {
	for i := range slices.Backward(s.Promotions) {
		p := &s.Promotions[i]
		if p.State != promotion.Failed && p.State != promotion.Declined && p.State != promotion.VerificationFailed {
			continue
		}
		if name := r.Command.Freight; name != "" && name != p.Freight.Name {
			continue
		}
		if r.Command.Freight != "" || r.Pull == 0 || concerns(s, r, p) {
			return p
		}
	}
	return nil
}

// concerns reports whether a request was made on a pull request of this promotion: the one that its freight was, or its
// own.
func concerns(s *promotion.Snapshot, r promotion.Request, p *promotion.Promotion) bool {
	if i := s.FreightAt(p.Freight.ID); i >= 0 && r.StandsOn(&s.Freight[i]) {
		return true
	}
	pull := s.Pull(s.Attempt(p.Number))
	return pull != nil && pull.Number == r.Pull && pull.Repo == r.PullRepo
}

// unknown returns the reason that nothing here has a name.
func unknown(name string) promotion.Reason { return promotion.Because(promotion.Unknown, name) }
