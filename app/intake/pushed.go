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
	return in.headOf(ctx, from, p, subscribers)
}

// headOf asks for the paths and the head of a push that some warehouses look at.
func (in *Intake) headOf(
	ctx context.Context, from *handlers.From, p *handlers.Push, subscribers []pipelines.Subscriber,
) (work.Record, error) {
	before := p.Before
	if strings.Trim(string(before), "0") == "" { // which is how Git writes: no commit
		before = ""
	}
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
