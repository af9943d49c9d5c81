package store_test

import (
	"context"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestPullRequests(t *testing.T) { prove(t, pullRequests) }

var pullRequests = []test{
	{"a pull request of ours concerns the stage of its promotion; the same again does not", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.Conflicts, p.Updated = true, p.Updated.Add(time.Second)
		w.True(w.see(p))
		w.Equal([]string{dev}, w.undecided())
		w.Equal(int64(2), w.pull(11).Revision)
		w.settle()
		w.False(w.see(p))
		w.Empty(w.undecided())
	}},
	{"a conflict is known until GitHub says that there is none, or the pull request has changed", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.Conflicts, p.Updated = true, p.Updated.Add(time.Second)
		w.True(w.see(p))
		unsure := p
		unsure.Conflicts, unsure.FitUnknown, unsure.Updated = false, true, p.Updated.Add(time.Second)
		w.see(unsure)
		w.True(w.pull(11).Conflicts)
		unsure.FitUnknown = false
		w.True(w.see(unsure))
		w.False(w.pull(11).Conflicts)
		p.Updated = p.Updated.Add(2 * time.Second)
		w.True(w.see(p))
		unsure.FitUnknown, unsure.HeadSHA, unsure.Updated = true, "other", p.Updated.Add(time.Second)
		w.True(w.see(unsure))
		w.False(w.pull(11).Conflicts)
	}},
	{"who closed a pull request stays known though a later observation does not say", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.State, p.By, p.Updated = promotion.PullClosed, promotion.Actor{ID: 5, Login: "ann"}, p.Updated.Add(time.Second)
		w.True(w.see(p))
		again := p
		again.By, again.Updated = promotion.Actor{}, p.Updated.Add(time.Second)
		w.False(w.see(again))
		w.Equal(p.By, w.pull(11).By)
	}},
	{"an older observation never replaces a newer one (T21)", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		closed, synchronized := p, p
		closed.State = promotion.PullClosed
		closed.By = promotion.Actor{ID: 5, Login: "ann"}
		closed.Updated = p.Updated.Add(2 * time.Second)
		synchronized.HeadSHA, synchronized.Updated = "foreign", p.Updated.Add(time.Second)
		w.True(w.see(closed))
		w.False(w.see(synchronized), "closed came before synchronize")
		w.Equal(promotion.PullClosed, w.pull(11).State)
		synchronized.Updated = closed.Updated
		w.False(w.see(synchronized), "as new, but it takes the end back")
		synchronized.Updated = closed.Updated.Add(time.Second)
		w.True(w.see(synchronized), "somebody has reopened it")
		w.Equal(promotion.PullOpen, w.pull(11).State)
	}},
	{"a merge is final, and known however old the observation is (F13, F19)", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		merged := p
		merged.State, merged.MergeSHA = promotion.PullMerged, "m1"
		merged.MergedAt, merged.Updated = start.Add(time.Second), time.Time{}
		w.True(w.see(merged))
		late := merged
		late.NewCommit = true
		late.By = promotion.Actor{ID: 5, Login: "ann"}
		late.MergedAt = start.Add(2 * time.Second)
		late.Updated = p.Updated.Add(time.Minute)
		w.see(late)
		p.Updated = p.Updated.Add(time.Hour)
		w.False(w.see(p), "it cannot be open again")
		kept := w.pull(11)
		w.Equal(promotion.PullMerged, kept.State)
		w.Equal(promotion.SHA("m1"), kept.MergeSHA)
		w.Equal(start.Add(time.Second), kept.MergedAt)
		w.True(kept.NewCommit, "GitHub's answer to us came behind the webhook")
		w.see(merged)
		w.True(w.pull(11).NewCommit, "and the webhook again behind it")
		w.Equal("ann", string(kept.By.Login))
	}},
	{"what a merge queue has merged is no new commit, whoever GitHub says has merged it (T38)", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.Queue, p.Updated = promotion.InQueue, p.Updated.Add(time.Second)
		w.True(w.see(p))
		p.State, p.MergeSHA, p.Queue, p.NewCommit = promotion.PullMerged, "m1", "", true
		p.MergedAt, p.Updated = start.Add(time.Second), p.Updated.Add(time.Second)
		w.True(w.see(p))
		w.False(w.pull(11).NewCommit)
	}},
	{"a pull request stands in the merge queue until that is over, and each change raises its revision (T38)",
		func(w *world) {
			p := w.open(dev, 1, w.merge(1), 11)
			see := func(place promotion.QueuePlace, change func(p *promotion.Pull)) promotion.Pull {
				p.Queue, p.Updated = place, p.Updated.Add(time.Second)
				change(&p)
				w.see(p)
				return w.pull(11)
			}
			as := func(*promotion.Pull) {}
			w.Equal(int64(1), see(promotion.OutOfQueue, as).Revision, "it never was in one")
			w.Equal(int64(2), see(promotion.InQueue, as).Revision)
			w.Equal(promotion.InQueue, see("", as).Queue, "an observation that does not say")
			out := see(promotion.OutOfQueue, as)
			w.Equal(promotion.OutOfQueue, out.Queue)
			w.Equal(int64(3), out.Revision)
			see(promotion.InQueue, as)
			w.Empty(see("", func(p *promotion.Pull) { p.HeadSHA = "pushed" }).Queue)
			see(promotion.InQueue, as)
			w.Empty(see("", func(p *promotion.Pull) { p.State = promotion.PullClosed }).Queue)
		}},
	{"why a pull request is not merged counts for as long as nothing happens to it (T38)", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		p.Conflicts, p.Updated = true, p.Updated.Add(time.Second)
		w.see(p)
		w.update(func(tx *store.Tx) error { return tx.Pulls.Refuse(p.Repo, 11, "thrown out") })
		a := w.snapshot(dev).Attempts[0]
		w.Equal("thrown out", a.Refused.Why)
		w.Equal(int64(2), a.Refused.Revision)
	}},
	{"whatever could change GitHub's mind raises the revision, once", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		running := check(1, p.HeadSHA, "in_progress")
		running.Ended = time.Time{}
		w.signal(running)
		w.Equal(int64(1), w.pull(11).Revision, "a check that only runs")
		w.signal(check(1, p.HeadSHA, "success"))
		w.Equal(int64(2), w.pull(11).Revision, "a check that has ended")
		w.Equal([]string{dev}, w.undecided())
		w.signal(check(1, p.HeadSHA, "success"))
		w.Equal(int64(2), w.pull(11).Revision)
		w.update(func(tx *store.Tx) error { return tx.Pulls.BumpAt(home, p.HeadSHA) })
		w.Equal(int64(3), w.pull(11).Revision, "a review")
		w.update(func(tx *store.Tx) error { return tx.Pulls.BumpAt(home, "other") })
		w.Equal(int64(3), w.pull(11).Revision)
	}},
	{"a pull request that is seen before its row is there is found when it is (F5)", func(w *world) {
		f := w.merge(1)
		early := promotion.Pull{Repo: home, Number: 11, Head: "waybill/dev/1", HeadSHA: "h1", Base: "main",
			State: promotion.PullOpen, Updated: start}
		w.True(w.see(early))
		w.settle()
		w.open(dev, 1, f, 11)
		w.Len(w.snapshot(dev).Pulls, 1)
	}},
	{"a prepared commit that GitHub shows is adopted, though the answer was lost (F2)", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.prepare(1, "waybill/dev/1", "h1")
		w.settle()
		w.see(promotion.Pull{
			Repo: home, Number: 11, Head: "waybill/dev/1", HeadSHA: "h1", Base: "main", State: promotion.PullOpen, URL: "u",
			Updated: start,
		})
		w.Equal([]string{dev}, w.undecided())
		a := w.attempt(1)
		w.Equal(1, a.Made.Round)
		w.Equal(11, a.Pull)
		w.Equal(promotion.SHA("h1"), a.Made.Head)
		w.Equal(promotion.SHA("b1"), a.Made.Base)
	}},
	{"a commit that nobody prepared is not adopted (F14)", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.prepare(1, "waybill/dev/1", "h1")
		w.see(promotion.Pull{
			Repo: home, Number: 11, Head: "waybill/dev/1", HeadSHA: "foreign", Base: "main", State: promotion.PullOpen,
			Updated: start,
		})
		w.Zero(w.attempt(1).Made.Round)
		w.Zero(w.attempt(1).Pull)
	}},
	{"a pull request that is merged without a commit is no fact", func(w *world) {
		err := w.store.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Pulls.Record(promotion.Pull{Repo: home, Number: 1, State: promotion.PullMerged})
			return err
		})
		w.Error(err)
	}},
}

func (w *world) see(p promotion.Pull) (changed bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		changed, err = tx.Pulls.Record(p)
		return err
	})
	return changed
}

// promote makes a running promotion with a plan.
func (w *world) promote(stage string, n promotion.Number, f promotion.Freight) {
	w.Helper()
	p := w.queued(stage, n, f)
	p.State, p.Started = promotion.Running, w.clock.Now()
	w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{p}})
	w.plan(n, 1)
	w.settle()
}

func (w *world) plan(n promotion.Number, round int) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		plan := promotion.Plan{Round: round, Base: "b1", At: tx.Now, Paths: []string{"values.yaml"}, Hash: "x"}
		return tx.Plans.Save(pipeline, n, plan, []byte("work"))
	})
}

func (w *world) prepare(n promotion.Number, branch string, head promotion.SHA) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Plans.SaveCommit(pipeline, n, 0, 1, branch, "b1", head) })
}

func (w *world) attempt(n promotion.Number) (a promotion.Attempt) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		a, err = tx.Attempts.Of(pipeline, n)
		return err
	})
	return a
}

func TestAttempts(t *testing.T) { prove(t, attempts) }

var attempts = []test{
	{"a plan is kept with what carries it out, until the promotion has ended", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.Equal(&promotion.Plan{Round: 1, Base: "b1", At: start, Paths: []string{"values.yaml"}, Hash: "x"},
			w.attempt(1).Plan)
		w.view(func(tx *store.Tx) error {
			work, made, err := tx.Plans.Prepared(pipeline, 1, 1)
			w.Equal("work", string(work))
			w.Empty(made)
			return err
		})
		p := w.read(1)
		p.State, p.Ended = promotion.Cancelled, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.view(func(tx *store.Tx) error {
			work, _, err := tx.Plans.Prepared(pipeline, 1, 1)
			w.Empty(work)
			return err
		})
	}},
	{"a plan that writes what is shown takes the place of the one before, and its commit stays", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.prepare(1, "waybill/dev/1", "h1")
		w.update(func(tx *store.Tx) error {
			return tx.Attempts.SaveOpened(pipeline, 1, 1, promotion.Pull{Repo: home, Number: 7, Head: "waybill/dev/1",
				HeadSHA: "h1", Base: "main", State: promotion.PullOpen, Updated: w.clock.Now()})
		})
		w.settle()
		same := promotion.Plan{Round: 2, Asks: "a2", Values: []promotion.Value{{Path: "values.yaml", Key: "tag", Text: "1"}}}
		for range 2 {
			w.update(func(tx *store.Tx) error { return tx.Plans.SaveSame(pipeline, 1, same) })
		}
		a := w.attempt(1)
		w.Equal([]any{2, "a2", "x", same.Values, 2, promotion.SHA("h1")},
			[]any{a.Plan.Round, a.Plan.Asks, a.Plan.Hash, a.Plan.Values, a.Made.Round, a.Made.Head})
		w.view(func(tx *store.Tx) error {
			work, made, err := tx.Plans.Prepared(pipeline, 1, 2)
			w.Equal("work", string(work))
			w.Equal(promotion.SHA("h1"), made)
			return err
		})
	}},
	{"what is known of who asked concerns its stage if it says something new (semantics 4.6)", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.settle()
		save := func(a promotion.Asker) {
			w.update(func(tx *store.Tx) error { return tx.Attempts.SaveAsker(pipeline, 1, a) })
		}
		save(promotion.Asker{Person: 4})
		w.Empty(w.undecided(), "the right was taken for granted")
		for _, a := range []promotion.Asker{
			{Person: 4, Lost: promotion.Because(promotion.Forbidden, "write")}, {Person: 4},
			{Person: 4, Again: start.Add(time.Minute)},
			{Person: 5, Lost: promotion.Because(promotion.Forbidden, "write")},
			{Person: 6, Lost: promotion.Because(promotion.Forbidden, "write")},
		} {
			save(a)
			w.Equal([]string{dev}, w.undecided())
			w.Equal(a, w.attempt(1).Asker)
			w.settle()
			save(a)
			w.Empty(w.undecided())
		}
	}},
	{"a plan concerns its stage; one of an older round changes nothing", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.plan(1, 2)
		w.Equal([]string{dev}, w.undecided())
		w.settle()
		w.plan(1, 1)
		w.Empty(w.undecided())
		w.Equal(2, w.attempt(1).Plan.Round)
	}},
	{"the branch that a promotion may have left is known before GitHub is asked for it", func(w *world) {
		left := func() (at string) {
			w.view(func(tx *store.Tx) error {
				branch, head, err := tx.Attempts.LeftAt(pipeline, 1, 0)
				at = branch + " " + string(head)
				return err
			})
			return at
		}
		w.promote(dev, 1, w.merge(1))
		w.Equal(" ", left())
		w.prepare(1, "waybill/dev/1", "h1")
		w.Equal("waybill/dev/1 h1", left())
		w.update(func(tx *store.Tx) error {
			return tx.Attempts.SaveOpened(pipeline, 1, 1, promotion.Pull{
				Repo: home, Number: 11, Head: "waybill/dev/1", HeadSHA: "h1", Base: "main", State: promotion.PullOpen,
				Updated: start,
			})
		})
		w.prepare(1, "waybill/dev/1", "h2")
		w.Equal("waybill/dev/1 h1", left(), "another commit may not be there yet")
	}},
	{"a commit is stored before it is visible, and found again by its round (F2)", func(w *world) {
		w.promote(dev, 1, w.merge(1))
		w.prepare(1, "waybill/dev/1", "h1")
		w.Empty(w.undecided(), "nobody decides on what cannot be seen")
		w.Empty(w.attempt(1).Made.Head)
		w.view(func(tx *store.Tx) error {
			_, made, err := tx.Plans.Prepared(pipeline, 1, 1)
			w.Equal(promotion.SHA("h1"), made)
			return err
		})
		w.plan(1, 2)
		w.view(func(tx *store.Tx) error {
			_, made, err := tx.Plans.Prepared(pipeline, 1, 2)
			w.Empty(made, "another round")
			return err
		})
	}},
	{"an open pull request is part of the snapshot; the same again concerns nobody", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		s := w.snapshot(dev)
		w.Equal(11, s.Attempts[0].Pull)
		w.Equal(p.HeadSHA, s.Attempts[0].Made.Head)
		w.Equal(p.HeadSHA, s.Pulls[0].HeadSHA)
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveOpened(pipeline, 1, 1, p) })
		w.Empty(w.undecided())
	}},
	{"a branch that was moved to a newer commit keeps its pull request", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		w.plan(1, 2)
		w.update(func(tx *store.Tx) error {
			return tx.Plans.SaveCommit(pipeline, 1, 0, 2, "waybill/dev/1", "b2", "h2")
		})
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveRebuilt(pipeline, 1, 2, "h2") })
		a := w.attempt(1)
		w.Equal(2, a.Made.Round)
		w.Equal(promotion.SHA("h2"), a.Made.Head)
		w.Equal(promotion.SHA("b2"), a.Made.Base)
		w.Equal(11, a.Pull)
	}},
	{"a commit of ours is a head of an open pull request until somebody pushes there",
		func(w *world) {
			p := w.open(dev, 1, w.merge(1), 11)
			heads := func() (all []promotion.SHA) {
				w.view(func(tx *store.Tx) (err error) {
					all, err = tx.Attempts.HeadsInto(promotion.Branch{Repo: home, Name: "main"})
					return err
				})
				return all
			}
			w.Equal([]promotion.SHA{p.HeadSHA}, heads())
			w.clock.advance(time.Second)
			p.HeadSHA, p.Updated = "theirs", w.clock.Now()
			w.True(w.see(p))
			w.Empty(heads())
		}},
	{"attempts are found by the branch of their open pull requests, and a stage by the commit that one shows",
		func(w *world) {
			p := w.open(dev, 1, w.merge(1), 11)
			found := func(into string) (numbers []promotion.Number) {
				w.view(func(tx *store.Tx) error {
					all, err := tx.Attempts.OpenInto(promotion.Branch{Repo: home, Name: into})
					for _, a := range all {
						numbers = append(numbers, a.Promotion)
					}
					return err
				})
				return numbers
			}
			w.Equal([]promotion.Number{1}, found("main"))
			w.Empty(found("other"))
			w.view(func(tx *store.Tx) error {
				showing, err := tx.Attempts.StageShowing(home, 11, p.HeadSHA)
				w.Equal(key(dev), showing)
				whichever, err1 := tx.Attempts.StageShowing(home, 11, "")
				w.NoError(err1)
				w.Equal(key(dev), whichever)
				other, err2 := tx.Attempts.StageShowing(home, 11, "other")
				w.NoError(err2)
				w.Empty(other)
				return err
			})
			p.State, p.Updated = promotion.PullClosed, w.clock.Now().Add(time.Minute)
			w.see(p)
			w.Empty(found("main"))
		}},
	{"since when a pull request shows its head is GitHub's time, or ours and a minute (T1)", func(w *world) {
		p := w.open(dev, 1, w.merge(1), 11)
		seen := func(head promotion.SHA, updated time.Time) promotion.Pull {
			next := p
			next.HeadSHA, next.Updated, next.Pusher = head, updated, promotion.Actor{}
			w.see(next)
			var known promotion.Pull
			w.view(func(tx *store.Tx) (err error) {
				known, err = tx.Pulls.ByNumber(home, 11)
				return err
			})
			return known
		}
		first := p.Updated
		now := seen(p.HeadSHA, first.Add(time.Hour))
		w.Equal(first, now.HeadAt, "another change moves no head")
		w.False(now.Replaced)
		now = seen("h2", first.Add(2*time.Hour))
		w.Equal(first.Add(2*time.Hour), now.HeadAt)
		w.Equal(w.clock.Now(), now.HeadHeard)
		w.True(now.Replaced)
		now = seen("h2", first.Add(3*time.Hour))
		w.Equal(first.Add(2*time.Hour), now.HeadAt)
		w.True(now.Replaced)
		w.see(promotion.Pull{
			Repo: home, Number: 12, Head: "waybill/x", HeadSHA: "h", Base: "main", State: promotion.PullOpen,
		})
		w.view(func(tx *store.Tx) error {
			known, err := tx.Pulls.ByNumber(home, 12)
			w.Equal(w.clock.Now().Add(time.Minute), known.HeadAt, "GitHub does not say when it changed")
			return err
		})
	}},
	{"a refusal, a failure and an observation are facts about the promotion", func(w *world) {
		w.open(dev, 1, w.merge(1), 11)
		for _, save := range []func(tx *store.Tx) error{
			func(tx *store.Tx) error { return tx.Attempts.SaveUnmergeable(pipeline, 1, 4, "reviews are missing") },
			func(tx *store.Tx) error {
				return tx.Attempts.SaveFailure(pipeline, 1, promotion.Because(promotion.Refused).With("no"))
			},
			func(tx *store.Tx) error { return tx.Attempts.SaveObserved(pipeline, 1, 0, tx.Now) },
		} {
			w.update(save)
			w.Equal([]string{dev}, w.undecided())
			w.settle()
			w.update(save)
			w.Empty(w.undecided(), "the same again")
		}
		a := w.attempt(1)
		w.Equal("reviews are missing", a.Refused.Why)
		w.Equal(int64(4), a.Refused.Revision)
		w.Equal(promotion.Because(promotion.Refused).With("no"), a.Failure)
		w.Equal(start, a.Observed)
		w.update(func(tx *store.Tx) error {
			return tx.Attempts.SaveFailure(pipeline, 1, promotion.Because(promotion.Conflict))
		})
		w.Equal(promotion.Refused, w.attempt(1).Failure.Code, "the first reason stands")
	}},
}

// TestAPullRequestThatIsOpenedAgainIsToldUntilItIsClosedAgain opens the pull request of a declined promotion again, two
// times.
func TestAPullRequestThatIsOpenedAgainIsToldUntilItIsClosedAgain(t *testing.T) { // semantics 5.9
	t.Parallel()
	w := newWorld(t)
	f := w.merge(1)
	pull := w.reopen(dev, 1, f, 10)
	for times := range int64(2) {
		w.Equal([]promotion.Reopened{
			{Promotion: 1, State: promotion.Declined, Freight: f.Name, Times: times + 1},
		}, w.snapshot(dev).Reopened)
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{
			{Verb: promotion.Close, Stage: dev, Promotion: 1, Round: times + 1},
		}})
		w.Empty(w.snapshot(dev).Reopened, "it is being closed")
		for _, state := range []promotion.PullState{promotion.PullClosed, promotion.PullOpen} {
			w.clock.advance(time.Second)
			pull.State, pull.Updated = state, w.clock.Now()
			w.True(w.see(pull))
			w.Equal(state == promotion.PullOpen, len(w.snapshot(dev).Reopened) == 1)
		}
	}
	w.clock.advance(time.Second)
	pull.State, pull.Updated = promotion.PullClosed, w.clock.Now()
	w.True(w.see(pull))
	outlook := func() (pulls []store.OpenPull) {
		w.view(func(tx *store.Tx) error {
			o, err := tx.Pipelines.Outlook(pipeline)
			pulls = o.OpenPulls
			return err
		})
		return pulls
	}
	w.Equal([]store.OpenPull{{Repo: home, Number: 10}}, outlook(), "a resync finds out whether it is opened again")
	w.clock.advance(8 * 24 * time.Hour)
	w.Empty(outlook())
}
