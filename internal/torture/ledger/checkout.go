package ledger

import (
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Checkout is the repositories as people work on them: the current pipeline file and the files of the stages.
type Checkout struct {
	byHand *ByHand
	db     *Database
	github *githubsim.Server
	log    *Journal
	shape  shape.Shape

	Pipeline shape.Pipeline             // as it is on GitHub
	ups      map[string]*shape.Pipeline // by the text of the pipeline file
	People   map[string]string          // rights on the home repository
	Forum    int                        // the pull request for commands if there is no other
}

// SetPipeline pushes the pipeline and policy files.
func (c *Checkout) SetPipeline(p shape.Pipeline) {
	c.Pipeline = p
	files := map[string]*string{
		".github/waybill.yml": githubsim.Text(c.PipelineText()), ".github/waybill.policy.yml": githubsim.Text(p.PolicyText()),
	}
	for path, text := range p.Lacking(c.Has) {
		if s := p.Stage(shape.StageOf(path)); !s.Rolls() || c.shape.Knows(path) {
			files[path] = text
		}
	}
	err := c.Push("bob", "Configure", files)
	c.log.Told.Happening("config %s by bob", c.log.Told.file("waybill", p.Text()))
	c.log.Told.Happening("config %s by bob", c.log.Told.file("policy", p.PolicyText()))
	c.log.Note("  bob configures: manual=%v err=%v\n%s", c.Pipeline.Manual, err, p.Text())
}

// decidedBy returns the pipeline in force if no stage waits for a decision, else nil. Without rollouts it returns nil.
func (c *Checkout) decidedBy() *shape.Pipeline {
	if !c.shape.Rolls || c.db.Count(`SELECT COUNT(*) FROM stages WHERE version > decided`) > 0 {
		return nil
	}
	return c.InForce()
}

// WorkflowFiles returns the workflows that stages start, by path.
func (c *Checkout) WorkflowFiles() map[string]string {
	files := map[string]string{}
	for _, s := range c.Pipeline.Starters() {
		path, text := s.Workflow()
		files[path] = text
	}
	return files
}

// withFound returns a pipeline with the targets that the program has found for its globs.
func (c *Checkout) withFound(p *shape.Pipeline) *shape.Pipeline {
	if p == nil || !slices.ContainsFunc(p.Stages, func(s shape.Stage) bool { return s.Glob }) {
		return p
	}
	found, full := c.db.Found(), p.Clone()
	for i := range full.Stages {
		if s := &full.Stages[i]; s.Glob {
			s.Targets = nil
			for _, path := range found[s.File("*")] {
				s.Targets = append(s.Targets, shape.TargetOf(path))
			}
		}
	}
	return &full
}

// InForce returns the pipeline that the program uses, or nil if the ledger does not know it.
func (c *Checkout) InForce() *shape.Pipeline {
	for _, text := range c.db.Texts(`SELECT config FROM pipelines`) {
		return c.withFound(c.ups[text])
	}
	return nil
}

// MakePlaces creates the branches for the files of stages, and pushes the files there.
func (c *Checkout) MakePlaces(files map[string]string) (errs []error) {
	for _, at := range c.shape.Places {
		if at.Branch != "main" {
			errs = append(errs, c.github.CreateBranch(at.Repo, at.Branch, "bob", "main"))
		}
		if at != shape.Here {
			some := map[string]*string{}
			for path, text := range shape.Belonging(&c.Pipeline, at, files) {
				some[path] = githubsim.Text(text)
			}
			errs = append(errs, c.PushAt(at, "bob", "Begin", some))
		}
	}
	return errs
}

// PushAt has a person push files to a place.
func (c *Checkout) PushAt(at shape.Place, who, message string, files map[string]*string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := c.github.PushFiles(at.Repo, at.Branch, who, message, files)
	return err
}

// Push has a person push files, each to its own place.
func (c *Checkout) Push(who, message string, files map[string]*string) error {
	c.byHand.touch(files)
	for _, at := range c.shape.Places {
		if err := c.PushAt(at, who, message, shape.Belonging(&c.Pipeline, at, files)); err != nil {
			return err
		}
	}
	return nil
}

// ContentOf returns the content of a stage's file, and whether the file exists.
func (c *Checkout) ContentOf(path string) (text string, there bool) {
	at := c.Pipeline.PlaceOf(path)
	return c.github.File(at.Repo, at.Branch, path)
}

// Has reports whether a file of a stage exists.
func (c *Checkout) Has(_ *shape.Stage, path string) bool {
	_, is := c.ContentOf(path)
	return is
}

// ChosenFile chooses one of the existing files of a stage.
func (c *Checkout) ChosenFile(s *shape.Stage, n int) (path, text string) {
	there := slices.DeleteFunc(s.Files(), func(path string) bool { return !c.Has(s, path) })
	if len(there) == 0 {
		return "", ""
	}
	path = there[n%len(there)]
	text, _ = c.ContentOf(path)
	return path, text
}

// TouchAll counts a change by hand of every stage's file.
func (c *Checkout) TouchAll() {
	for _, s := range c.Pipeline.Stages {
		c.byHand.Touched[s.Name]++
		for _, path := range s.Files() {
			c.byHand.Handled[path] = time.Now()
		}
	}
}

// Look returns the state that a step beginning now can see.
func (c *Checkout) Look() Sight {
	return Sight{Holds: c.db.Standing(), kept: c.db.still(c.db.Seen.Kept), Heeds: c.decidedBy(), Saw: c.db.Seen,
		Guarding: c.guarding()}
}

// guarding returns the stages that guard their files and are occupied, by the last decision about each.
func (c *Checkout) guarding() (all []Guarding) {
	if !c.shape.Guards {
		return nil
	}
	in := c.InForce()
	if in == nil {
		return nil
	}
	for i := range in.Stages {
		s := &in.Stages[i]
		if !s.Guard || s.Passes || !c.db.Decided(s.Name) {
			continue
		}
		if why := c.db.Occupied(s); why != "" {
			all = append(all, Guarding{s, why})
		}
	}
	return all
}

// PipelineText returns the text of the pipeline file, and remembers the pipeline of that text.
func (c *Checkout) PipelineText() string {
	text := c.Pipeline.Text()
	meant := c.Pipeline.Clone()
	c.ups[text] = &meant
	return text
}

// Configured returns the number of different pipeline files so far.
func (c *Checkout) Configured() int { return len(c.ups) }
