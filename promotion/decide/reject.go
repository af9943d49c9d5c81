package decide

import (
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
)

// obeyReject takes freight back by a person's word: in the stage that is named, or everywhere.
func obeyReject(d *draft, r promotion.Request) {
	i, why := command.NamedFreight(&d.Snapshot, r)
	if i < 0 {
		d.refuse(r, why)
		return
	}
	f := d.Freight[i]
	if _, takes := d.Stage.Source(f.Warehouse); !takes && r.Command.Stage != "" {
		d.refuse(r, promotion.Because(promotion.Unknown, f.Name))
		return
	}
	if slices.ContainsFunc(d.Rejects, func(old promotion.Reject) bool {
		return old.Stage == r.Command.Stage && old.Freight.ID == f.ID && old.Reaches(&f)
	}) {
		d.already(r)
		return
	}
	d.saveReject(promotion.Reject{
		ID: d.NextID, Stage: r.Command.Stage, Freight: f.Ref(), From: f.Mark(), By: r.By, Text: r.Command.Text, At: d.now,
	})
	d.NextID++
	d.done(r)
}

// obeyUnreject lifts the rejects of a freight: those of the stage that is named, or all of them.
func obeyUnreject(d *draft, r promotion.Request) {
	i, why := command.NamedFreight(&d.Snapshot, r)
	if i < 0 {
		d.refuse(r, why)
		return
	}
	lifted := false
	for _, old := range d.Rejects {
		here := r.Command.Stage == "" || old.Stage == r.Command.Stage
		if old.Freight.ID == d.Freight[i].ID && old.Lifted.IsZero() && here {
			old.Lifted, old.LiftedBy, lifted = d.now, r.By, true
			d.saveReject(old)
		}
	}
	old := d.Rejected(r.Command.Stage, &d.Freight[i])
	switch {
	case lifted:
		d.done(r)
	case old != nil:
		d.refuse(r, old.Because().With(toLift(old)))
	default:
		d.already(r)
	}
}

// obeyFixes ends the reach of rejects at the freight that repairs what was rejected: from that on freight counts again.
func obeyFixes(d *draft, r promotion.Request) {
	i, why := command.NamedFreight(&d.Snapshot, r)
	if i < 0 {
		d.refuse(r, why)
		return
	}
	f, ends := &d.Freight[i], false
	for _, old := range d.Rejects {
		here := r.Command.Stage == "" || old.Stage == r.Command.Stage
		if here && old.Freight.ID != f.ID && old.Reaches(f) {
			old.FixedBy, old.Fixed, ends = f.Name, f.Mark(), true
			d.saveReject(old)
		}
	}
	old := d.Rejected(r.Command.Stage, f)
	switch {
	case ends:
		d.done(r)
	case old != nil:
		d.refuse(r, old.Because().With(toLift(old)))
	default:
		d.refuse(r, promotion.Because(promotion.Unknown, "reject of "+f.Name+" or of earlier freight"))
	}
}

// toLift says where a reject stands that a command has not meant, and how it is lifted.
func toLift(r *promotion.Reject) string {
	c := promotion.Command{Verb: promotion.CmdUnreject, Freight: r.Freight.Name, Stage: r.Stage}
	if r.Stage == "" {
		return "in all stages; " + command.Write(c) + " lifts that"
	}
	return "in " + string(r.Stage) + "; " + command.Write(c) + " lifts that"
}

// saveReject records a reject that is new or has changed.
func (d *draft) saveReject(r promotion.Reject) {
	d.moved, d.out.Ripples = true, true
	same := func(old promotion.Reject) bool { return old.ID == r.ID }
	d.Rejects = append(slices.DeleteFunc(slices.Clone(d.Rejects), same), r)
	d.out.Rejects = append(slices.DeleteFunc(d.out.Rejects, same), r)
}
