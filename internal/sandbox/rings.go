package sandbox

import (
	"context"

	"waybill/internal/sandbox/pages"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/rollout"
	"waybill/promotion/say"
	"waybill/store"
)

// rings returns the data of the page of the clusters: each batch with its clusters and Waybill's state of each.
type rings struct {
	*fleet
	program  *program
	pipeline *promotion.Pipeline
}

// Rollout returns the newest rollout into prod, or the batches of the next one if there has been no rollout.
func (r rings) Rollout(ctx context.Context) (shown pages.Rollout, err error) {
	err = r.program.store.View(ctx, func(tx *store.Tx) error {
		row, err := tx.Pipelines.ByRepo(deployRepo)
		if err != nil {
			return err
		}
		key := store.StageKey{Pipeline: row.ID, Stage: "prod"}
		newest, err := tx.Promotions.Latest(key, 0, 1)
		if err != nil {
			return err
		}
		var about []promotion.FreightID
		for _, p := range newest {
			about = append(about, p.Freight.ID)
		}
		s, err := tx.Ledger.Snapshot(r.pipeline, key, about...)
		if err != nil {
			return err
		}
		shown = r.onStage(s, tx)
		for i := range newest {
			r.onWay(&shown, s, &newest[i], tx)
		}
		return nil
	})
	return shown, err
}

// onStage returns the stage without a promotion: its batches and the holds that stand.
func (r rings) onStage(s *promotion.Snapshot, tx *store.Tx) pages.Rollout {
	shown := pages.Rollout{Stage: string(s.Stage.Name), Batches: r.batches(s.Stage.Strategy.Batches, nil)}
	for _, h := range s.Holds {
		if (h.Stage == s.Stage.Name || h.Stage == "") && h.Stands(tx.Now) {
			shown.Holds = append(shown.Holds, say.HoldSentence(h))
		}
	}
	return shown
}

// onWay adds a promotion: its freight, its title, and the state of its targets.
func (r rings) onWay(shown *pages.Rollout, s *promotion.Snapshot, p *promotion.Promotion, tx *store.Tx) {
	shown.Freight, shown.Pull = p.Freight.Name, s.Link(p.Number).URL
	shown.Title = say.Title(decide.Why(s, p.Freight.ID, tx.Now))
	if !p.Rolls() {
		return
	}
	stand := map[promotion.TargetName]promotion.TargetStatus{}
	for _, t := range rollout.Status(s, p) {
		stand[t.Target] = t
	}
	shown.Batches = r.batches(p.Rollout.Batches, stand)
}

func (r rings) batches(
	of []promotion.Batch, stand map[promotion.TargetName]promotion.TargetStatus,
) (all []pages.Batch) {
	clusters := r.fleet.shown()
	for i := range of {
		b := pages.Batch{Name: of[i].Name, Pace: say.Pace(&of[i])}
		for _, t := range of[i].Targets {
			c, there := clusters[string(t)]
			if !there {
				c = pages.Cluster{Name: string(t), Health: pages.Missing}
			}
			c.Standing, c.Why = string(stand[t].State), say.Sentence(stand[t].Cause)
			b.Clusters = append(b.Clusters, c)
		}
		all = append(all, b)
	}
	return all
}
