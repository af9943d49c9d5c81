package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/internal/story"
	"waybill/internal/story/play"
	"waybill/promotion"
	"waybill/store"
)

// World plays stories on the whole program, with SQLite and a simulated GitHub with its webhooks. Its clock moves only
// when the story waits.
type World struct {
	script  *play.Script
	stepped bool // workers take turns; no network; see NewQuietWorld
	github  *githubsim.Server
	clock   *clock
	program *program
	file    string // of the database; not used where server is set
	server  string // the URL of a database on a server; empty: it is a file
	tokens  string // the token file; "" if the story has none
	events  config.Events
	wire    *wire
	slack   *slacksim.Server  // nil if the story has no Slack
	room    string            // the id of its channel
	inSlack map[string]string // user ids in Slack, by GitHub login
	chat    config.Slack      // zero if the story has no Slack
	owners  []promotion.Actor // accounts that the server serves; nil: all
	told    int64             // sequence number of the last audit event that tell has read
	home    int64             // id of the pipeline, kept because its repository may be renamed
	actors  map[string]bool   // logins that exist on GitHub
	crashed atomic.Bool       // the program was killed and must be started again
	down    bool              // the program was killed in this step
	workers app.Workers
	content config.Content // that the program may make; zero: as much as by default
}

// ample is more content than anybody makes.
var ample = config.Content{PerMinute: 10_000, PerHour: 10_000}

// NewWorld returns the world of a story before its first step: a simulated GitHub with the story's repositories, and
// the program with all its workers, reached over HTTP, on a database in dir. report receives violations of GitHub's API
// description, which are not checked if report is nil. The caller must call Close.
func NewWorld(ctx context.Context, s story.Story, dir string, report func(error)) (*World, error) {
	return newWorld(ctx, s, dir, "", report, false)
}

// NewQuietWorld returns a world in which one thing happens at a time: the workers of the program take turns, and
// requests and webhooks use no network. The result does not depend on the load of the machine.
func NewQuietWorld(ctx context.Context, s story.Story, dir string, report func(error)) (*World, error) {
	return newWorld(ctx, s, dir, "", report, true)
}

// NewWorldOn is NewWorld with the program's database on a server, of which it gets the URL.
func NewWorldOn(ctx context.Context, s story.Story, server string, report func(error)) (*World, error) {
	return newWorld(ctx, s, "", server, report, false)
}

// NewQuietWorldOn is NewQuietWorld with the program's database on a server, of which it gets the URL.
func NewQuietWorldOn(ctx context.Context, s story.Story, server string, report func(error)) (*World, error) {
	return newWorld(ctx, s, "", server, report, true)
}

func newWorld(
	ctx context.Context, s story.Story, dir, server string, report func(error), stepped bool,
) (*World, error) {
	script, err := play.Begin(s)
	if err != nil {
		return nil, err
	}
	w := &World{
		script: script, stepped: stepped, clock: newClock(story.Start()), file: filepath.Join(dir, "waybill.db"),
		server: server,
		actors: map[string]bool{}, wire: &wire{next: http.DefaultTransport},
		// One worker of each kind: effects are carried out in the order of decision, as stories list them.
		workers: app.Workers{Intake: 1, Effects: 1, Views: 1, Resyncs: 1},
	}
	if !stepped {
		// Its clock stands while it works, and how often it writes a view anew depends on its threads.
		w.content = ample
	}
	if err := w.openGitHub(report); err != nil {
		return nil, err
	}
	if err := errors.Join(w.openSlack(), w.build()); err != nil {
		return nil, errors.Join(err, w.closeOutside())
	}
	if err := w.restart(ctx); err != nil {
		return nil, errors.Join(err, w.closeOutside())
	}
	if _, err := w.rest(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Behave has GitHub behave as on a bad day from now on, by the names of Profiles. The App keeps all of its permissions
// and events, so that the same happens as on a good day.
func (w *World) Behave(seed uint64, profiles ...string) {
	all := make([]githubsim.Profile, len(profiles))
	for i, p := range profiles {
		all[i] = githubsim.Profile(p)
	}
	w.github.BehaveGranted(seed, all...)
}

// Profiles lists what GitHub may be like.
func Profiles() (names []string) {
	for _, p := range githubsim.Profiles() {
		names = append(names, string(p))
	}
	return names
}

// openGitHub starts the simulated GitHub of the story. A stepped world also gets a copy of an empty database.
func (w *World) openGitHub(report func(error)) (err error) {
	o := githubsim.Options{Clock: w.clock.Now, Report: report, Unchecked: report == nil, OAuth: signIn, Offline: w.stepped}
	if w.stepped {
		if err := w.prepareFile(); err != nil {
			return err
		}
		if o.App.PrivateKey, err = shortKey(); err != nil {
			return fmt.Errorf("make a key for the App: %w", err)
		}
		w.wire.next = outside{w}
	}
	w.github, err = githubsim.Start(o)
	return err
}

// prepareFile copies an empty database.
func (w *World) prepareFile() error {
	if w.server != "" {
		return nil
	}
	empty, err := emptyDatabase()
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.file, empty, 0o600); err != nil {
		return fmt.Errorf("copy the empty database: %w", err)
	}
	return nil
}

// outside carries the requests of a program without a network to the simulators.
type outside struct{ *World }

// RoundTrip implements http.RoundTripper.
func (x outside) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.slack != nil && "http://"+r.URL.Host == x.slack.URL() {
		return x.slack.RoundTrip(r)
	}
	return x.github.RoundTrip(r)
}

// Close stops the program, GitHub and Slack.
func (w *World) Close() error { return errors.Join(w.program.kill(), w.closeOutside()) }

func (w *World) closeOutside() error {
	err := w.github.Close()
	if w.slack != nil {
		err = errors.Join(err, w.slack.Close())
	}
	return err
}

// Now returns the time in the world.
func (w *World) Now() time.Time { return w.clock.Now() }

// Pipeline returns the current pipeline of the story.
func (w *World) Pipeline() *promotion.Pipeline { return w.script.Scene.Pipeline }

// Do carries out one happening and returns the lines that follow from it.
func (w *World) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	if h.Kind.Asks() {
		return w.why(ctx, h)
	}
	w.down = false
	defer w.wire.endHappening()
	repeated := w.github.Repeated(rerequested)
	if err := w.happen(ctx, h); err != nil {
		return nil, err
	}
	if h.Kind == story.Wait {
		return w.wait(ctx, h.For)
	}
	if _, err := w.rest(ctx); err != nil {
		return nil, err
	}
	lines, err := w.tell(ctx)
	if w.github.Repeated(rerequested) > repeated {
		lines = once(lines)
	}
	return lines, err
}

// rerequested is the action of the events that ask for check runs to be run again. They have no identity, so each that
// GitHub tells of twice is answered twice, and Waybill looks again, and no more (semantics 6.10).
const rerequested = "rerequested"

// once leaves out what lines repeat.
func once(lines []story.Line) (all []story.Line) {
	for _, line := range lines {
		if !slices.ContainsFunc(all, func(had story.Line) bool { return reflect.DeepEqual(had, line) }) {
			all = append(all, line)
		}
	}
	return all
}

// wait advances the clock by d. It stops at every time at which work is due, and at the end.
func (w *World) wait(ctx context.Context, d time.Duration) ([]story.Line, error) {
	end := w.clock.Now().Add(d)
	for {
		next, err := w.rest(ctx)
		if err != nil || !w.clock.Now().Before(end) {
			lines, tellErr := w.tell(ctx)
			return lines, errors.Join(err, tellErr)
		}
		stop := end
		if due := w.clock.when(next); !next.IsZero() && due.After(w.clock.Now()) && due.Before(end) {
			stop = due
		}
		w.clock.set(stop)
		w.program.WakeAll()
	}
}

// rest waits until no work is left, and returns the time at which work is due next. It starts the program again if the
// program was killed.
func (w *World) rest(ctx context.Context) (time.Time, error) {
	for {
		if w.crashed.Swap(false) {
			w.down = true
			if err := w.restart(ctx); err != nil {
				return time.Time{}, err
			}
		}
		if err := w.settle(ctx); err != nil {
			return time.Time{}, err
		}
		sent := w.github.Delivered()
		next, err := w.program.rest(ctx)
		switch {
		case w.killed() && ctx.Err() == nil: // kill cancels the program before it sets crashed
			continue
		case err != nil:
			return next, err
		}
		if err := w.settle(ctx); err != nil {
			return next, err
		}
		if w.github.Delivered() == sent && !w.killed() {
			return next, nil
		}
	}
}

// settle waits until GitHub has sent its webhooks. Webhooks that are sent while the program is down are lost, as with
// the real GitHub.
func (w *World) settle(ctx context.Context) error {
	if w.stepped {
		return nil // step delivers them one at a time
	}
	err := w.github.Settle(ctx)
	if w.down || w.killed() {
		return nil
	}
	return err
}

// killed reports whether the program was killed and has not been started again.
func (w *World) killed() bool { return w.crashed.Load() || w.program.ctx.Err() != nil }

// restart kills the program, if it runs, and starts it again on the same database.
func (w *World) restart(ctx context.Context) error {
	if w.program != nil {
		if err := w.program.kill(); err != nil {
			return err
		}
	}
	c := settings(w.github, w.file)
	c.APITokensFile, c.Slack, c.AllowedOwners, c.Content = w.tokens, w.chat, w.owners, w.content
	c.Events = w.events
	around := app.World{Clock: w.clock.ours, Wire: w.wire, Workers: w.workers}
	if w.server != "" {
		c.DatabaseURL, around.Steady, around.Ended = config.Secret(w.server), w.clock.Now, true
	}
	begin := start
	if w.stepped {
		begin = startStepped
		w.inVain()
	}
	p, err := begin(ctx, w.github, c, around)
	if err != nil {
		return err
	}
	w.program = p
	if w.slack != nil {
		w.slack.SetRequestURL(p.url)
	}
	return nil
}

// inVain fails the delivery of all waiting webhooks, because the program is down. Before the first start there is no
// URL to post them to, and they are lost.
func (w *World) inVain() {
	for _, d := range w.github.Waiting() {
		if w.program == nil {
			w.github.Lose(d.ID)
		} else {
			w.github.Post(d.ID, nil)
		}
	}
}

// tell returns the lines of the audit events since the last call.
func (w *World) tell(ctx context.Context) ([]story.Line, error) {
	var lines []story.Line
	err := w.program.store.View(ctx, func(tx *store.Tx) error {
		pipeline, err := w.pipeline(tx)
		if err != nil {
			return err
		}
		events, err := tx.Audit.Events(pipeline, w.told, 1000)
		if err != nil {
			return err
		}
		for _, e := range events {
			w.told = e.Seq
			line, tells, err := w.line(tx, e)
			if err != nil {
				return err
			}
			if tells {
				lines = append(lines, line)
			}
		}
		return nil
	})
	return tellsInOrder(inOrder(lines)), err
}

// pipeline returns the id of the story's pipeline.
func (w *World) pipeline(tx *store.Tx) (int64, error) {
	row, err := tx.Pipelines.ByRepo(story.Home)
	switch {
	case err == nil:
		w.home = row.ID
	case errors.Is(err, store.ErrNotFound) && w.home != 0: // the repository has been renamed
		err = nil
	}
	return w.home, err
}
