package decide

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"
)

// AskMakers returns the freight of which it must be known who has made it before a request can be carried out, and is
// not: what the request is about, and what comes along. A request that names no freight, and stands on none, is about
// the one that it will mean. There is none if the request is refused anyway: it comes from one of those who are known,
// nothing is open that it could sign off, or too much comes along.
func AskMakers(s *promotion.Snapshot, r promotion.Request, now time.Time) (unknown []promotion.Freight) {
	if !command.LeavesOutAuthor(s.Pipeline, r.Command) {
		return nil
	}
	if r.Command.Freight == "" && r.Pull == 0 {
		r.Command.Freight = guessed(s, r, now)
	}
	_, p := command.Concerned(s, r)
	if r.Command.Verb == promotion.CmdApprove && (p == nil || p.State != promotion.WaitingForMerge) {
		return nil
	}
	brought, more := command.Brought(s, r)
	if more || slices.ContainsFunc(brought, func(f *promotion.Freight) bool { return f.MadeBy(r.By) }) {
		return nil
	}
	for _, f := range brought {
		if _, some := f.Unknown(); some {
			unknown = append(unknown, *f)
		}
	}
	return unknown
}

// guessed returns the name of the freight that a request means which names none; empty if it means what the stage is
// busy with.
func guessed(s *promotion.Snapshot, r promotion.Request, now time.Time) string {
	switch r.Command.Verb {
	case promotion.CmdPromote:
		if i, _ := command.FreightMeant(s, r, gate.KeeperOf(s, now).Available); i >= 0 {
			return s.Freight[i].Name
		}
	case promotion.CmdRetry:
		if p := command.ToRetry(s, r); p != nil {
			return p.Freight.Name
		}
	}
	return ""
}
