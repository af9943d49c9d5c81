package intake

import (
	"context"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// compiled is what proposed pipeline files mean.
type compiled struct {
	row      store.PipelineRow // the files, with what their globs find
	pipeline *promotion.Pipeline
	problems config.Problems
	trouble  string // why the files cannot be used; "" if they can
}

// compile finds the targets of proposed files in their commit, and compiles them.
func (ps *proposals) compile(
	ctx context.Context, client *gh.Client, head promotion.SHA, p proposal,
) (c compiled, err error) {
	c = compiled{row: p.next, pipeline: pipelines.Empty(p.next), trouble: p.trouble}
	if !p.exists || c.trouble != "" {
		return c, nil
	}
	globs, err := ps.globs(ctx, p)
	if err != nil {
		return c, err
	}
	searched, trouble, err := learn.Search(ctx, client, head, globs)
	if c.trouble = trouble; err != nil || trouble != "" {
		return c, err
	}
	return ps.meaning(ctx, p, searched)
}

// meaning compiles proposed files with what lies in the folders that their globs search.
func (ps *proposals) meaning(ctx context.Context, p proposal, searched learn.Searched) (c compiled, err error) {
	err = ps.quickly(ctx, p.isLong(), func(quick bool) (bool, error) {
		finding, loading := meter(quick, config.InForce), meter(quick, config.InForce)
		c.row = p.next
		if c.trouble, err = searched.Find(finding, &c.row); err != nil || c.trouble != "" {
			return !finding.Over(), err
		}
		if c.pipeline, c.problems = ps.Pipelines.LoadWithin(c.row, loading); c.problems.Err() != nil {
			c.trouble = c.problems.String()
		}
		return !loading.Over(), nil
	})
	return c, err
}

// globs returns the globs of proposed files that find targets.
func (ps *proposals) globs(ctx context.Context, p proposal) (globs []config.Glob, err error) {
	err = ps.quickly(ctx, p.isLong(), func(quick bool) (bool, error) {
		m := meter(quick, config.InForce)
		globs = config.Globs(m, p.next.Config, pipelines.FoundIn(p.next))
		return !m.Over(), nil
	})
	return globs, err
}

// meter returns a meter with the budget of a worker that has to be quick, or else with the budget most.
func meter(quick bool, most config.Budget) *config.Meter {
	if quick {
		most = config.Quick
	}
	return &config.Meter{Budget: most}
}
