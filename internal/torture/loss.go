package torture

import (
	"errors"
	"os"
	"strings"
	"time"

	"waybill/internal/torture/act"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/store"
)

// loss takes the database of a history away, and puts an older copy in its place.
type loss struct {
	plan.Loss
	world  *World
	copied time.Time // zero: there is no copy
	done   bool
}

// before carries out the plan before an act. Nothing is lost if two processes share the database: one would go on with
// a file that has been replaced. Nor is it on a server, which is copied by programs of its own.
func (l *loss) before(act int) {
	if l.At == 0 || l.done || l.file() == "" || l.world.ledger.Shape.Twofold() || l.world.ledger.Log.Failure != nil {
		return
	}
	var err error
	switch {
	case l.copied.IsZero() && act >= l.Copied && l.world.ledger.DB.HasBegun():
		err = l.makeCopy()
	case !l.copied.IsZero() && act >= l.At:
		l.restore()
	}
	if err != nil {
		l.world.ledger.Log.Broken(ledger.Starts, "copy the database: %v", err)
	}
}

// file is the file of the database; empty: it is on a server.
func (l *loss) file() string {
	file, is := strings.CutPrefix(l.world.machine.database, "sqlite://")
	if !is {
		return ""
	}
	return file
}

// kept is the name of the copy.
func (l *loss) kept() string { return l.file() + ".copy" }

// makeCopy copies the database with the program's own backup, or as a snapshot of the disk would.
func (l *loss) makeCopy() error {
	l.world.ledger.Log.Note("  the database is copied, snapshot=%t", l.Snapshot)
	l.copied = time.Now()
	if err := remove(l.kept()); err != nil {
		return err
	}
	if !l.Snapshot {
		return store.Backup(l.world.machine.program.ctx, l.world.machine.database, l.kept())
	}
	return duplicate(l.file(), l.kept())
}

// restore puts the copy in the place of the database, ends all faults, and lets the program catch up for an hour.
func (l *loss) restore() {
	w := l.world
	l.done = true
	w.ledger.Log.Note("  the database is lost; the copy of %s takes its place", l.copied.Format(time.TimeOnly))
	w.ledger.Log.Told.Prose("(an older copy takes the place of the database)")
	w.ledger.GitHub.Faults().Clear()
	if w.ledger.Chat != nil {
		w.ledger.Chat.Faults().Clear()
	}
	w.schedule.hooks, w.cast.Maintainer.Meddles, w.machine.looks = act.Deliveries{}, nil, 0
	w.ledger.Gaps.Deaf, w.ledger.Gaps.Lost, w.ledger.Gaps.Unasked = true, true, true
	w.ledger.Sources.DoubtReports(l.copied)
	w.cast.APIUser.LoseCommands()
	told := false
	w.schedule.restart(l.Away, func() error {
		told = l.told()
		clear(w.ledger.Acked)
		err := errors.Join(remove(l.file()), duplicate(l.kept(), l.file()), w.ledger.DB.Reopen(w.machine.database))
		w.ledger.Sources.LoseTags()
		if !told {
			w.ledger.DB.ForgetLost(w.ledger.Remote.Shows)
		}
		return err
	})
	w.schedule.Rest()
	w.schedule.Pass(time.Hour)
	if w.ledger.Clock.Stepped() {
		w.schedule.Pass(61 * time.Minute) // work that a clock an hour fast has put off is due
	}
	resynced := told || l.Away >= store.AwayFor
	if w.ledger.Gaps.Unheard && !resynced {
		return // what nobody told is known after the next regular resync
	}
	if !w.ledger.Gaps.Forgot { // freight from before a long absence may be so old that it is no longer kept
		w.watch.AtRecovery()
	}
}

// told reports whether the program can know that the database is a copy: it is one that says so, or GitHub lists a
// webhook that was taken in the lost time.
func (l *loss) told() bool {
	for _, at := range l.world.ledger.Acked {
		if !at.Before(l.copied) && time.Since(at) < listedFor {
			return true
		}
	}
	return !l.Snapshot
}

// listedFor is how long GitHub lists webhooks for certain: three days, less what the schedule may take.
const listedFor = 3*24*time.Hour - time.Hour

// remove removes the files of a database.
func remove(file string) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// duplicate copies the files of a database. It leaves out the index of its log, which the next process makes anew.
func duplicate(from, to string) error {
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(from + end)
		if err == nil {
			err = os.WriteFile(to+end, text, 0o600)
		}
		if err != nil && !(end != "" && errors.Is(err, os.ErrNotExist)) {
			return err
		}
	}
	return nil
}
