package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"waybill/internal/cable"
	"waybill/internal/pgtest"
	"waybill/store"
	"waybill/store/driver"
	"waybill/store/postgres"
)

// served is a store on a server, which is reached through a cable that can be cut.
type served struct {
	*testing.T
	url   string // of the database, past the cable
	cable *cable.Cable
	store *store.Store
}

func newServed(t *testing.T) *served {
	t.Parallel()
	s := &served{T: t, url: pgtest.Database(t)}
	s.cable = cable.New(t, "unix", pgtest.Socket(t, s.url))
	s.store = openURL(t, pgtest.Through(t, s.url, s.cable.Address), store.Options{})
	return s
}

// log writes a line into the audit trail, and returns how often its function ran.
func (s *served) log(word string) (runs int, err error) {
	err = s.store.Update(s.Context(), func(tx *store.Tx) error {
		runs++
		return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: word})
	})
	return runs, err
}

// logged returns the words of the audit trail.
func (s *served) logged() (words []string) {
	s.Helper()
	require.NoError(s, s.store.View(s.Context(), func(tx *store.Tx) error {
		events, err := tx.Audit.Events(store.ServerChain, 0, 100)
		for _, e := range events {
			words = append(words, e.Word)
		}
		return err
	}))
	return words
}

// sql runs statements past Waybill.
func (s *served) sql(statements ...string) {
	s.Helper()
	c, err := pgx.Connect(s.Context(), s.url)
	require.NoError(s, err)
	defer c.Close(context.Background())
	for _, statement := range statements {
		_, err := c.Exec(s.Context(), statement)
		require.NoError(s, err, statement)
	}
}

// endSessions ends the sessions of Waybill on the server, as an administrator or a failover does.
const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waybill'
	AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = hashtext(current_schema())::oid)`

func TestATransactionWhoseSessionEndsRunsAgain(t *testing.T) {
	s := newServed(t)
	runs := 0
	require.NoError(t, s.store.Update(t.Context(), func(tx *store.Tx) error {
		if runs++; runs == 1 {
			require.NoError(t, tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "lost"}))
			s.sql(endSessions)
		}
		return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "kept"})
	}))
	require.Equal(t, 2, runs)
	require.Equal(t, []string{"kept"}, s.logged())
	s.sql(endSessions)
	_, err := s.log("after")
	require.NoError(t, err)
	require.Equal(t, []string{"kept", "after"}, s.logged())
}

// TestACommitWhoseAnswerIsLostIsLookedUp: what was written is not written twice, what was not is.
func TestACommitWhoseAnswerIsLostIsLookedUp(t *testing.T) {
	s := newServed(t)
	s.cable.CutAt("COMMIT", true)
	runs, err := s.log("arrived")
	require.NoError(t, err)
	require.Equal(t, 1, runs)
	require.Equal(t, []string{"arrived"}, s.logged())
	s.cable.CutAt("COMMIT", false)
	runs, err = s.log("got lost")
	require.NoError(t, err)
	require.Equal(t, 2, runs)
	require.Equal(t, []string{"arrived", "got lost"}, s.logged())
}

func TestATransactionThatCollidesRunsAgain(t *testing.T) {
	s := newServed(t)
	s.sql(`CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF (SELECT COUNT(*) FROM pg_class WHERE relname = 'once' AND relnamespace = current_schema()::regnamespace) = 1 THEN
			RAISE EXCEPTION 'collision' USING ERRCODE = '40001';
		END IF; RETURN NEW; END $$`, `CREATE TRIGGER collide BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION collide()`,
		`CREATE VIEW once AS SELECT 1 AS one`)
	runs := 0
	require.NoError(t, s.store.Update(t.Context(), func(tx *store.Tx) error {
		if runs++; runs == 2 {
			s.sql(`DROP VIEW once`)
		}
		return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "a"})
	}))
	require.Equal(t, 2, runs)
	require.Equal(t, []string{"a"}, s.logged())
}

func TestADatabaseOnAServerHasOneProcess(t *testing.T) {
	s := newServed(t)
	err := tryOpen(t, s.url)
	require.ErrorIs(t, err, driver.ErrInUse)
	require.ErrorContains(t, err, "waybill, session ")
	require.ErrorContains(t, err, "stop it first")
	require.NoError(t, s.store.Close())
	require.NoError(t, tryOpen(t, s.url))
}

// TestAProcessThatHasLostTheDatabaseToAnotherStops even if that other one has ended by then.
func TestAProcessThatHasLostTheDatabaseToAnotherStops(t *testing.T) {
	s := newServed(t)
	s.cable.Down()
	s.sql(endSessions)
	other := openURL(t, s.url, store.Options{})
	require.NoError(t, other.Close())
	s.cable.Up()
	_, err := s.log("too late")
	require.ErrorIs(t, err, driver.ErrInUse)
	require.ErrorContains(t, err, "must stop")
	select {
	case <-s.store.Lost():
	case <-time.After(time.Minute):
		t.Fatal("it does not know")
	}
	require.ErrorIs(t, s.store.View(t.Context(), func(*store.Tx) error { return nil }), driver.ErrInUse)
}

// TestAProcessThatIsIdleNoticesThatItHasLostTheDatabase without using it.
func TestAProcessThatIsIdleNoticesThatItHasLostTheDatabase(t *testing.T) {
	s := newServed(t)
	s.sql(endSessions, `UPDATE keeper SET number = number + 1`)
	select {
	case <-s.store.Lost():
	case <-time.After(time.Minute):
		t.Fatal("it does not notice")
	}
}

func TestAServerThatCannotBeReachedIsTrouble(t *testing.T) {
	s := newServed(t)
	s.cable.Down()
	began := time.Now()
	_, err := s.log("a")
	require.ErrorIs(t, err, driver.ErrUnreachable)
	require.True(t, mayBeDoneAgain(err))
	require.Less(t, time.Since(began), 30*time.Second)
	require.ErrorIs(t, s.store.Trouble(), driver.ErrUnreachable)
	began = time.Now()
	_, err = s.log("b")
	require.ErrorIs(t, err, driver.ErrUnreachable)
	require.Less(t, time.Since(began), 5*time.Second, "an outage that lasts is told of at once")
	s.cable.Up()
	require.Eventually(t, func() bool { return s.store.Mend(t.Context()) }, 30*time.Second, 100*time.Millisecond)
	require.NoError(t, s.store.Trouble())
	_, err = s.log("c")
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, s.logged())
}

// mayBeDoneAgain reports whether an error says so of what failed with it.
func mayBeDoneAgain(err error) bool {
	var says interface{ Again() (time.Duration, bool) }
	if !errors.As(err, &says) {
		return false
	}
	_, again := says.Again()
	return again
}

func TestStoresThatShareAServerTakeTurns(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		s := openURL(t, at, store.Options{Shared: true})
		all.Go(func() {
			for range 25 {
				errs[i] = errors.Join(errs[i], s.Update(t.Context(), func(tx *store.Tx) error {
					return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "a"})
				}))
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, store.Read(t.Context(), at, func(tx *store.Tx) error {
		lines, err := tx.Audit.CheckTrail()
		require.EqualValues(t, 100, lines)
		return err
	}))
}

// TestServersThatShareADatabaseKeepALoneOneAway, and one that has it alone keeps them away: it remembers what it has
// read.
func TestServersThatShareADatabaseKeepALoneOneAway(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	several := store.Options{Shared: true}
	one, another := openURL(t, at, several), openURL(t, at, several)
	for _, s := range []*store.Store{one, another} {
		err := tryOpen(t, at)
		require.ErrorIs(t, err, driver.ErrInUse)
		require.ErrorContains(t, err, "WAYBILL_REPLICAS=true")
		require.NoError(t, s.Close())
	}
	lone := openURL(t, at, store.Options{})
	_, err := store.Open(t.Context(), at, several)
	require.ErrorIs(t, err, driver.ErrInUse)
	require.NoError(t, lone.Close())
	openURL(t, at, several)
}

// TestAServerThatStandsStillInATransactionStopsTheOthersForSecondsOnly: its session has the turn, and ends.
func TestAServerThatStandsStillInATransactionStopsTheOthersForSecondsOnly(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	still, other := openURL(t, at, store.Options{Shared: true}), openURL(t, at, store.Options{Shared: true})
	began, runs := time.Now(), 0
	log := func(word string) func(tx *store.Tx) error {
		return func(tx *store.Tx) error { return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: word}) }
	}
	require.NoError(t, still.Update(t.Context(), func(tx *store.Tx) error {
		if runs++; runs == 1 {
			if err := log("still")(tx); err != nil {
				return err
			}
			require.NoError(t, other.Update(t.Context(), log("other")))
			require.Less(t, time.Since(began), 15*time.Second)
		}
		return log("still")(tx)
	}))
	require.Equal(t, 2, runs, "what it had written is undone, and done again")
	require.NoError(t, store.Read(t.Context(), at, func(tx *store.Tx) error {
		lines, err := tx.Audit.CheckTrail()
		require.EqualValues(t, 2, lines)
		return err
	}))
}

// TestADumpKnowsThatItIsACopyWhenItIsOpened: pg_dump and pg_restore make tables with other ids.
func TestADumpKnowsThatItIsACopyWhenItIsOpened(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	s := openURL(t, at, store.Options{})
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Pipelines.Save(row(), samplePipeline())
	}))
	require.NoError(t, s.Close())
	u, err := url.Parse(at)
	require.NoError(t, err)
	q := u.Query()
	schema := q.Get("search_path")
	q.Del("search_path") // a parameter of pgx, not of pg_dump
	u.RawQuery = q.Encode()
	dump, err := exec.Command(pgtest.Program(t, "pg_dump"), "--schema="+schema, u.String()).Output()
	require.NoError(t, err)
	stale := func(at string) (is bool) {
		s := openURL(t, at, store.Options{})
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
			row, err := tx.Pipelines.ByID(pipeline)
			is = !row.Stale.IsZero()
			return err
		}))
		require.NoError(t, s.Close())
		return is
	}
	require.False(t, stale(at), "a restart is no copy")
	c, err := pgx.Connect(t.Context(), at)
	require.NoError(t, err)
	defer c.Close(context.Background())
	_, err = c.Exec(t.Context(), `DROP SCHEMA `+schema+` CASCADE`)
	require.NoError(t, err)
	restore := exec.Command(pgtest.Program(t, "psql"), "--quiet", "--set=ON_ERROR_STOP=1", u.String())
	restore.Stdin = strings.NewReader(string(dump))
	out, err := restore.CombinedOutput()
	require.NoError(t, err, string(out))
	require.True(t, stale(at))
	require.NoError(t, store.Read(t.Context(), at, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail()
		return err
	}))
}

func TestADatabaseOfAServerThatCannotBeUsedIsLeftAloneWithTheRemedy(t *testing.T) {
	t.Parallel()
	made := func(t *testing.T, statements ...string) string {
		s := &served{T: t, url: pgtest.Database(t)}
		require.NoError(t, tryOpen(t, s.url))
		s.sql(statements...)
		return s.url
	}
	with := func(t *testing.T, change func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(pgtest.Database(t))
		require.NoError(t, err)
		q := u.Query()
		change(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, tc := range map[string]struct {
		url    func(t *testing.T) string
		class  error
		remedy string
	}{
		"newer": {func(t *testing.T) string {
			return made(t, `UPDATE schema_version SET version = 99, oldest = 99`)
		}, driver.ErrNewer,
			"run the newer Waybill"},
		"older": {func(t *testing.T) string { return made(t, `UPDATE schema_version SET digest = 'x'`) }, driver.ErrOlder,
			"choose another database"},
		"of another program": {func(t *testing.T) string {
			s := &served{T: t, url: pgtest.Database(t)}
			s.sql(`CREATE TABLE sessions (id BIGINT)`)
			return s.url
		}, driver.ErrNotDatabase, "choose another database"},
		"not there": {func(t *testing.T) string {
			return with(t, func(u *url.URL, _ url.Values) { u.Path = "/nowhere" })
		}, driver.ErrUnreachable, "run CREATE DATABASE"},
		"no server": {func(t *testing.T) string {
			return with(t, func(_ *url.URL, q url.Values) { q.Set("host", t.TempDir()) })
		}, driver.ErrUnreachable, "look whether the server runs"},
		"no schema": {func(t *testing.T) string {
			return with(t, func(_ *url.URL, q url.Values) { q.Set("search_path", "nowhere") })
		}, driver.ErrUnsuitable, "CREATE SCHEMA"},
		"read only": {func(t *testing.T) string {
			return with(t, func(_ *url.URL, q url.Values) { q.Set("default_transaction_read_only", "on") })
		}, driver.ErrReadOnly, "RESET default_transaction_read_only"},
		"no right": {func(t *testing.T) string {
			s := &served{T: t, url: pgtest.Database(t)}
			s.sql(`DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
				`DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO guest'; END $$`)
			u, err := url.Parse(s.url)
			require.NoError(t, err)
			u.User = url.UserPassword("guest", "hunter2")
			return u.String()
		}, driver.ErrReadOnly, "owner of the database"},
	} {
		t.Run(name, func(t *testing.T) {
			at := tc.url(t)
			err := tryOpen(t, at)
			require.ErrorIs(t, err, tc.class)
			require.ErrorContains(t, err, tc.remedy)
			require.ErrorContains(t, err, "open database postgres://")
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
	require.ErrorContains(t, tryOpen(t, "postgres://bot:hunter2@db/waybill?sslmode=none"), "sslmode")
	require.NotContains(t, tryOpen(t, "postgres://bot:hunt%er2@db:x/waybill").Error(), "er2")
}

func TestServersThatAreNotSuitableAreRefused(t *testing.T) {
	good := postgres.Server{Version: 15, Encoding: "UTF8", Schema: "public"}
	require.NoError(t, good.Check())
	for remedy, change := range map[string]func(*postgres.Server){
		"upgrade it":             func(s *postgres.Server) { s.Version = 14 },
		"ENCODING 'UTF8'":        func(s *postgres.Server) { s.Encoding = "LATIN1" },
		"name the primary":       func(s *postgres.Server) { s.Standby = true },
		"RESET default":          func(s *postgres.Server) { s.ReadOnly = true },
		"correct the search_pat": func(s *postgres.Server) { s.Schema = "" },
	} {
		s := good
		change(&s)
		require.ErrorContains(t, s.Check(), remedy)
	}
}

func TestAServerIsBackedUpByItsOwnPrograms(t *testing.T) {
	err := store.Backup(t.Context(), "postgres://bot:hunter2@db.example:5433/waybill", "file")
	require.EqualError(t, err, "back up postgres://db.example:5433/waybill: a PostgreSQL database is copied by its own "+
		"programs: run pg_dump --format=custom --file=FILE with the URL of the database, and go back to it with pg_restore "+
		"into an empty one; the next start notices that it is a copy")
}

// TestTextsThatPostgreSQLCannotStoreAreStoredWithSymbols, and found with them.
func TestTextsThatPostgreSQLCannotStoreAreStoredWithSymbols(t *testing.T) {
	t.Parallel()
	s := openURL(t, pgtest.Database(t), store.Options{})
	for n, text := range []string{"a\x00b", "a\xff\xfeb", "a\u2400b"} {
		fresh, err := s.Accept(t.Context(), store.Delivery{Source: "github", GUID: text, Body: []byte("\x00\xff")})
		require.NoError(t, err)
		require.Equal(t, n < 2, fresh, "the third is stored like the first")
		if n < 2 {
			fresh, err = s.Accept(t.Context(), store.Delivery{Source: "github", GUID: text, Body: []byte("\x00\xff")})
			require.NoError(t, err)
			require.False(t, fresh, fmt.Sprintf("%q is found", text))
		}
	}
}

// TestOnAServerWhatADeadProcessDidOnGitHubWaitsForItsLease: a request of it may still be on its way, because its
// session may have ended before the process. What only reads is done again at once.
func TestOnAServerWhatADeadProcessDidOnGitHubWaitsForItsLease(t *testing.T) {
	t.Parallel()
	at := pgtest.Database(t)
	w := &world{T: t, Assertions: require.New(t), clock: &clock{now: start}, pipeline: samplePipeline()}
	begin := func() { w.store = openURL(t, at, store.Options{Clock: w.clock.Now}) }
	begin()
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
	w.want(dev, plan(1, 1))
	w.accept("g1", "body")
	w.NotNil(w.claim())
	w.NotNil(w.claimDelivery())
	w.NoError(w.store.Close())
	begin()
	w.NotNil(w.claimDelivery())
	w.Nil(w.claim())
	w.clock.advance(time.Minute)
	w.NotNil(w.claim())
}
