package health

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// watchEvery is how often GitHub is asked what the App lacks.
const watchEvery = 10 * time.Minute

// WatchNext asks GitHub which permissions and events the App has, if that is due, so that whatever shows a pipeline can
// say which of its features is off. The log names each when it is missing, and when it is there again.
func (d *Doctor) WatchNext(ctx context.Context) (did bool, next time.Time, err error) {
	now := d.Clock()
	asking, due, next := d.Grants.Due(now)
	if !due {
		return false, next, nil
	}
	f := facts{}
	if err := d.rowsOf(ctx, &f); err != nil {
		return false, time.Time{}, err
	}
	if err := d.glance(ctx, &f); err != nil {
		if ctx.Err() == nil {
			zerolog.Ctx(ctx).Info().Err(err).Msg("GitHub does not say which permissions the App has")
			d.Grants.Postpone(asking, func(failed int) time.Time {
				return now.Add(work.RequestBackoff.After(failed, work.RetryAfter(err)))
			})
		}
		return true, time.Time{}, nil
	}
	all := f.lacks()
	fresh, gone := d.Grants.Compare(all)
	gone = slices.DeleteFunc(gone, func(l env.Lacking) bool { return !f.has(l) }) // still missing, but nobody needs it
	if err := d.resume(ctx, &f, gone, all); err != nil {
		return false, time.Time{}, err // the next try repeats it: nothing else has the pipelines compared
	}
	d.Grants.Set(asking, all, now.Add(watchEvery))
	for _, l := range fresh {
		note(zerolog.Ctx(ctx).Warn(), l).Str("off", l.Off).Msg("the App lacks something on GitHub: a feature is off")
	}
	for _, l := range gone {
		note(zerolog.Ctx(ctx).Info(), l).Msg("the App has on GitHub what it lacked")
	}
	return true, time.Time{}, nil
}

// has reports whether the App has what it lacked, where it lacked it.
func (f *facts) has(l env.Lacking) bool {
	if l.Event {
		return slices.Contains(f.app.Events, l.Name)
	}
	i := slices.IndexFunc(Permissions, func(n Need) bool { return n.permission() == l.Name })
	if i < 0 || !Permissions[i].permittedBy(f.app.Grants) {
		return false
	}
	return l.Installation == 0 || slices.ContainsFunc(f.installations, func(in gh.Installation) bool {
		return in.ID == l.Installation && Permissions[i].permittedBy(in.Grants)
	})
}

// note adds what is missing to a line of the log.
func note(line *zerolog.Event, l env.Lacking) *zerolog.Event {
	key := "permission"
	if l.Event {
		key = "event"
	}
	line = line.Str(key, l.Name)
	if l.Installation != 0 {
		line = line.Int64(work.KeyInstallation, l.Installation)
	}
	return line
}

// resume has the pipelines compared with GitHub that have a use for what is there again: GitHub told them nothing of it
// meanwhile. At the start these are all to whom something mattered that was missing before. It notes to which something
// matters that is missing now.
func (d *Doctor) resume(ctx context.Context, f *facts, gone, all []env.Lacking) error {
	for _, in := range f.installations {
		if slices.ContainsFunc(gone, func(l env.Lacking) bool { return l.Installation == 0 || l.Installation == in.ID }) {
			d.Hub.Regranted(in.ID)
		}
	}
	err := d.Store.Update(ctx, func(tx *store.Tx) error {
		resumed, noted := pipelinesOf(gone), pipelinesOf(all)
		before, err := tx.Clocks.Lacking()
		if err != nil {
			return err
		}
		if !d.Grants.Known() {
			resumed = before
		}
		if !slices.Equal(before, noted) {
			err = tx.Clocks.NoteLacking(noted)
		}
		for i := 0; err == nil && i < len(resumed); i++ {
			err = tx.Clocks.AskResync(resumed[i])
		}
		return err
	})
	d.Overdue.Notify()
	return err
}

// pipelinesOf lists the pipelines that have a use for something of a list, each once.
func pipelinesOf(all []env.Lacking) (ids []int64) {
	for _, l := range all {
		ids = append(ids, l.Pipelines...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rowsOf reads the pipelines from the database.
func (d *Doctor) rowsOf(ctx context.Context, f *facts) error {
	rows, err := d.Rows(ctx)
	for _, row := range rows {
		if p, trouble := d.Pipelines.Compiled(row); trouble == nil {
			f.pipelines = append(f.pipelines, served{PipelineRow: row, pipeline: p})
		}
	}
	return err
}

// glance asks GitHub for the App and its installations.
func (d *Doctor) glance(ctx context.Context, f *facts) (err error) {
	if f.app, err = d.Hub.Registration(ctx); err == nil {
		f.installations, err = d.Hub.Installations(ctx)
	}
	return err
}

// lacks returns what the App lacks and somebody has a use for. An installation without a pipeline is nobody's.
func (f *facts) lacks() (all []env.Lacking) {
	add := func(n Need, in *gh.Installation, lack promotion.Ungranted) {
		lack.Off = n.Off
		l := env.Lacking{Ungranted: lack}
		if in != nil {
			l.Installation = in.ID
		}
		for _, s := range f.pipelinesOf(in) {
			if n.For.Has == nil || n.For.Has(s.pipeline) {
				l.Pipelines = append(l.Pipelines, s.ID)
			}
		}
		if n.For.Has == nil && in == nil || len(l.Pipelines) > 0 {
			all = append(all, l)
		}
	}
	f.eachMissing(func(n Need, in *gh.Installation) { add(n, in, promotion.Ungranted{Name: n.permission()}) })
	for _, n := range f.unsent() {
		add(n, nil, promotion.Ungranted{Name: n.Name, Event: true})
	}
	return all
}

// permission is what people call a permission.
func (n Need) permission() string { return n.grant().String() }
