package resync

import (
	"context"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
)

// rereadRules reads what GitHub demands of whoever changes the branches with stages' files. No webhook that the App
// may have tells of a change.
func (r *Resyncer) rereadRules(ctx context.Context, l *survey) (work.Record, error) {
	var repos []promotion.Repo
	branches, clients := map[promotion.Repo][]string{}, map[promotion.Repo]*gh.Client{}
	for _, f := range l.files {
		if clients[f.Repo] == nil {
			repos, clients[f.Repo] = append(repos, f.Repo), f.client
		}
		branches[f.Repo] = append(branches[f.Repo], f.Name)
	}
	var all []work.Record
	for _, repo := range repos {
		_, save, err := r.learn.Rules.Read(ctx, clients[repo], branches[repo])
		if err != nil {
			return work.InOrder(all), err
		}
		all = append(all, save)
	}
	return work.InOrder(all), nil
}
