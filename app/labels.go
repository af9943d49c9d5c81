package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// labelsView are the labels of ours on a pull request: what a view of kind labels holds. Those of other people are left
// alone.
type labelsView struct {
	Repo   promotion.Repo
	Number int
	Labels []string // in order
}

// labelsSurface names the labels of ours on a pull request.
func labelsSurface(repo promotion.Repo, pull int) string {
	return fmt.Sprintf("labels:%s#%d", repo, pull)
}

// wantLabels writes down which label of this stage should be on the freight's source pull request: where it is good, or
// where it went wrong, and none while nobody knows.
func wantLabels(tx *store.Tx, key store.StageKey, f promotion.Freight, at promotion.FreightStatus) error {
	if f.Pull == 0 {
		return nil
	}
	surface := labelsSurface(f.Repo, f.Pull)
	look := labelsView{Repo: f.Repo, Number: f.Pull}
	there, err := wanted(tx, surface, &look)
	if err != nil {
		return err
	}
	look.Labels = slices.DeleteFunc(look.Labels, func(name string) bool { return strings.HasPrefix(name, say.StageLabel(key.Stage, "")) })
	if word := say.Label(at); word != "" {
		look.Labels = append(look.Labels, say.StageLabel(key.Stage, word))
	}
	if !there && len(look.Labels) == 0 {
		return nil
	}
	slices.Sort(look.Labels)
	v := store.View{Surface: surface, Pipeline: key.Pipeline, Kind: viewLabels, Freight: f.ID, Due: tx.Now.Add(settles)}
	return want(tx, v, look)
}

// showLabels puts the labels on the pull request that are new, and takes those off that it has put there before.
func (a *App) showLabels(ctx context.Context, v *store.View) error {
	var now, before labelsView
	if err := looks(v, &now); err != nil {
		return err
	}
	if v.Shown != "" {
		if err := json.Unmarshal([]byte(v.Shown), &before); err != nil {
			return fmt.Errorf("read what %s shows: %w", v.Surface, err)
		}
	}
	client, err := a.client(now.Repo)
	if err != nil {
		return err
	}
	for _, old := range less(before.Labels, now.Labels) {
		if err := client.RemoveLabel(ctx, now.Number, old); err != nil {
			return err
		}
	}
	if added := less(now.Labels, before.Labels); len(added) > 0 {
		return client.AddLabels(ctx, now.Number, added)
	}
	return nil
}

// less returns what is in some and not in others.
func less(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(one string) bool { return slices.Contains(others, one) })
}
