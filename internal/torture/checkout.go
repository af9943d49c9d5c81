package torture

import (
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// setPipeline pushes the pipeline and policy files.
func (c *Checkout) setPipeline(p shape.Pipeline) {
	c.pipeline = p
	files := map[string]*string{
		".github/waybill.yml": githubsim.Text(c.pipelineText()), ".github/waybill.policy.yml": githubsim.Text(p.PolicyText()),
	}
	for path, text := range p.Lacking(c.has) {
		if s := p.Stage(shape.StageOf(path)); !s.Rolls() || c.shape.Knows(path) {
			files[path] = text
		}
	}
	err := c.push("bob", "Configure", files)
	c.log.told.happening("config %s by bob", c.log.told.file("waybill", p.Text()))
	c.log.told.happening("config %s by bob", c.log.told.file("policy", p.PolicyText()))
	c.log.note("  bob configures: manual=%v err=%v\n%s", c.pipeline.Manual, err, p.Text())
}

// decidedBy returns the pipeline that the program works by if it has decided everything by it.
func (c *Checkout) decidedBy() *shape.Pipeline {
	if !c.shape.Rolls || c.db.count(`SELECT COUNT(*) FROM stages WHERE version > decided`) > 0 {
		return nil
	}
	return c.inForce()
}

// workflowFiles are the workflows that stages start.
func (c *Checkout) workflowFiles() map[string]string {
	files := map[string]string{}
	for _, s := range c.pipeline.Starters() {
		path, text := s.Workflow()
		files[path] = text
	}
	return files
}

// withFound returns a pipeline with the targets that the program has found for it.
func (c *Checkout) withFound(p *shape.Pipeline) *shape.Pipeline {
	if p == nil || !slices.ContainsFunc(p.Stages, func(s shape.Stage) bool { return s.Glob }) {
		return p
	}
	found, full := c.db.found(), p.Clone()
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

// inForce returns the pipeline that the program works by; nil if it is none of ours.
func (c *Checkout) inForce() *shape.Pipeline {
	for _, text := range c.db.texts(`SELECT config FROM pipelines`) {
		return c.withFound(c.ups[text])
	}
	return nil
}

// makePlaces makes the branches where files of stages are, and puts the files there.
func (c *Checkout) makePlaces(files map[string]string) (errs []error) {
	for _, at := range c.shape.Places {
		if at.Branch != "main" {
			errs = append(errs, c.github.CreateBranch(at.Repo, at.Branch, "bob", "main"))
		}
		if at != shape.Here {
			some := map[string]*string{}
			for path, text := range shape.Belonging(&c.pipeline, at, files) {
				some[path] = githubsim.Text(text)
			}
			errs = append(errs, c.pushAt(at, "bob", "Begin", some))
		}
	}
	return errs
}

// pushAt has a person push files to a place.
func (c *Checkout) pushAt(at shape.Place, who, message string, files map[string]*string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := c.github.PushFiles(at.Repo, at.Branch, who, message, files)
	return err
}

// push has a person push files, each to where it belongs.
func (c *Checkout) push(who, message string, files map[string]*string) error {
	c.byHand.touch(files)
	for _, at := range c.shape.Places {
		if err := c.pushAt(at, who, message, shape.Belonging(&c.pipeline, at, files)); err != nil {
			return err
		}
	}
	return nil
}

// contentOf is what a file of a stage says, and whether it is there.
func (c *Checkout) contentOf(path string) (text string, there bool) {
	at := c.pipeline.PlaceOf(path)
	return c.github.File(at.Repo, at.Branch, path)
}

// has reports whether a file of a stage is there.
func (c *Checkout) has(_ *shape.Stage, path string) bool {
	_, is := c.contentOf(path)
	return is
}

// chosenFile chooses one of the files of a stage that are there.
func (c *Checkout) chosenFile(s *shape.Stage, n int) (path, text string) {
	there := slices.DeleteFunc(s.Files(), func(path string) bool { return !c.has(s, path) })
	if len(there) == 0 {
		return "", ""
	}
	path = there[n%len(there)]
	text, _ = c.contentOf(path)
	return path, text
}

// touchAll counts a change by hand of every stage's file.
func (c *Checkout) touchAll() {
	for _, s := range c.pipeline.Stages {
		c.byHand.touched[s.Name]++
		for _, path := range s.Files() {
			c.byHand.handled[path] = time.Now()
		}
	}
}

// look returns what a step that begins now can know.
func (c *Checkout) look() sight {
	return sight{holds: c.db.standing(), kept: c.db.still(c.db.seen.kept), heeds: c.decidedBy(), saw: c.db.seen}
}

// Checkout is the repositories as people work on them: the pipeline file as they have written it, and the files of the
// stages.
type Checkout struct {
	byHand *ByHand
	db     *Database
	github *githubsim.Server
	log    *Journal
	shape  shape.Shape

	pipeline shape.Pipeline             // as it is on GitHub
	ups      map[string]*shape.Pipeline // by the text of the pipeline file
	people   map[string]string          // rights on the home repository
	forum    int                        // the pull request where people give commands if there is no other
}

// pipelineText writes the pipeline file and remembers what it means.
func (c *Checkout) pipelineText() string {
	text := c.pipeline.Text()
	meant := c.pipeline.Clone()
	c.ups[text] = &meant
	return text
}
