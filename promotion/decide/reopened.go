package decide

import "waybill/promotion"

// closeReopened owes the end of each pull request that was opened again after its promotion had ended: it promotes
// nothing any more, and who opened it is told what does, if it would be carried out now (semantics 4.11, 5.9).
func closeReopened(d *draft) {
	for _, r := range d.Reopened {
		over := promotion.Because(promotion.Over, string(r.State), string(d.Stage.Name), r.Freight)
		anew := promotion.Command{Verb: promotion.CmdPromote, Stage: d.Stage.Name, Freight: r.Freight}
		switch {
		case d.Removed:
			over.Args = over.Args[:2]
		case !Accepts(&d.Snapshot, anew, d.now):
			over.Args = append(over.Args, "why")
		}
		d.out.Effects = append(d.out.Effects, promotion.Effect{
			Verb: promotion.Close, Stage: d.Stage.Name, Promotion: r.Promotion, Step: r.Step, Round: r.Times,
			Reason: over,
		})
	}
}
