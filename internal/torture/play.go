package torture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"waybill/store"
)

// Result is what became of a plan.
type Result struct {
	Failure *Failure // nil: everything held
	End     string   // what the stages hosted in the end
	Steps   int
	Trace   []string
}

// Play plays a plan in a folder. It must be called inside a bubble of testing/synctest.
func Play(plan Plan, folder string, verbose bool) (Result, error) {
	template, err := emptyDatabase()
	if err != nil {
		return Result{}, err
	}
	w, err := newWorld(plan, folder, template, verbose)
	if err != nil {
		return Result{}, fmt.Errorf("seed %d: %w", plan.Seed, err)
	}
	w.acting = "the start"
	w.rest()
	for _, a := range plan.Acts {
		if w.failure != nil {
			break
		}
		w.acting, w.random = a.String(), plan.draws(a.ID)
		w.note("%s", w.acting)
		w.act(a)
		w.settle()
		if a.Steps == toRest {
			w.rest()
		} else {
			w.some(a.Steps)
		}
	}
	if w.failure == nil {
		w.finish()
	}
	r := Result{Failure: w.failure, Steps: w.steps, End: w.end()}
	err = w.close()
	r.Trace = w.trace
	return r, err
}

// emptyDatabase is a database as the program makes it at its first start. Each history begins with a copy.
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
