package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// TestAnAccountIsOpenWhenTheDatabaseIsOpenedAgain opens a database in which an account is shut: until further notice,
// or until a limit of GitHub ends. Only the limit outlives the server, whether the next is alone or one of several.
func TestAnAccountIsOpenWhenTheDatabaseIsOpenedAgain(t *testing.T) {
	for _, shared := range []bool{false, true} {
		openedAgain(t, shared)
	}
}

func openedAgain(t *testing.T, shared bool) {
	for name, gate := range map[string]store.Gate{
		"lasting": {Until: start.Add(time.Hour), Lasting: true}, "limit": {Until: start.Add(time.Hour)},
	} {
		path, now := filepath.Join(t.TempDir(), "waybill.db"), func() time.Time { return start }
		w := openWorld(t, path, store.Options{Clock: now})
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
		w.settle()
		w.want(dev, plan(1, 1))
		w.shut(3, gate)
		w.NoError(w.store.Close())
		w = openWorld(t, path, store.Options{Clock: now, Shared: shared})
		w.Equal(gate.Lasting, w.claim() != nil, name)
		w.NoError(w.store.Close())
	}
}

// openWorld opens a file as the database of a world.
func openWorld(t *testing.T, path string, o store.Options) *world {
	w := &world{T: t, Assertions: require.New(t), clock: &clock{now: start}, pipeline: samplePipeline()}
	s, err := store.Open(t.Context(), "sqlite://"+path, store.Collecting(o))
	w.NoError(err)
	w.store = s
	return w
}

func TestGates(t *testing.T) { prove(t, shutAccounts) }

var shutAccounts = []test{
	{"nothing of an account that is shut is claimed before the time, and everything then", func(w *world) {
		w.wound()
		w.want(dev, plan(1, 1))
		w.showKind("check", 1)
		until := start.Add(time.Hour)
		w.shut(3, store.Gate{Until: until})
		w.update(func(tx *store.Tx) error {
			e, wake, err := tx.Outbox.ClaimEffect(aMinute)
			w.Nil(e)
			w.Equal(until, wake)
			return err
		})
		w.Nil(w.claimView())
		w.Nil(w.claimResync())
		w.backlog(0, until)
		w.clock.advance(time.Hour)
		w.NotNil(w.claim())
		w.NotNil(w.claimView())
		w.NotNil(w.claimResync())
	}},
	{"a gate that lasts is opened by no clock", func(w *world) {
		w.want(dev, plan(1, 1))
		w.shut(3, store.Gate{Until: start.Add(time.Second), Lasting: true})
		w.clock.advance(store.AwayFor - time.Second)
		w.Nil(w.claim())
		w.shut(3, store.Gate{})
		w.NotNil(w.claim())
	}},
	{"a resync comes first behind a gate that lasted so long that webhooks may have been lost", func(w *world) {
		w.want(dev, plan(1, 1))
		w.shut(3, store.Gate{Until: start.Add(time.Second), Lasting: true})
		w.shut(4, store.Gate{Until: start.Add(time.Second), Lasting: true})
		w.clock.advance(store.AwayFor)
		stale := func() bool {
			var row store.PipelineRow
			w.update(func(tx *store.Tx) (err error) {
				row, err = tx.Pipelines.ByID(pipeline)
				return err
			})
			return !row.Stale.IsZero()
		}
		w.shut(4, store.Gate{})
		w.False(stale(), "of another installation")
		w.shut(3, store.Gate{Until: w.clock.Now().Add(time.Hour), Scarce: true})
		w.True(stale(), "though little is left")
		w.Nil(w.claim())
	}},
	{"while little is left, answers, views and resyncs wait, and promotions and deliveries go on", func(w *world) {
		w.wound()
		w.want(dev, opening(1))
		w.apply(dev, promotion.Decision{Wanted: []promotion.Effect{opening(1)}, Effects: []promotion.Effect{tell(2)}})
		w.showKind("check", 1)
		until := start.Add(time.Hour)
		w.shut(3, store.Gate{Until: until, Scarce: true})
		_, err := w.store.Accept(context.Background(),
			store.Delivery{Source: "github", GUID: "a", Event: "push", Installation: 3})
		w.NoError(err)
		d := w.claimDelivery()
		w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "503", start) })
		w.NotNil(w.claimDelivery(), "it is tried again")
		e := w.claim()
		w.Equal(promotion.Open, e.Verb)
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "422", start.Add(time.Minute)) })
		w.apply(dev, promotion.Decision{Wanted: []promotion.Effect{opening(1)}})
		w.Nil(w.claim(), "it waits for its own time")
		w.Nil(w.claimView())
		w.Nil(w.claimResync())
		w.update(func(tx *store.Tx) error {
			census, err := tx.Upkeep.Census()
			w.Equal(map[string]int{"answer": 1, "view": 1, "resync": 1}, census.Withheld)
			return err
		})
		w.clock.advance(time.Minute)
		w.Equal(promotion.Open, w.claim().Verb)
		w.Nil(w.claim())
		w.update(func(tx *store.Tx) error { return tx.Recovery.MarkStale(pipeline) })
		w.NotNil(w.claimResync(), "promotions wait for it")
		w.update(func(tx *store.Tx) error { return tx.Recovery.MarkFresh(pipeline) })
		w.clock.advance(time.Hour)
		w.Equal(promotion.Tell, w.claim().Verb)
		w.NotNil(w.claimView())
	}},
	{"another account goes on", func(w *world) {
		w.want(dev, plan(1, 1))
		w.shut(4, store.Gate{Until: start.Add(time.Hour)})
		w.NotNil(w.claim())
	}},
	{"what fails in an account that is shut is due when that opens", func(w *world) {
		w.want(dev, plan(1, 1))
		e := w.claim()
		w.shut(3, store.Gate{Until: start.Add(time.Second), Lasting: true})
		w.update(func(tx *store.Tx) error { return tx.Outbox.RetryEffect(e, "503", start.Add(time.Hour)) })
		w.clock.advance(time.Second)
		w.Nil(w.claim())
		w.shut(3, store.Gate{})
		w.NotNil(w.claim())
	}},
	{"a delivery that was not tried yet is, as it may need nothing of GitHub", func(w *world) {
		deliver := func(guid string) {
			_, err := w.store.Accept(context.Background(),
				store.Delivery{Source: "github", GUID: guid, Event: "push", Installation: 3})
			w.NoError(err)
		}
		w.shut(3, store.Gate{Until: start.Add(time.Hour)})
		deliver("a")
		d := w.claimDelivery()
		w.Equal("a", d.GUID)
		w.update(func(tx *store.Tx) error { return tx.Inbox.DelayDelivery(d, "503", start.Add(time.Second)) })
		w.clock.advance(time.Second)
		deliver("b")
		w.Equal("b", w.claimDelivery().GUID)
		w.Nil(w.claimDelivery())
	}},
	{"answers in Slack and of the API go on, and what Slack shows does not wait for effects", func(w *world) {
		w.want(dev, plan(1, 1))
		w.update(func(tx *store.Tx) error {
			_, err := tx.Views.WantView(store.View{
				Surface: "slack:1", Pipeline: pipeline, Stage: dev, Kind: "slack", Wanted: "x", Account: store.AccountSlack,
			})
			return err
		})
		w.Nil(w.claimView())
		w.shut(3, store.Gate{Until: start.Add(time.Hour)})
		w.NotNil(w.claimView())
		for _, surface := range []string{"slack:C1/2/U1/3", "api:4"} {
			reply := promotion.Effect{Verb: promotion.Reply, Stage: dev, Request: int64(len(surface)), Surface: surface}
			w.apply(dev, promotion.Decision{Effects: []promotion.Effect{reply}})
			w.Equal(surface, w.claim().Surface)
		}
	}},
}

// shut shuts or opens the account of an installation.
func (w *world) shut(installation int64, g store.Gate) {
	w.Helper()
	w.update(func(tx *store.Tx) error { return tx.Upkeep.Shut(installation, g) })
}
