package command

import "waybill/promotion"

// shutsOut returns why a rule that leaves out who plays a part does so with the person who makes a request; the zero
// reason if it does not. The parts are those of who has made what the request brings, who asked for its promotion, and
// who pushed last to the branch of that and restored our commit.
func shutsOut(s *promotion.Snapshot, part string, r promotion.Request) promotion.Reason {
	if part != "author" {
		if plays(s, part, r) {
			return promotion.Because(promotion.Forbidden, "not", part)
		}
		return promotion.Reason{}
	}
	brought, _ := Brought(s, r)
	for i, f := range brought {
		if f.MadeBy(r.By) {
			return promotion.Because(promotion.Forbidden, append([]string{"not", part}, alongAs(f, i)...)...)
		}
	}
	return promotion.Reason{}
}

// alongAs names the i-th freight of those that a request brings, if it comes along with the first.
func alongAs(f *promotion.Freight, i int) []string {
	if i == 0 {
		return nil
	}
	return []string{f.Name}
}

// Brought returns the freight that a request is about, and behind it, if the request lets that into the stage, what
// comes along. more says that more comes along than can be told. There is none if it is about no freight.
func Brought(s *promotion.Snapshot, r promotion.Request) (all []*promotion.Freight, more bool) {
	f, _ := Concerned(s, r)
	if f == nil {
		return nil, false
	}
	switch r.Command.Verb {
	case promotion.CmdPromote, promotion.CmdRetry, promotion.CmdAdmit, promotion.CmdApprove, promotion.CmdVerdict:
		return s.Brings(f)
	}
	return []*promotion.Freight{f}, false
}

// plays reports whether the person who makes a request asked for the promotion that it concerns, or pushed last to the
// branch of that.
func plays(s *promotion.Snapshot, part string, r promotion.Request) bool {
	_, p := Concerned(s, r)
	if p == nil {
		return false
	}
	if pull := s.Pull(s.Attempt(p.Number)); part == "last-pusher" && pull != nil {
		return pull.Pusher.Is(r.By)
	}
	return part == "requester" && p.By.Is(r.By)
}

// Concerned returns the freight that a request is about, and the open promotion of that: the ones that are named, by
// their name or by the pull request that the request stands on; otherwise those that the stage is busy with. Both are
// nil where there are none.
func Concerned(s *promotion.Snapshot, r promotion.Request) (*promotion.Freight, *promotion.Promotion) {
	if isAboutFreight(r.Command.Verb) && (r.Command.Freight != "" || r.Pull != 0) {
		i, _ := NamedFreight(s, r)
		if i < 0 {
			return nil, nil
		}
		return &s.Freight[i], s.OpenOf(s.Freight[i].ID)
	}
	p := s.Active()
	if r.Command.Verb == promotion.CmdVerdict || r.Command.Verb == promotion.CmdVerify {
		p = judged(s)
	}
	if p == nil {
		return nil, nil
	}
	i := s.FreightAt(p.Freight.ID)
	if i < 0 {
		return nil, p
	}
	return &s.Freight[i], p
}

// judged returns the promotion that a verdict is about; nil if there is none.
func judged(s *promotion.Snapshot) *promotion.Promotion {
	if i := s.Judgeable(); i >= 0 {
		return s.Promotion(s.Deployments[i].Promotion)
	}
	return nil
}
