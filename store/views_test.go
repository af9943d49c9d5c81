package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

const comment = "comment:acme/api#1"

func TestViews(t *testing.T) { prove(t, views) }

var views = []test{
	{"what is shown on a pull request goes along to the new name of its repository", func(w *world) {
		look := func(repo promotion.Repo) string {
			return fmt.Sprintf(`{"Repo":"%s","Number":1,"Text":"\"Repo\":\"acme/deploy\""}`, repo)
		}
		want := func(surface, wanted string) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(store.View{Surface: surface, Pipeline: pipeline, Kind: "comment", Wanted: wanted})
				return err
			})
		}
		want("comment:acme/deploy#1", look(home))
		w.claimView()
		w.showed(look(home))
		const renamed = "acme/renamed"
		for _, surface := range []string{"comment:acme/deploy2#1", "comment:acme/deploy#12", "comment:acme/renamed#1"} {
			want(surface, "x")
		}
		want("check:1", look(home))
		r := row()
		r.Repo = renamed
		w.pipeline.Home = renamed
		w.save(r, w.pipeline)
		w.view(func(tx *store.Tx) error {
			v, err := tx.Views.ViewBySurface("comment:acme/renamed#1")
			w.NoError(err)
			w.Equal([]string{"9", look(renamed), look(renamed)}, []string{v.RemoteID, v.Wanted, v.Shown})
			_, err = tx.Views.ViewBySurface("comment:acme/deploy#1")
			w.ErrorIs(err, store.ErrNotFound)
			_, err = tx.Views.ViewBySurface("comment:acme/deploy2#1")
			w.NoError(err, "it is of another repository")
			_, err = tx.Views.ViewBySurface("comment:acme/renamed#12")
			w.NoError(err)
			v, err = tx.Views.ViewBySurface("check:1")
			w.Equal(look(renamed), v.Wanted)
			return err
		})
	}},
	{"only the last state that is wanted is shown", func(w *world) {
		w.True(w.show("a"))
		w.True(w.show("b"))
		w.False(w.show("b"))
		v := w.claimView()
		w.Equal("b", v.Wanted)
		w.Empty(v.RemoteID)
		w.showed("b")
		w.Nil(w.claimView())
		w.True(w.show("c"))
		v = w.claimView()
		w.Equal("9 IC_9", v.RemoteID+" "+v.Node)
	}},
	{"what is new is shown once it is due, and is not put off by what is newer", func(w *world) {
		due := func(wanted string) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(store.View{
					Surface: comment, Pipeline: pipeline, Kind: "comment", Wanted: wanted, Due: tx.Now.Add(3 * time.Second),
				})
				return err
			})
		}
		for _, shown := range []string{"b", "d"} {
			due("a" + shown)
			w.Nil(w.claimView())
			w.clock.advance(2 * time.Second)
			due(shown)
			w.Nil(w.claimView())
			w.clock.advance(time.Second)
			w.Equal(shown, w.claimView().Wanted)
			w.showed(shown)
		}
	}},
	{"what was shown before a try that failed is shown again: the try may have come through", func(w *world) {
		w.show("a")
		w.claimView()
		w.showed("a")
		w.show("b")
		v := w.claimView()
		w.update(func(tx *store.Tx) error { return tx.Views.RetryView(v, "502", tx.Now.Add(time.Second)) })
		w.show("a")
		w.Nil(w.claimView())
		w.clock.advance(time.Second)
		w.Equal("a", w.claimView().Wanted)
		w.showed("a")
		w.Nil(w.claimView())
	}},
	{"a pressing view does not wait until an earlier one is due", func(w *world) {
		want := func(v store.View) {
			v.Surface, v.Pipeline, v.Kind = comment, pipeline, "comment"
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(v)
				return err
			})
		}
		want(store.View{Wanted: "a", Due: w.clock.Now().Add(10 * time.Second)})
		want(store.View{Wanted: "b"})
		w.Nil(w.claimView())
		want(store.View{Wanted: "c", Pressing: true})
		w.Equal("c", w.claimView().Wanted)
		want(store.View{Wanted: "d", Pressing: true})
		w.Nil(w.claimView(), "it is being shown")
		w.update(func(tx *store.Tx) error { return tx.Views.RetryView(w.shown, "502", tx.Now.Add(time.Minute)) })
		want(store.View{Wanted: "e", Pressing: true})
		w.Nil(w.claimView(), "GitHub is given the time that it needs")
	}},
	{"messages of promotions that Slack has refused are posted again for an installation, and no others", func(w *world) {
		const refused, posted, claim, other = "slack:1/1", "slack:1/2", "slack:claim/g", "slack:1/3"
		for n, name := range []string{claim, refused, posted, other} {
			v := store.View{
				Surface: name, Pipeline: pipeline, Kind: "slack", Promotion: promotion.Number(n), Wanted: "a",
				Account: store.AccountSlack,
			}
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(v)
				return err
			})
			shown := w.claimView()
			if shown.RemoteID = store.RefusedBySlack; name == posted {
				shown.RemoteID = "C1/1.1"
			}
			w.update(func(tx *store.Tx) error { return tx.Views.ShowedView(shown, time.Time{}) })
		}
		var row store.PipelineRow
		w.view(func(tx *store.Tx) (err error) {
			row, err = tx.Pipelines.ByID(pipeline)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Views.PostRefused(row.Installation + 1) })
		w.Nil(w.claimView())
		w.update(func(tx *store.Tx) error { return tx.Views.PostRefused(row.Installation) })
		w.Equal(refused, w.claimView().Surface)
		w.Equal(other, w.claimView().Surface)
		w.Nil(w.claimView())
	}},
	{"what is wanted while it is being shown is shown afterwards", func(w *world) {
		w.show("a")
		w.claimView()
		w.show("b")
		w.Nil(w.claimView(), "it is being shown")
		w.showed("a")
		w.Equal("b", w.claimView().Wanted)
	}},
	{"what goes back to what is shown needs no showing", func(w *world) {
		w.show("a")
		w.claimView()
		w.showed("a")
		w.show("b")
		w.show("a")
		w.Nil(w.claimView())
	}},
	{"a view that could not be shown is tried again when told to", func(w *world) {
		w.show("a")
		w.claimView()
		w.update(func(tx *store.Tx) error { return tx.Views.RetryView(w.shown, "502", tx.Now.Add(time.Second)) })
		w.Nil(w.claimView())
		w.clock.advance(time.Second)
		w.Equal(2, w.claimView().Attempts)
	}},
	{"a view that somebody removed is made again, three times for what is wanted of it (semantics 5.9)", func(w *world) {
		for _, wanted := range []string{"a", "b"} {
			w.show(wanted)
			w.claimView()
			w.showed(wanted)
			for range 3 {
				w.False(w.lost(wanted))
				v := w.claimView()
				w.Equal(wanted, v.Wanted)
				w.Equal("9", v.RemoteID, "it is looked for before it is made")
				w.showed(wanted)
			}
			w.True(w.lost(wanted), "that it is given up is told")
			w.False(w.lost(wanted), "once")
			w.Nil(w.claimView())
		}
	}},
	{"a view of which a part was removed is known to show the rest", func(w *world) {
		w.show("ab")
		w.claimView()
		w.showed("ab")
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.LostView(&store.View{Surface: comment, Shown: "ab"}, "a")
			return err
		})
		w.Equal("a", w.claimView().Shown)
	}},
	{"a view that shows something else by now is not taken for lost", func(w *world) {
		w.show("a")
		w.claimView()
		w.showed("a")
		w.False(w.lost("what was there before"))
		w.Nil(w.claimView())
	}},
	{"a view that is to be replaced is shown again, and what showed it is outdated from then on", func(w *world) {
		w.show("a")
		w.claimView()
		w.showed("a")
		for _, upTo := range []int64{9, 7} {
			w.update(func(tx *store.Tx) error { return tx.Views.ReplaceView(comment, upTo) })
		}
		v := w.claimView()
		w.Equal("a", v.Wanted)
		w.Empty(v.Shown)
		w.Equal("9", v.RemoteID)
		w.EqualValues(9, v.Outdated)
		w.Equal(1, v.Attempts)
	}},
	{"a view that is to be replaced while it is shown is shown once more", func(w *world) {
		w.show("a")
		v := w.claimView()
		w.update(func(tx *store.Tx) error { return tx.Views.ReplaceView(comment, 9) })
		w.update(func(tx *store.Tx) error { return tx.Views.ShowedView(v, time.Time{}) })
		w.EqualValues(9, w.claimView().Outdated)
	}},
	{"the check runs on a commit are found, of all stages, and of no other commit", func(w *world) {
		want := func(surface, kind string, commit promotion.SHA) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(store.View{
					Surface: surface, Pipeline: pipeline, Stage: dev, Kind: kind, Wanted: surface + string(commit), Commit: commit,
				})
				return err
			})
		}
		want("check:1/dev/x", "check", "c1")
		want("check:1/prod/x", "check", "c1")
		want("check:1/dev/y", "check", "c2")
		want("comment:1", "comment", "c1")
		on := func(commit promotion.SHA) (found []string) {
			w.view(func(tx *store.Tx) error {
				all, err := tx.Views.ChecksOn(commit)
				for _, v := range all {
					found = append(found, v.Surface)
				}
				return err
			})
			return found
		}
		w.Equal([]string{"check:1/dev/x", "check:1/prod/x"}, on("c1"))
		want("check:1/dev/x", "check", "c2")
		w.Equal([]string{"check:1/dev/x", "check:1/dev/y"}, on("c2"))
	}},
	{"a request by label is kept until it is forgotten, and is that of the last person", func(w *world) {
		request := store.LabelRequest{
			Repo: "acme/api", Number: 7, Label: "promote/dev", Head: "c1",
			By: promotion.Actor{ID: 5, Login: "ann"}, At: w.clock.Now(),
		}
		w.update(func(tx *store.Tx) error { return tx.Requests.KeepLabel(request) })
		request.By, request.Head = promotion.Actor{ID: 6, Login: "bob"}, "c2"
		w.update(func(tx *store.Tx) error { return tx.Requests.KeepLabel(request) })
		w.view(func(tx *store.Tx) error {
			all, err := tx.Requests.ByLabels("acme/api", 7)
			w.Equal([]store.LabelRequest{request}, all)
			return err
		})
		w.update(func(tx *store.Tx) error { return tx.Requests.ForgetLabel("acme/api", 7, "promote/dev") })
		w.view(func(tx *store.Tx) error {
			all, err := tx.Requests.ByLabels("acme/api", 7)
			w.Empty(all)
			return err
		})
	}},
	{"check runs and deployments that are due are claimed together, up to ten", func(w *world) {
		w.show("a")
		for n := range 12 {
			w.showKind([]string{"check", "deployment"}[n%2], n)
		}
		first := w.claimView()
		w.Equal("check:0", first.Surface)
		more := w.claimMore(first)
		w.Len(more, 9)
		for _, v := range more {
			w.Equal(1, v.Attempts)
			w.Equal("a", v.Wanted)
		}
		w.Len(w.claimMore(first), 2)
		w.Equal(comment, w.claimView().Surface, "it is shown by itself")
	}},
	{"a check run that could not be shown is not claimed with others again, nor is one that is not due " +
		"or waits for an effect", func(w *world) {
		w.showKind("check", 0)
		w.claimView()
		w.update(func(tx *store.Tx) error { return tx.Views.RetryView(w.shown, "502", tx.Now) })
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(store.View{
				Surface: "check:1", Pipeline: pipeline, Kind: "check", Wanted: "a", Due: tx.Now.Add(time.Hour),
			})
			return err
		})
		w.want(dev, plan(1, 1))
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(store.View{
				Surface: "check:2", Pipeline: pipeline, Stage: dev, Kind: "check", Wanted: "a",
			})
			return err
		})
		first := w.claimView()
		w.Equal("check:0", first.Surface)
		w.Empty(w.claimMore(first))
	}},
	{"a view's place on the other side is noted by the worker that shows it", func(w *world) {
		w.show("a")
		note := func(v *store.View) error {
			return w.store.Update(w.Context(), func(tx *store.Tx) error { return tx.Views.NoteRemote(v, "7") })
		}
		first := w.claimView()
		w.clock.advance(time.Minute)
		w.NotNil(w.claimView())
		w.ErrorIs(note(first), store.ErrConflict)
		w.NoError(note(w.shown))
		w.view(func(tx *store.Tx) error {
			v, err := tx.Views.ViewBySurface(comment)
			w.Equal("7", v.RemoteID)
			return err
		})
	}},
	{"the views under a surface are those whose names continue it", func(w *world) {
		for _, surface := range []string{"card:1/to/b", "card:1", "card:10/to/a", "card:1/to/a"} {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(store.View{Surface: surface, Pipeline: pipeline, Kind: "card", Wanted: "a"})
				return err
			})
		}
		w.view(func(tx *store.Tx) error {
			all, err := tx.Views.ViewsUnder("card:1")
			w.Equal([]string{"card:1/to/a", "card:1/to/b"}, []string{all[0].Surface, all[1].Surface})
			w.Len(all, 2)
			return err
		})
	}},
	{"views that were read ahead are written together, and each as if it were alone", func(w *world) {
		w.showKind("check", 1)
		want := func(tx *store.Tx, n int, text string) bool {
			changed, err := tx.Views.WantView(store.View{
				Surface: fmt.Sprintf("check:%d", n), Pipeline: pipeline, Kind: "check", Wanted: text,
			})
			w.NoError(err)
			return changed
		}
		w.update(func(tx *store.Tx) error {
			w.NoError(tx.Views.ReadAhead([]string{"check:1", "check:2", "check:3"}))
			return tx.Views.Together(func() error {
				w.False(want(tx, 1, "a"), "it is wanted already")
				w.True(want(tx, 2, "b"))
				w.True(want(tx, 3, "c"))
				w.True(want(tx, 3, "d"), "the last one counts")
				w.True(want(tx, 4, "e"), "it was not read ahead")
				v, err := tx.Views.ViewBySurface("check:2")
				w.Equal("b", v.Wanted)
				return err
			})
		})
		w.view(func(tx *store.Tx) error {
			for n, text := range map[int]string{1: "a", 2: "b", 3: "d", 4: "e"} {
				v, err := tx.Views.ViewBySurface(fmt.Sprintf("check:%d", n))
				w.NoError(err)
				w.Equal(text, v.Wanted)
			}
			return nil
		})
		w.Len(w.claimMore(w.claimView()), 3)
	}},
	{"the views of a stage wait for its effects", func(w *world) {
		w.show("a")
		w.want(dev, plan(1, 1))
		w.Nil(w.claimView())
		e := w.claim()
		w.update(func(tx *store.Tx) error {
			return tx.Outbox.RetryEffect(e, "502", tx.Now.Add(time.Hour))
		})
		w.NotNil(w.claimView(), "what waits for GitHub does not silence everything")
	}},
	{"the views of a stage do not wait for effects behind one that waits", func(w *world) {
		w.show("a")
		w.apply(dev, promotion.Decision{Effects: []promotion.Effect{closing(1), plan(1, 2)}})
		e := w.claim()
		w.Equal(promotion.Close, e.Verb)
		w.Nil(w.claimView(), "the plan comes at once")
		w.update(func(tx *store.Tx) error {
			return tx.Outbox.RetryEffect(e, "502", tx.Now.Add(time.Hour))
		})
		w.Nil(w.claim(), "the plan is behind it")
		w.NotNil(w.claimView())
	}},
	{"the views of a stage do not wait for effects that wait for a resync", func(w *world) {
		w.show("a")
		w.want(dev, plan(1, 1))
		w.Nil(w.claimView())
		w.update(func(tx *store.Tx) error { return tx.Recovery.MarkStale(pipeline) })
		w.Nil(w.claim())
		w.NotNil(w.claimView())
	}},
	{"the views of a stage do not wait for effects that wait for a decision which is put off", func(w *world) {
		key := store.StageKey{Pipeline: pipeline, Stage: dev}
		w.show("a")
		w.want(dev, merge(dev, 1))
		w.update(func(tx *store.Tx) error { return tx.Stages.Touch(key) })
		w.Nil(w.claim(), "a hold may come")
		w.Nil(w.claimView(), "the decision comes at once")
		w.update(func(tx *store.Tx) error { return tx.Stages.Postpone(key, tx.Now.Add(time.Hour)) })
		w.Nil(w.claim())
		w.NotNil(w.claimView())
	}},
	{"the views of a stage wait some seconds for effects that wait for others", func(w *world) {
		w.show("a")
		w.want(prod, merge(prod, 1))
		w.NotNil(w.claim())
		w.want(dev, merge(dev, 2))
		w.Nil(w.claim(), "one is merged into the branch at a time")
		w.clock.advance(4 * time.Second)
		w.Nil(w.claimView())
		w.clock.advance(time.Second)
		w.NotNil(w.claimView())
	}},
}

func (w *world) show(wanted string) (changed bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		changed, err = tx.Views.WantView(store.View{
			Surface: comment, Pipeline: pipeline, Stage: dev, Kind: "comment", Wanted: wanted,
		})
		return err
	})
	return changed
}

// lost reports a deleted comment with this content, and returns whether the view is given up.
func (w *world) lost(shown string) (given bool) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		given, err = tx.Views.LostView(&store.View{Surface: comment, Shown: shown}, "")
		return err
	})
	return given
}

// showKind wants n views of a kind that belongs to no stage.
func (w *world) showKind(kind string, n int) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		_, err := tx.Views.WantView(store.View{
			Surface: fmt.Sprintf("%s:%d", kind, n), Pipeline: pipeline, Kind: kind, Wanted: "a",
		})
		return err
	})
}

func (w *world) claimMore(v *store.View) (more []store.View) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		more, err = tx.Views.ClaimMore(v, aMinute)
		return err
	})
	return more
}

func (w *world) claimView() (v *store.View) {
	w.Helper()
	due := w.due(store.ViewsToDo)
	all, _, err := w.store.ClaimViews(context.Background(), aMinute, func(*store.View) bool { return false })
	w.NoError(err)
	w.True(due || len(all) == 0, "work that is claimed was due")
	if len(all) > 0 {
		v = &all[0]
		w.shown = v
	}
	return v
}

func (w *world) showed(text string) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		return tx.Views.ShowedView(
			&store.View{Surface: w.shown.Surface, Lease: w.shown.Lease, Wanted: text, RemoteID: "9", Node: "IC_9"}, time.Time{},
		)
	})
}
