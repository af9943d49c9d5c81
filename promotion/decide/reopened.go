package decide

import "waybill/promotion"

// closeReopened owes the end of each pull request that was opened again after its promotion had ended: it promotes
// nothing any more, and who opened it is told what does (semantics 5.9).
func closeReopened(d *draft) {
	for _, r := range d.Reopened {
		d.out.Effects = append(d.out.Effects, promotion.Effect{
			Verb: promotion.Close, Stage: d.Stage.Name, Promotion: r.Promotion, Step: r.Step, Round: r.Times,
			Reason: promotion.Because(promotion.Over, string(r.State), string(d.Stage.Name), r.Freight),
		})
	}
}
