package resync

import (
	"context"

	"waybill/app/learn"
	"waybill/app/work"
)

// rereadFiles reads the files of all stages that have not been read at the head of their branch: none, if the branch
// has not moved, or all pushes since have been reported.
func (r *Resyncer) rereadFiles(ctx context.Context, l *survey) (work.Record, error) {
	var all []work.Record
	for _, f := range l.files {
		if f.head == "" {
			continue // the branch is gone: promotions report that
		}
		stages, err := r.learn.Files.Unread(ctx, l.row.ID, l.p, f.Branch, f.head)
		if err != nil {
			return work.InOrder(all), err
		}
		rec, _, err := learn.ReadFiles(ctx, f.client, l.row.ID, f.Branch, stages, learn.UnknownPusher)
		if err != nil {
			return work.InOrder(all), err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}
