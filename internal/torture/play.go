package torture

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"waybill/internal/torture/act"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/store"
)

// Result is the outcome of a plan.
type Result struct {
	Failure *ledger.Failure // nil: every invariant held
	End     string          // the freight and verdict of each stage at the end
	Steps   int
	Trace   []string
	Story   string // of a failure: its history in the notation of stories
}

// Prepare makes the data that all histories share. It must be called once before Play, outside of all bubbles.
func Prepare() error {
	_, err := emptyDatabase()
	if err != nil {
		return err
	}
	_, err = appKey()
	return err
}

// Place is where a history has what it writes.
type Place struct {
	Folder string
	Server string // the URL of an empty schema of PostgreSQL, for one history; empty: the database is a file in the folder
}

// Play plays a plan in a place. It must be called inside a bubble of testing/synctest.
func Play(p plan.Plan, in Place, verbose bool) (Result, error) {
	return playTo(nil, p, in, verbose)
}

// playTo plays a plan and passes the program's output to a listener, which may be nil.
func playTo(ear *listener, p plan.Plan, in Place, verbose bool) (Result, error) {
	template, err := emptyDatabase()
	if err != nil {
		return Result{}, err
	}
	key, err := appKey()
	if err != nil {
		return Result{}, err
	}
	w, err := newWorld(p, shared{in, template, key, ear}, verbose)
	if err != nil {
		return Result{}, fmt.Errorf("seed %d: %w", p.Seed, err)
	}
	w.ledger.Log.Acting = "the start"
	w.schedule.Rest()
	w.schedule.mortal = true
	w.spoil()
	w.next.begin(w.schedule)
	lost := &loss{Loss: p.Loss, world: w}
	for _, a := range p.Acts {
		if w.ledger.Log.Failure != nil {
			break
		}
		lost.before(a.ID)
		w.ledger.Log.Acting, *w.random = a.String(), *p.Draws(a.ID)
		w.ledger.Log.Note("%s", w.ledger.Log.Acting)
		w.next.act(w.schedule)
		w.cast.Intrude(a.ID)
		w.cast.Besiege(a.ID)
		w.cast.Forge(a.ID)
		w.cast.Play(a)
		w.schedule.settle()
		if a.Steps == plan.ToRest {
			w.schedule.Rest()
		} else {
			w.schedule.Some(a.Steps)
		}
	}
	lost.before(len(p.Acts))
	switch {
	case w.ledger.Log.Failure != nil:
	case p.End:
		w.finish()
	default:
		w.schedule.Rest()
	}
	if w.ledger.Log.Failure == nil {
		w.checkTrail()
	}
	r := Result{Failure: w.ledger.Log.Failure, Steps: w.ledger.Log.Steps, End: w.end()}
	if w.ledger.Log.Failure != nil {
		r.Story = w.ledger.Log.Told.Archive(w.ledger.Log.Failure, p.Seed)
	}
	if ear != nil {
		ear.last(w)
	}
	err = w.close()
	r.Trace = w.ledger.Log.Trace
	return r, err
}

// appKey signs the App's tokens. It is as short as the library allows, because signing costs more than most requests.
var appKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 1024) })

// emptyDatabase is the file that the program makes at its first start. Each history begins with a copy.
var emptyDatabase = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "torture")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "empty.db")
	s, err := store.Open(context.Background(), "sqlite://"+file, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// NewPlan draws the plan of a seed.
func NewPlan(seed uint64) plan.Plan { return plan.Draw(seed, act.Weights()) }

// shared is the data that all histories share.
type shared struct {
	Place
	template []byte // an empty database of SQLite
	key      *rsa.PrivateKey
	ear      *listener // nil in most histories
}

// emptyDatabase returns the URL of an empty database. A file of that name is written over.
func (s shared) emptyDatabase() (string, error) {
	if s.Server != "" {
		return s.Server, nil
	}
	file := filepath.Join(s.Folder, "waybill.db")
	if err := remove(file); err != nil {
		return "", err
	}
	return "sqlite://" + file, os.WriteFile(file, s.template, 0o600)
}
