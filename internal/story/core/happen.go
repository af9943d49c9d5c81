package core

import (
	"fmt"
	"slices"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/command"
)

// happen does what the story says, and nothing that follows from it.
func (w *World) happen(h story.Happening) error {
	switch h.Kind {
	case story.Merge, story.Close, story.Reopen, story.Review:
		return w.handlePull(h)
	case story.Workflow:
		return w.github.finishRun(h.At.Stage, h.Result, w.now)
	case story.Check, story.Status, story.Deployment:
		return w.signal(h)
	case story.Comment:
		repo := story.SourceRepo(w.Pipeline(), h.Pull.Repo)
		w.comment(h, fmt.Sprintf("%s#%d", repo, h.Pull.Number), repo)
	case story.Slack:
		w.learn(w.command(h, "slack:C1/1", promotion.Request{}))
	case story.Label, story.Unlabel:
		w.label(h)
	case story.Push:
		w.push(h)
	case story.Release:
		return w.publish(h)
	case story.Tag:
		return w.pushTag(h)
	case story.Report:
		return w.report(h)
	case story.Image:
		return w.pushImage(h)
	case story.Edit:
		return w.edit(h)
	case story.Target:
		return w.target(h)
	case story.Config:
		return w.configure(h)
	case story.Grant:
		w.rights.granted[h.By], _ = promotion.ParsePermission(h.Result)
	case story.Deliver:
		return w.deliverLost()
	case story.Lose, story.Redeliver, story.Crash, story.GitHub:
		w.fault(h)
	case story.Resync:
		w.resync()
	case story.Wait, story.Why, story.Guard, story.Restart: // a restart forgets nothing that matters
	default:
		return fmt.Errorf("%q cannot happen here: this version knows no such thing", h.Kind)
	}
	return nil
}

// handlePull does what people do to pull requests.
func (w *World) handlePull(h story.Happening) error {
	by := w.rights.actor(h.By)
	if h.Promotion == 0 {
		return w.mergeSource(h, by)
	}
	it := w.github.pullFor(h.Promotion, w.memory.stepOf(h.Promotion))
	if it == nil {
		return fmt.Errorf("the promotion has no pull request")
	}
	if open := it.State == promotion.PullOpen; open == (h.Kind == story.Reopen) {
		return fmt.Errorf("its pull request is %s", it.State)
	}
	switch h.Kind {
	case story.Merge:
		if !w.github.merge(it, by, w.now) {
			return fmt.Errorf("its pull request conflicts with its base")
		}
	case story.Close:
		w.github.close(it, by, w.now)
	case story.Reopen:
		it.State, it.By = promotion.PullOpen, promotion.Actor{}
		w.github.changed(it, w.now)
	case story.Review:
		w.review(h, it)
	}
	return nil
}

// mergeSource merges a pull request that somebody wrote into the branch that its warehouses watch.
func (w *World) mergeSource(h story.Happening, by promotion.Actor) error {
	p := w.Pipeline()
	repo := story.SourceRepo(p, h.Pull.Repo)
	file, err := story.SourceFile(p, repo, h.Pull.Number)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.Warehouses, func(wh *promotion.Warehouse) bool { return wh.Repo == repo && story.OfBranch(wh) })
	w.github.mergeSource(source{
		repo: repo, branch: p.Warehouses[i].Branch, number: h.Pull.Number, at: w.now, files: []string{file}, author: by,
	})
	return nil
}

// review tells GitHub's mind and, when it approves, ours: an approval counts as a sign-off that nobody is answered for.
func (w *World) review(h story.Happening, it *pull) {
	w.github.changed(it, w.now)
	if h.Result != "approve" {
		return
	}
	p := w.memory.promotion(h.Promotion)
	h.Text = fmt.Sprintf("/%s %s", promotion.CmdApprove, p.Stage)
	w.hook(w.command(h, "", promotion.Request{}))
}

func (w *World) label(h story.Happening) {
	key := pullOf{story.SourceRepo(w.Pipeline(), h.Pull.Repo), h.Pull.Number}
	labels := slices.DeleteFunc(w.github.labels[key], func(l string) bool { return l == h.Name })
	if h.Kind == story.Label {
		labels = append(labels, h.Name)
	}
	w.github.labels[key] = labels
}

// comment is heard by webhook, with the pull request that it stands on.
func (w *World) comment(h story.Happening, surface string, repo promotion.Repo) {
	w.hook(w.command(h, surface, promotion.Request{PullRepo: repo, Pull: h.Pull.Number}))
}

// command returns what is heard of a text: a request, or nothing when it is prose.
func (w *World) command(h story.Happening, surface string, r promotion.Request) fact {
	typed, is := command.ParseCommand(h.Text)
	if !is {
		return func(*memory) {}
	}
	w.requests++
	stage, typed := command.Address(w.Pipeline(), typed)
	r.ID, r.Command, r.By, r.Surface, r.At = w.requests, typed, w.rights.actor(h.By), surface, w.now
	return requestFact(stage, r)
}

// signal adds a check run, a status or a deployment to the commit that the story means.
func (w *World) signal(h story.Happening) error {
	sha, err := w.commitAt(h.At)
	if err != nil {
		return err
	}
	switch h.Kind {
	case story.Check:
		w.github.check(sha, h.Name, h.Result, h.Suite, h.App, w.now)
	case story.Status:
		w.github.status(promotion.KindStatus, sha, h.Name, h.Result, w.now)
	default:
		w.github.status(promotion.KindDeployment, sha, h.Name, h.Result, w.now)
	}
	return nil
}

// commitAt returns the commit that a place means: on a stage, what it verifies now, or else hosts.
func (w *World) commitAt(at story.Place) (promotion.SHA, error) {
	if at.Stage != "" && at.Target != "" {
		return w.broughtTo(at.Stage, promotion.TargetName(at.Target))
	}
	if at.Stage != "" {
		return w.verifiedIn(at.Stage)
	}
	if at.Commit.Of == 'c' {
		if sha, merged := w.github.sourceSHA(at.Commit.Number); merged {
			return sha, nil
		}
		return "", fmt.Errorf("pull request #%d has not been merged", at.Commit.Number)
	}
	for _, it := range slices.Backward(w.github.pulls) { // of a rollout it is the newest step's
		if it.promoted == promotion.Number(at.Commit.Number) && it.State == promotion.PullMerged {
			return it.MergeSHA, nil
		}
	}
	return "", fmt.Errorf("the promotion has not been merged")
}

// broughtTo returns the commit that brought to a target what it hosts.
func (w *World) broughtTo(stage promotion.StageName, target promotion.TargetName) (promotion.SHA, error) {
	for _, s := range slices.Backward(w.memory.stays) {
		for _, result := range s.Results {
			if s.Stage == stage && result.Target == target {
				return result.Commit, nil
			}
		}
	}
	return "", fmt.Errorf("nothing has been promoted to %s/%s", stage, target)
}

func (w *World) verifiedIn(stage promotion.StageName) (promotion.SHA, error) {
	var sha promotion.SHA
	for _, s := range w.memory.stays {
		if s.Stage == stage && !s.Ended() {
			sha = s.Commit
		}
		if s.Stage == stage && w.memory.promotion(s.Promotion).State == promotion.Verifying {
			return s.Commit, nil
		}
	}
	if sha == "" {
		return "", fmt.Errorf("nothing has been promoted into %s", stage)
	}
	return sha, nil
}

// push changes files by hand: every value in them that a stage sets, and more.
func (w *World) push(h story.Happening) {
	changed := map[string]string{}
	for _, path := range h.Paths {
		sign := fmt.Sprintf("by-%s-%d", h.By, w.github.commits)
		changed[path] = story.Pushed(w.Pipeline(), path, w.github.files[path], sign) + "# " + sign + "\n"
	}
	w.github.pushFiles(changed, w.now)
}

// edit changes one value of a file by hand.
func (w *World) edit(h story.Happening) error {
	text, err := story.Edited(w.Pipeline(), h.Paths[0], w.github.files[h.Paths[0]], h.Name, h.Result)
	if err != nil {
		return err
	}
	w.github.pushFiles(map[string]string{h.Paths[0]: text}, w.now)
	return nil
}

// target adds or removes the files of a target, or makes it ready or not.
func (w *World) target(h story.Happening) error {
	if h.AboutReadiness() {
		return w.ready(h)
	}
	files, err := story.TargetFiles(w.Pipeline(), h, func(path string) bool { _, exists := w.github.files[path]; return exists })
	for path, contents := range files {
		if contents == nil {
			delete(w.github.files, path)
		} else {
			w.github.files[path] = *contents
		}
	}
	if err != nil || len(files) == 0 {
		return err
	}
	w.github.push(w.github.home, w.github.branch, sortedKeys(files), w.now)
	if scene, err := w.scene.Having(files); err == nil && scene.Pipeline != w.scene.Pipeline {
		w.scene = scene
		w.hook(func(*memory) { w.readConfig() })
	}
	return nil
}

// configure pushes a file of the archive as the pipeline or the policy file, together with the files that its stages
// need. One that is no good changes nothing but the repository.
func (w *World) configure(h story.Happening) error {
	contents, exists := w.story.File(h.Name)
	if !exists {
		return fmt.Errorf("there is no file named %s in this archive", h.Name)
	}
	path := story.ConfigPath(h.Name)
	w.github.files[path] = string(contents)
	if scene, err := w.scene.With(h.Name, string(contents)); err == nil {
		w.scene = scene
	}
	for path, contents := range w.scene.Files {
		if _, exists := w.github.files[path]; !exists {
			w.github.files[path] = contents
		}
	}
	w.github.push(w.github.home, w.github.branch, []string{path}, w.now)
	w.hook(func(*memory) { w.readConfig() })
	return nil
}

// readConfig takes over the last good pipeline.
func (w *World) readConfig() {
	if w.memory.pipeline != w.scene.Pipeline {
		w.remove(w.memory.pipeline, w.scene.Pipeline)
		w.memory.takeOver(w.scene.Pipeline, w.now, len(w.github.pushed))
	}
}

// deliverLost delivers the lost webhooks in order, each when everything has come to rest after the one before.
func (w *World) deliverLost() error {
	lost := w.faults.lost
	w.faults.losing, w.faults.lost = false, nil
	for _, f := range lost {
		w.deliver(f)
		if err := w.rest(); err != nil {
			return err
		}
	}
	return nil
}

// fault arms what goes wrong.
func (w *World) fault(h story.Happening) {
	f := &w.faults
	switch h.Kind {
	case story.Lose:
		f.losing = true
	case story.Redeliver:
		for _, fact := range f.sent[max(len(f.sent)-max(h.Count, 1), 0):] {
			w.learn(fact)
		}
	case story.Crash:
		f.crashes = append(f.crashes, crash{boundary: h.Result, verb: h.Effect})
	case story.GitHub:
		f.failures = append(f.failures, failure{verb: h.Effect, code: h.Code, times: max(h.Count, 1)})
	}
}

// resync reads everything that GitHub knows, whether or not it has told.
func (w *World) resync() {
	w.readConfig()
	for _, p := range w.github.pushes {
		w.learn(pushFact(p))
	}
	for _, p := range w.github.pulls {
		w.learn(pullFact(p.Pull))
	}
	for _, s := range w.github.sources {
		w.learn(sourceFact(s))
	}
	for _, p := range w.github.pushed {
		w.learn(pushedFact(p))
	}
	for _, t := range w.github.tagged {
		w.learn(taggedFact(t))
	}
	for _, i := range w.github.images {
		w.learn(imageFact(i))
	}
	w.learn(w.github.filesFact())
	w.readSignals()
	w.memory.unsettle(func(*promotion.Stage) bool { return true })
}

func (w *World) readSignals() {
	for _, s := range w.github.signals {
		w.learn(signalFact(s))
	}
	for _, s := range w.github.suites {
		w.learn(suiteFact(s))
	}
}
