package act

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

// deedReport says what a command has done, by the present state: to what, until when, and how to undo it.
func (a reports) deedReport(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	deed := say.Deed{Request: r, Home: j.pipeline.Home, Zone: j.pipeline.Zone, Why: j.Reason}
	if r.Command.Verb == promotion.CmdHold {
		hold, err := holdOf(tx, j, r)
		if hold == nil {
			return say.Report{Title: "The hold has been lifted since."}, err
		}
		deed.Hold = *hold
		return deed.Report(), err
	}
	s, id, err := deedSnapshot(tx, j, r)
	if err != nil {
		return say.Report{}, err
	}
	switch {
	case j.Promotion != 0:
		deed.At = decide.WhyPromoted(s, &j.promotion, tx.Now)
	case id != "":
		deed.At.Name = s.NameOf(id)
	}
	deed.Expires = approvedUntil(s, r, id)
	if j.stage != nil {
		if deed.Holds, err = standing(tx, j, r); err != nil {
			return say.Report{}, err
		}
		if deed.Lifted, err = lifted(tx, j, r); err != nil {
			return say.Report{}, err
		}
		deed.Undo = undo(s, j, r, tx, deed.At.BackTo != "")
	}
	return deed.Report(), nil
}

// deedSnapshot returns the snapshot of the stage with the freight that a command was about.
func deedSnapshot(tx *store.Tx, j *job, r promotion.Request) (*promotion.Snapshot, promotion.FreightID, error) {
	switch r.Command.Verb {
	case promotion.CmdAdmit, promotion.CmdUnreject, promotion.CmdFixes:
		s, id, _, err := freightMeant(tx, j, r)
		return s, id, err
	}
	s, err := tx.Ledger.Snapshot(j.pipeline, store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}, j.freight.ID)
	return s, j.freight.ID, err
}

// approvedUntil is when a sign-off or an admission that a person has given ends; the zero time if it counts no more.
func approvedUntil(s *promotion.Snapshot, r promotion.Request, id promotion.FreightID) time.Time {
	kind := map[promotion.CommandVerb]promotion.ApprovalKind{
		promotion.CmdApprove: promotion.SignOff, promotion.CmdAdmit: promotion.Admission,
	}[r.Command.Verb]
	for _, given := range slices.Backward(s.Approvals) {
		if given.Kind == kind && given.Freight == id && given.By.Is(r.By) && given.Revoked.IsZero() {
			return given.Expires
		}
	}
	return time.Time{}
}

// undo returns the command that would take back now what a command has done; without a verb there is none. goesBack
// says that a rollback would take the stage back from the freight that the command was about.
func undo(s *promotion.Snapshot, j *job, r promotion.Request, tx *store.Tx, goesBack bool) promotion.Command {
	var p *promotion.Promotion
	if j.Promotion != 0 {
		p = &j.promotion
	}
	for _, c := range command.Undo(r.Command, p) {
		if decide.Accepts(s, c, tx.Now) && (c.Verb != promotion.CmdRollback || c.Freight != "" || goesBack) {
			return c
		}
	}
	return promotion.Command{}
}

// standing returns the holds that stand now in the stage that a command was about, or in all stages.
func standing(tx *store.Tx, j *job, r promotion.Request) ([]promotion.Hold, error) {
	all, err := tx.Ledger.Holds(j.Pipeline)
	return slices.DeleteFunc(all, func(h promotion.Hold) bool {
		elsewhere := h.Stage != "" && h.Stage != j.Stage && !r.Command.All
		return elsewhere || !h.Stands(tx.Now)
	}), err
}

// lifted returns the holds that an unhold has lifted: of what it named, those that the person lifted last.
func lifted(tx *store.Tx, j *job, r promotion.Request) (all []promotion.Hold, err error) {
	if r.Command.Verb != promotion.CmdUnhold {
		return nil, nil
	}
	named := command.HoldNamed(r.Command, j.stage)
	past, err := tx.Ledger.HoldsSince(j.Pipeline, r.At.Add(-clocksDiffer))
	var last time.Time
	for _, h := range past { // the newest first
		switch {
		case h.Lifted.IsZero() || !h.LiftedBy.Is(r.By) || !h.SameAs(named):
		case h.Lifted.After(last):
			all, last = []promotion.Hold{h}, h.Lifted
		case h.Lifted.Equal(last):
			all = append(all, h)
		}
	}
	return all, err
}

// clocksDiffer is how far GitHub's clock, which dates a command, may be ahead of ours, which dates what it did.
const clocksDiffer = time.Hour

// holdOf returns the hold that a person's command has made; nil if it has been lifted.
func holdOf(tx *store.Tx, j *job, r promotion.Request) (*promotion.Hold, error) {
	meant := promotion.Hold{Stage: r.Command.Stage, Target: r.Command.Target}
	if j.stage != nil {
		meant = command.HoldMeant(r, j.stage, j.pipeline.Zone, tx.Now)
	}
	all, err := tx.Ledger.Holds(j.Pipeline)
	for i := range slices.Backward(all) {
		if h := &all[i]; h.By.Is(r.By) && h.SameAs(meant) {
			return h, err
		}
	}
	return nil, err
}
