package torture

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// instead is what happens where there is no merge queue, no Slack, no guarded stage, or none with targets.
var instead = map[Kind]Kind{Gate: Succeed, Slack: Comment, SlackFails: Request, Propose: PushFiles, Roll: Succeed, Targets: Configure, Drive: Comment, Work: Report}

// possible returns what happens of an act in this world.
func (w *World) possible(k Kind) Kind {
	there := map[Kind]bool{Gate: w.shape.Queued, Slack: w.chat != nil, SlackFails: w.chat != nil, Propose: w.shape.Guards, Roll: w.shape.Rolls, Targets: w.shape.Rolls, Drive: w.shape.Rolls, Work: len(w.pipeline.Starters()) > 0}
	if is, special := there[k]; special && !is {
		return instead[k]
	}
	if k == Succeed && w.shape.Rolls {
		return Roll
	}
	if slices.Contains([]Kind{Report, Deploy, Review, Meddle, Drift}, k) && len(w.pipeline.Starters()) > 0 {
		return Work // there is hardly anything else
	}
	return k
}

// act makes one thing happen. What is not possible now does not happen.
func (w *World) act(a Act) {
	switch k := w.possible(a.Kind); k {
	case MergeSource:
		w.publish(a)
	case PullDone:
		w.pullDone(a)
	case Meddle:
		w.meddles = append(w.meddles, a)
	case PushFiles:
		w.pushFiles(a)
	case Drift:
		w.drift(a)
	case Configure:
		w.configure(a)
	case Comment:
		w.comment(a)
	case Label:
		w.label(a)
	case Press:
		w.press(a)
	case Review:
		w.review(a)
	case Remove:
		w.remove(a)
	case Grant:
		w.grant("ann", []string{"write", "read", "maintain"}[a.A%3])
	case Report:
		w.report(a)
	case Succeed:
		w.succeed(a)
	case Gate:
		w.atGate(a)
	case Slack:
		w.inSlack(a)
	case Propose:
		w.propose(a)
	case Deploy:
		w.wantToDeploy(a)
	case Work:
		w.atWork(a)
	case Roll:
		w.goOn(a)
	case Targets:
		w.changeTargets(a)
	case Drive:
		w.drive(a)
	case Type:
		w.typeCommand(a)
	case SlackFails:
		w.slackTrouble(a)
	case Access:
		w.loseAccess(a)
	case Resync:
		w.tellFault(a, nil)
		w.program.asked.awake = true
	default:
		w.fault(k, a)
	}
}

// waits are the spans that pass, by how often.
var waits = []int{0, 1, 2, 3, 3, 4, 4, 4, 5, 6}

// fault makes an accident happen.
func (w *World) fault(k Kind, a Act) {
	spans := []time.Duration{time.Second, 40 * time.Second, 3 * time.Minute, 16 * time.Minute, 61 * time.Minute, 3 * time.Hour, 12 * time.Hour}
	w.tellFault(a, spans)
	w.deaf = w.deaf || a.Kind != Wait && a.Kind != Frozen
	switch k {
	case Crash:
		w.restart(spans[a.A%4])
	case CrashSoon:
		w.looks = 1 + a.A%20
	case Webhooks:
		n := 1 + a.B%6
		switch a.A % 4 {
		case 0:
			w.hooks.lose = n
		case 1:
			w.hooks.double = n
		case 2:
			w.hooks.late = n * 5
		case 3:
			w.hooks.shuffled = !w.hooks.shuffled
		}
	case Request:
		w.failRequest(a)
	case ClockStep:
		if w.stepped {
			return // once, so that it is known by how much
		}
		w.skew += []time.Duration{-time.Second, time.Minute, -5 * time.Minute, time.Hour, -time.Hour}[a.A%5]
		w.slow, w.fast = min(w.slow, w.skew), max(w.fast, w.skew)
		w.stepped = true
		w.note("  the clock is %s off", w.skew)
		w.wakeAll()
	case Wait:
		w.pass(spans[waits[a.A%len(waits)]])
	case Frozen:
		time.Sleep(spans[a.A%5])
		w.wakeAll()
	case Away:
		w.away(a)
	}
}

// away has the process stopped, or standing still, for longer than GitHub lists webhooks, and than some things are
// kept.
func (w *World) away(a Act) {
	const day = 24 * time.Hour
	w.forgot = true
	long := []time.Duration{4 * day, 20 * day, 120 * day}[a.B%3]
	w.note("  nobody is there for %s", long)
	if a.A%2 == 0 {
		w.restart(long)
	} else {
		w.inVain()
		time.Sleep(long)
		w.wakeAll()
	}
	if a.C%2 == 0 {
		w.pass(5 * time.Minute) // what is old is forgotten before anything else happens
	}
}

// failRequest lets one of the next requests fail.
func (w *World) failRequest(a Act) {
	f := w.github.Faults()
	fault := []githubsim.Fault{
		{Status: http.StatusBadGateway}, {LoseReply: true}, {LoseReply: true}, {Status: http.StatusUnauthorized}, {Stale: true},
		f.PrimaryLimit(http.StatusForbidden, 20*time.Minute), f.SecondaryLimit(http.StatusForbidden, time.Minute),
		f.SecondaryLimit(http.StatusTooManyRequests, 0), {Status: http.StatusInternalServerError, Times: 4},
	}[a.A%9]
	fault.Nth = 1 + a.B%12
	w.hidden = w.hidden || fault.Stale
	f.FailNext(githubsim.Route{}, fault)
	w.note("  request %d from now fails: status=%d lost=%t stale=%t", fault.Nth, fault.Status, fault.LoseReply, fault.Stale)
}

// ours lists our pull requests in a state.
func (w *World) ours(state string) []githubsim.Pull {
	var all []githubsim.Pull
	for _, repo := range w.shape.Repos() {
		all = append(all, w.github.Pulls(repo)...)
	}
	return slices.DeleteFunc(all, func(p githubsim.Pull) bool {
		return !strings.HasPrefix(p.HeadBranch, "waybill/") || state != "" && p.State != state
	})
}

// pullDone has a person do something with a pull request of ours.
func (w *World) pullDone(a Act) {
	state := "open"
	if a.B%8 == 7 {
		state = "closed"
	}
	pulls := w.ours(state)
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.A%len(pulls)]
	w.doneTo(p, a.B%8)
}

// meddle has a person be a moment faster than a merge of ours.
func (w *World) meddle(r *http.Request) {
	if p, found := w.pulled(r); found && p.State == "open" && len(w.meddles) > 0 {
		w.doneTo(p, []int{5, 5, 3, 0}[w.meddles[0].B%4])
		w.meddles = w.meddles[1:]
	}
}

// doneTo has a person do something with a pull request of ours.
func (w *World) doneTo(p githubsim.Pull, how int) {
	what, err := "", error(nil)
	switch how {
	case 0, 1, 2:
		what = "merges"
		_, err = w.github.MergePull(p.Repo, p.Number, "ann", "squash")
	case 3, 4:
		what = "closes"
		err = w.github.ClosePull(p.Repo, p.Number, "ann")
	case 5:
		what = "pushes to the branch of"
		var sha string
		sha, err = w.github.PushFiles(p.Repo, p.HeadBranch, "ann", "By hand", map[string]*string{"by-hand": githubsim.Text(fmt.Sprint(len(w.pushed)))})
		w.pushed[sha] = true
	case 6:
		what = "deletes the branch of"
		err = w.github.DeleteBranch(p.Repo, p.HeadBranch, "ann")
	case 7:
		what = "reopens"
		err = w.github.ReopenPull(p.Repo, p.Number, "ann")
	}
	w.note("  ann %s #%d (%s): %v", what, p.Number, p.HeadBranch, err)
	if word, known := map[string]string{"merges": "merge", "closes": "close", "reopens": "reopen"}[what]; known {
		w.told.happening("%s p%d by ann", word, numberOf(p.HeadBranch))
	} else {
		w.told.prose("(ann %s p%d)", what, numberOf(p.HeadBranch))
	}
}

// pushFiles has a person push to the branch of the stages.
func (w *World) pushFiles(a Act) {
	s := &w.pipeline.Stages[a.A%len(w.pipeline.Stages)]
	n := len(w.github.Requests())
	if s.Whole && a.C%2 == 0 {
		w.pushWhole(s, n)
		return
	}
	files := map[string]*string{}
	path, old := w.chosenFile(s, a.C)
	switch {
	case path == "" || a.B%3 == 0:
		files["README.md"] = githubsim.Text(fmt.Sprintf("# deploy %d\n", n))
	case a.B%3 == 1:
		files[path] = githubsim.Text(s.Form.Touched(old, n))
	default:
		files["notes/"+s.Name] = githubsim.Text(fmt.Sprintf("%d\n", n))
	}
	err := w.push("ann", "By hand", files)
	w.note("  ann pushes %v: %v", keys(files), err)
	w.told.happening("push %s by ann", strings.Join(keys(files), " "))
}

// drift has a person change what a promotion of one warehouse wrote into a stage's file, or change it back.
func (w *World) drift(a Act) {
	s := &w.pipeline.Stages[a.A%len(w.pipeline.Stages)]
	if s.Whole {
		w.pushWhole(s, w.steps)
		return
	}
	name, text := w.chosenFile(s, a.C/2)
	if name == "" || len(s.From) == 0 {
		return
	}
	wh, value := s.From[a.B%len(s.From)], []string{"by-hand", fmt.Sprintf("by-hand-%d", w.steps)}[a.C%2]
	files := map[string]*string{name: githubsim.Text(s.Form.With(text, wh, value))}
	err := w.push("ann", "By hand", files)
	w.note("  ann sets %s in %s to %s: %v", wh, name, value, err)
	w.told.happening("edit %s %s %s by ann", name, wh, value)
}

// touch counts a change by hand of stages' files.
func (w *World) touch(files map[string]*string) {
	for path := range files {
		w.touched[shape.StageOf(path)]++
		w.handled[path] = time.Now()
	}
}

// where names a pull request as stories do.
func where(repo string, number int) string {
	if repo == shape.Home {
		repo = ""
	}
	return fmt.Sprintf("%s#%d", repo, number)
}

func keys(files map[string]*string) []string {
	var all []string
	for name := range files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// configure has a person change the pipeline or the policy file.
func (w *World) configure(a Act) {
	w.deaf = true // what is guarded may be found out by a resync only
	p := w.pipeline.Clone()
	s := &p.Stages[a.A%len(p.Stages)]
	switch a.B % 8 {
	case 7:
		s.Drift = shape.DriftModes[a.C%len(shape.DriftModes)]
	case 0:
		s.Queue = map[string]string{"latest": "fifo", "fifo": "latest"}[s.Queue]
	case 1:
		if !s.Direct {
			s.Merge = map[string]string{"auto": "manual", "manual": "auto"}[s.Merge]
		}
	case 2:
		if len(p.Stages) > 1 {
			p.Stages = p.Stages[:len(p.Stages)-1]
		}
	case 3:
		if p.Stage("extra") == nil {
			extra := shape.DrawStage(w.random, "extra", nil)
			extra.From = []string{"api"}
			p.Stages = append(p.Stages, extra)
		}
	case 4:
		p.Broken = !p.Broken
	case 5:
		if len(s.After) > 0 {
			s.Soak = []time.Duration{0, time.Minute, time.Hour}[a.C%3]
		}
	case 6:
		if i := slices.Index(p.Manual, s.Name); i >= 0 {
			p.Manual = slices.Delete(slices.Clone(p.Manual), i, i+1)
		} else {
			p.Manual = append(slices.Clone(p.Manual), s.Name)
		}
	}
	w.setPipeline(p)
}

// setPipeline pushes the pipeline and policy files.
func (w *World) setPipeline(p shape.Pipeline) {
	w.pipeline = p
	files := map[string]*string{
		".github/waybill.yml": githubsim.Text(w.pipelineText()), ".github/waybill.policy.yml": githubsim.Text(p.PolicyText()),
	}
	for path, text := range p.Lacking(w.has) {
		if s := p.Stage(shape.StageOf(path)); !s.Rolls() || w.shape.Knows(path) {
			files[path] = text
		}
	}
	err := w.push("bob", "Configure", files)
	w.told.happening("config %s by bob", w.told.file("waybill", p.Text()))
	w.told.happening("config %s by bob", w.told.file("policy", p.PolicyText()))
	w.note("  bob configures: manual=%v err=%v\n%s", w.pipeline.Manual, err, p.Text())
}

// commands are what people type; %s is a stage.
var commands = []string{
	"/promote %s", "/promote %s", "/promote %s", "/rollback %s", "/rollback %s", "/hold %s", "/hold %s for now", "/hold %s --for 30m", "/hold --all",
	"/unhold %s", "/unhold %s", "/unhold --all", "/cancel %s", "/cancel %s", "/retry %s", "/retry %s", "/verify %s", "/approve %s", "/deny %s no",
	`/verdict %s pass --because "looked"`, `/verdict %s fail --because "looked"`, "no command at all",
}

// comment has a person give a command on one of the newest pull requests.
func (w *World) comment(a Act) {
	w.say([]string{"ann", "bob", "bob", "eve"}[a.C%4], w.typed(a), a.A)
}

// typed is a command that an act chooses.
func (w *World) typed(a Act) string {
	if w.shape.Rolls && a.C%7 == 3 {
		return w.driving(a)
	}
	text := commands[a.B%len(commands)]
	if strings.Contains(text, "%s") {
		text = fmt.Sprintf(text, w.pipeline.Stages[a.A%len(w.pipeline.Stages)].Name)
	}
	if a.C%13 == 12 && len(w.sources) > 0 {
		s := w.sources[a.A%len(w.sources)]
		text = fmt.Sprintf("/admit %s %s --because \"urgent\"", s.ref(), w.pipeline.Stages[a.B%len(w.pipeline.Stages)].Name)
	}
	return text
}

// say writes a comment on one of the last pull requests.
func (w *World) say(who, text string, which int) {
	repo, number := w.pull(which)
	if number == 0 {
		return
	}
	_, err := w.github.Comment(repo, number, who, text)
	w.note("  %s on %s#%d: %s: %v", who, repo, number, text, err)
	w.told.happening("comment %s by %s: %s", where(repo, number), who, text)
}

// pull chooses one of the last pull requests; its number is 0 if there is none.
func (w *World) pull(which int) (repo string, number int) {
	merged := slices.DeleteFunc(slices.Clone(w.sources), func(s source) bool { return s.number == 0 })
	if n := len(merged); n > 0 {
		s := merged[max(0, n-1-which%3)]
		repo, number = s.repo, s.number
	} else {
		repo, number = shape.Home, w.forum
	}
	if pulls := w.ours(""); len(pulls) > 0 && which%5 == 4 {
		repo, number = pulls[which%len(pulls)].Repo, pulls[which%len(pulls)].Number
	}
	return repo, number
}

// label has a person put a label on one of the last pull requests, or take it off.
func (w *World) label(a Act) {
	repo, number := w.pull(a.A)
	if number == 0 {
		return
	}
	stage := w.pipeline.Stages[a.B%len(w.pipeline.Stages)].Name
	name := []string{"promote/" + stage, "promote/" + stage, "waybill/hold", "promote/nowhere", "stage/" + stage + ":ok"}[a.B%5]
	who, how, put := []string{"ann", "bob", "eve"}[a.C%3], "labels", w.github.AddLabel
	if a.A%4 == 3 {
		how, put = "takes a label off", w.github.RemoveLabel
	}
	w.note("  %s %s %s#%d: %s: %v", who, how, repo, number, name, put(repo, number, who, name))
	w.told.prose("%s %s %s: %s", who, how, where(repo, number), name)
}

// press has a person press a button of a check run, or have it run again.
func (w *World) press(a Act) {
	if len(w.sources) == 0 {
		return
	}
	s := w.sources[max(0, len(w.sources)-1-a.A%3)]
	runs := w.github.CheckRuns(s.repo, s.sha)
	if len(runs) == 0 {
		return
	}
	who, run := []string{"ann", "bob", "eve"}[a.C%3], runs[a.B%len(runs)]
	if len(run.Buttons) == 0 {
		w.note("  %s runs %s again: %v", who, run.Name, w.github.Rerequest(s.repo, run.ID, who))
		return
	}
	button := run.Buttons[a.A%len(run.Buttons)]
	w.note("  %s presses %s of %s: %v", who, button, run.Name, w.github.PressButton(s.repo, run.ID, who, button))
	w.told.prose("%s presses %s of %s", who, button, run.Name)
}

// review has a person review a pull request of ours.
func (w *World) review(a Act) {
	pulls := w.ours("open")
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.A%len(pulls)]
	who, state := []string{"ann", "bob", "eve"}[a.C%3], []string{"APPROVED", "APPROVED", "COMMENTED", "CHANGES_REQUESTED"}[a.B%4]
	body := []string{"", "fine", "/hold " + w.pipeline.Stages[a.B%len(w.pipeline.Stages)].Name}[a.A%3]
	if body == "" && state != "APPROVED" {
		body = "well"
	}
	w.note("  %s reviews #%d: %s %q: %v", who, p.Number, state, body, w.github.Review(p.Repo, p.Number, who, state, body))
	w.told.prose("%s reviews the pull request %d: %s %q", who, p.Number, state, body)
}

func (w *World) grant(who, level string) {
	w.people[who] = level
	err := w.github.SetPermission(shape.Home, who, level)
	w.note("  %s has %s: %v", who, level, err)
	w.told.happening("grant %s %s", who, level)
}
