package torture

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// World is GitHub, the program and its database in one history.
type World struct {
	plan      Plan
	server    config.Server
	requests  requests
	shape     shape.Shape
	ear       *listener // nil: nobody listens
	base      context.Context
	github    *githubsim.Server
	file      string
	program   *program
	skew      time.Duration  // of the program's clock
	slow      time.Duration  // the least that it has ever been
	fast      time.Duration  // the most
	stepped   bool           // its clock has been set
	looks     int            // at its clock, after which the program dies; 0: it does not
	random    *rand.Rand     // of the act that is going on
	pipeline  shape.Pipeline // as it is on GitHub
	hooks     hooks
	meddles   []Act             // what comes between the next merges
	chat      *chat             // nil: there is no Slack
	tokens    map[string]string // by login
	sent      []sent            // commands over the API that were taken
	entered   map[string]bool   // pull requests that have been in it, by branch
	cleared   map[string]bool   // and those that it has merged, and that were looked at
	deploying []deploying
	unasked   bool             // the webhook of a job was lost without a trace
	proposed  []int            // pull requests of people that deployment open for a while
	changes   map[int][]string // the files that they change
	proposals []string         // the commits that those have stood at
	deaf      bool             // the program may not have been told of something
	forgot    bool             // so much time has passed that some things are not kept any more
	sources   []source
	unripe    []unripe // releases that are none yet
	made      int      // how many things have been brought about
	forum     int      // the pull request where people give commands if there is no other
	signals   []signal
	people    map[string]string      // rights on the home repository
	acked     map[string]time.Time   // when webhooks were acknowledged, by GUID
	touched   map[string]int         // how often people have changed a stage's file by hand, by stage
	handled   map[string]time.Time   // when people last changed a file of a stage by hand
	joined    int                    // how many targets have joined it
	asked     map[string]bool        // targets, with their stages, of which somebody has asked something
	rollouts  map[int64]*rollout     // by the number of the promotion
	commits   map[string][]string    // the files that commits change
	opened    map[string]int         // the newest pull request of a repository that was looked at when it was opened
	shown     map[string][]shown     // what has been reported of targets
	gone      map[string][]string    // targets that a merge must not touch, by the branch of its pull request
	committed []githubsim.Pull       // what came to their branches without one
	installed []string               // the repositories that the App reaches
	apart     bool                   // it does not at the moment
	parted    bool                   // it has not at some time
	hidden    bool                   // GitHub has not listed all runs of workflows at some time
	started   int                    // how many we have started
	were      map[shape.Place]string // where the branches of those were before a request
	unbuilt   []source               // of what images are still to be pushed
	images    map[string]bool        // what has one
	removals  map[string]int         // how often people have deleted the comment of a pull request
	seen      records                // of the database, when it was last looked at
	db        *sql.DB
	read      *sql.Stmt
	readHolds *sql.Stmt
	version   int64
	pushed    map[string]bool            // commits that people have made on our branches
	theirs    map[shape.Place]string     // where those stood before a request
	ups       map[string]*shape.Pipeline // by the text of the pipeline file

	steps   int
	acting  string
	trace   []string
	told    telling
	verbose bool
	failure *Failure
}

// hooks is what happens to webhooks on their way.
type hooks struct {
	lose, double int
	late         int // steps of the scheduler in which none arrives
	shuffled     bool
}

// Failure is an invariant that does not hold.
type Failure struct {
	Rule string
	Text string
	Act  string // after which
	Step int
}

// Error says what does not hold.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (after %s, step %d)", f.Rule, f.Text, f.Act, f.Step)
}

// publicURL is where the program would be, and signIn what it and GitHub know each other's sign-in by.
const publicURL = "http://waybill.invalid"

var signIn = githubsim.OAuth{ClientID: "Iv1.torture", ClientSecret: "nobody signs in without this", As: "ann"}

// newWorld makes GitHub with the pipeline of the plan, and starts the program on a database in a folder.
func newWorld(plan Plan, s shared, verbose bool) (*World, error) {
	drawn, draws := shape.Draw(plan.Seed)
	w := &World{
		plan: plan, ear: s.ear, base: s.ear.context(), file: filepath.Join(s.folder, "waybill.db"), verbose: verbose, random: draws,
		shape: drawn, pipeline: drawn.First, people: map[string]string{"ann": "write", "bob": "maintain", "eve": "read"},
		acked: map[string]time.Time{}, touched: map[string]int{}, handled: map[string]time.Time{}, rollouts: map[int64]*rollout{}, gone: map[string][]string{}, shown: map[string][]shown{}, asked: map[string]bool{}, opened: map[string]int{}, images: map[string]bool{}, removals: map[string]int{}, commits: map[string][]string{}, pushed: map[string]bool{}, ups: map[string]*shape.Pipeline{},
		changes: map[int][]string{}, entered: map[string]bool{}, cleared: map[string]bool{},
	}
	w.requests = w
	var err error
	w.github, err = githubsim.Start(githubsim.Options{
		Offline: true, Unchecked: true, Clock: time.Now, App: githubsim.App{PrivateKey: s.key}, WebhookURL: publicURL + "/api/github/hook", OAuth: signIn,
		Report: func(err error) { w.broken("GitHub is asked what it can answer", "%v", err) },
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(w.file + name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.WriteFile(w.file, s.template, 0o600); err != nil {
		return nil, err
	}
	if drawn.Chats {
		if err := w.openChat(); err != nil {
			return nil, err
		}
	}
	tokens := filepath.Join(s.folder, "tokens")
	if err := errors.Join(w.build(), w.grantTokens(tokens)); err != nil {
		return nil, err
	}
	w.server = w.settings(tokens)
	if err := errors.Join(w.start(), w.openRecords(w.file)); err != nil {
		return nil, err
	}
	if drawn.Queued {
		err = w.protect()
	}
	if drawn.Chats {
		err = errors.Join(err, w.link())
	}
	return w, err
}

// build makes the organisation, its repositories and its people.
func (w *World) build() error {
	files := map[string]string{"README.md": "# deploy\n"}
	for path, text := range w.pipeline.Lacking(func(*shape.Stage, string) bool { return false }) {
		if s := w.pipeline.Stage(shape.StageOf(path)); !s.Rolls() || w.shape.Knows(path) {
			files[path] = *text
		}
	}
	files[".github/waybill.yml"] = w.pipelineText()
	w.told.pipeline, w.told.policy = files[".github/waybill.yml"], w.pipeline.PolicyText()
	maps.Copy(files, w.workflowFiles())
	files[".github/waybill.policy.yml"] = w.pipeline.PolicyText()
	repos := w.shape.Repos()
	for _, wh := range w.pipeline.Warehouses {
		if repo := w.pipeline.Sources[wh]; !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	errs := []error{w.github.CreateOrg("acme"), w.github.CreateRepo(shape.Home, shape.Belonging(&w.pipeline, shape.Here, files))}
	for _, repo := range repos[1:] {
		errs = append(errs, w.github.CreateRepo(repo, map[string]string{".github/waybill.yml": allowing}))
	}
	for _, login := range []string{"ann", "bob", "eve"} {
		errs = append(errs, w.github.CreateUser(login, "acme"))
		for _, repo := range repos {
			errs = append(errs, w.github.SetPermission(repo, login, w.people[login]))
		}
	}
	errs = append(errs, w.makePlaces(files)...)
	w.showFirst()
	w.installed = repos
	_, err := w.github.InstallApp("acme", repos...)
	if !slices.ContainsFunc(w.pipeline.Warehouses, func(wh string) bool { return w.pipeline.Kinds[wh] == "pull-requests" }) {
		errs = append(errs, w.openForum())
	}
	for _, d := range w.github.Waiting() {
		w.github.Lose(d.ID) // the program is started after it was installed
	}
	return errors.Join(append(errs, err)...)
}

// openForum merges a pull request that is no freight, where people give commands.
func (w *World) openForum() (err error) {
	w.forum, err = w.github.OpenPull(shape.Home, githubsim.PullSpec{
		Title: "Hello", Head: "hello", Author: "ann", Files: map[string]*string{"HELLO.md": githubsim.Text("hello\n")},
	})
	if err == nil {
		_, err = w.github.MergePull(shape.Home, w.forum, "ann", "squash")
	}
	return err
}

// pipelineText writes the pipeline file and remembers what it means.
func (w *World) pipelineText() string {
	text := w.pipeline.Text()
	meant := w.pipeline.Clone()
	w.ups[text] = &meant
	return text
}

// close ends the history.
func (w *World) close() error {
	var errs []error
	if w.program != nil {
		w.kill()
		errs = append(errs, w.program.close())
	}
	time.Sleep(time.Minute) // the deadlines of requests whose answers nobody has read are over
	if w.chat != nil {
		errs = append(errs, w.chat.Close())
	}
	return errors.Join(append(errs, w.closeRecords(), w.github.Close())...)
}

// programNow is what the program's clock shows.
func (w *World) programNow() time.Time { return time.Now().Add(w.skew) }

// programTime is the program's clock. Where a crash is due it comes with a look at the clock: every transaction takes
// one.
func (w *World) programTime() time.Time {
	if w.looks > 0 && w.program != nil {
		if w.looks--; w.looks == 0 {
			w.note("    the process dies at a look at the clock")
			w.program.die()
		}
	}
	return w.programNow()
}

// kill ends the process as it is. Nothing of it runs afterwards, and nothing more is written.
func (w *World) kill() {
	w.looks = 0
	w.program.die()
	for {
		synctest.Wait()
		busy := false
		for _, h := range w.program.workers {
			if h.busy && h.at != nil {
				h.release()
				busy = true
			}
		}
		if !busy {
			break
		}
	}
	w.ended()
}

// note adds a line to the trace.
func (w *World) note(format string, args ...any) {
	if w.verbose {
		w.trace = append(w.trace, fmt.Sprintf("%s %s", time.Now().Format("02 15:04:05.000"), fmt.Sprintf(format, args...)))
	}
}

// broken records that an invariant does not hold. Only the first counts.
func (w *World) broken(rule, format string, args ...any) {
	if w.failure == nil {
		w.failure = &Failure{Rule: rule, Text: fmt.Sprintf(format, args...), Act: w.acting, Step: w.steps}
		w.note("BROKEN %v", w.failure)
	}
}

// before looks at a request of a hand just before GitHub answers it.
func (w *World) before(h *worker, r *http.Request) {
	if isMerge(r) {
		w.checkMerge(h.sight, r)
		w.meddle(r)
	}
	w.noteBranches(r)
}

// after looks at what a request has done.
func (w *World) after(h *worker, r *http.Request) { w.checkRequest(h.sight, r) }

func isMerge(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/merge")
}

// settings are those of the program.
func (w *World) settings(tokens string) config.Server {
	s := config.Server{
		PublicURL:   publicURL,
		DatabaseURL: "sqlite://" + w.file,
		Resync:      config.DefaultResync,
		GitHub: config.GitHub{
			WebURL: w.github.URL(), V3APIURL: w.github.V3URL(), V4APIURL: w.github.V4URL(), AppID: w.github.AppID(),
			PrivateKey: config.Secret(w.github.PrivateKeyPEM()), WebhookSecret: config.Secret(w.github.WebhookSecret()),
			OAuthClientID: signIn.ClientID, OAuthClientSecret: config.Secret(signIn.ClientSecret),
		},
	}
	s.Slack, s.APITokensFile = w.chat.settings(), tokens
	if w.ear != nil {
		w.ear.settings(&s)
	}
	return s
}
