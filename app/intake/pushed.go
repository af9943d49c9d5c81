package intake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// pushedTo records the freight of a push, in every warehouse that wants its changes.
func (in *Intake) pushedTo(ctx context.Context, from *handlers.From, p *handlers.Push) (work.Record, error) {
	subscribers := in.Pipelines.SubscribersToPushes(p.Repo, p.Branch)
	if len(subscribers) == 0 {
		return nil, nil
	}
	if strings.Trim(string(p.Before), "0") != "" { // which is how Git writes: no commit
		return in.headOf(ctx, from, p, p.Before, subscribers)
	}
	followed, begun, err := in.followed(ctx, subscribers)
	if err != nil || len(begun) == 0 {
		return lookedForLater(followed), err
	}
	head, err := in.headOf(ctx, from, p, "", begun)
	return work.InOrder([]work.Record{lookedForLater(followed), head}), err
}

// followed returns which warehouses know an earlier head of the branch that a push has made, because the branch had
// another name, or was deleted meanwhile. What has changed since only a resync finds. To the others, which have begun
// without one, the branch is new.
func (in *Intake) followed(
	ctx context.Context, subscribers []pipelines.Subscriber,
) (followed, begun []pipelines.Subscriber, err error) {
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		for _, t := range subscribers {
			reached, err := tx.Warehouses.Reached(t.Pipeline, t.Warehouse)
			switch {
			case err != nil:
				return err
			case reached != "":
				followed = append(followed, t)
			default:
				begun = append(begun, t)
			}
		}
		return nil
	})
	return followed, begun, err
}

// headOf asks for the paths and the head of a push that some warehouses look at.
func (in *Intake) headOf(
	ctx context.Context, from *handlers.From, p *handlers.Push, before promotion.SHA, subscribers []pipelines.Subscriber,
) (work.Record, error) {
	moved := func(tx *store.Tx) error {
		return work.RecordAll(subscribers, func(t pipelines.Subscriber) error {
			return tx.Warehouses.MoveReached(t.Pipeline, t.Warehouse, before, p.After)
		})
	}
	files, err := in.filesOf(ctx, from, p)
	if err != nil {
		return nil, err
	}
	wanting := slices.DeleteFunc(slices.Clone(subscribers),
		func(t pipelines.Subscriber) bool { return !t.Warehouse.Wants(files) })
	if len(wanting) == 0 {
		return moved, nil
	}
	client, err := in.Hub.Installation(from.Installation, p.Repo)
	if err != nil {
		return nil, err
	}
	heads, err := client.Commits.Heads(ctx, []promotion.SHA{p.After})
	if err == nil && len(heads) == 0 {
		err = in.notYet(from, fmt.Sprintf("commit %s on %s", p.After, p.Branch))
	}
	if err != nil {
		return nil, err
	}
	if len(heads) == 0 {
		return lookedForLater(subscribers), nil
	}
	for i := range heads {
		heads[i].Pusher = promotion.HandOf(promotion.PusherPart, from.Sender, from.SenderIsBot)
	}
	return work.InOrder([]work.Record{func(tx *store.Tx) error {
		return work.RecordAll(wanting, func(t pipelines.Subscriber) error { return learn.RecordHeads(tx, t, heads) })
	}, moved}), nil
}
