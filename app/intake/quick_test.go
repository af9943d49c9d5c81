package intake

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/config"
	"waybill/internal/spent"
	"waybill/promotion"
	"waybill/store"
)

const beginning = "version: 1\nwarehouses: {w: {pull-requests: {paths: [src/**]}}}\nstages:\n"

// proposedFile is a pipeline file that somebody proposes.
func proposedFile(stages string) proposal {
	row := store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main", Config: []byte(beginning + stages)}
	return proposal{next: row, exists: true}
}

// repeat returns so many lines, numbered.
func repeat(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// search returns what is found for globs in a folder with so many files.
func search(t *testing.T, p proposal, files int) learn.Searched {
	globs := config.Globs(&config.Meter{}, p.next.Config, config.Found{})
	require.NotEmpty(t, globs)
	paths := strings.Split(strings.TrimSpace(repeat(files, "c/t%d/v\n")), "\n")
	return learn.Searched{Globs: globs, Folders: []learn.SearchedFolder{{Globs: globs, Files: paths}}}
}

// busy returns proposals whose lane is occupied, and a context in which nobody waits for it.
func busy(t *testing.T) (*proposals, context.Context) {
	ps := &proposals{Env: &env.Env{Pipelines: pipelines.New(pipelines.ServerPolicy{}, 0)}, large: newLane()}
	_, err := ps.large.enter(t.Context())
	require.NoError(t, err)
	gone, end := context.WithCancel(t.Context())
	end()
	return ps, gone
}

// TestAWorkerDoesLittleOfAProposalThatCostsMuch proposes what a worker has no time for. While the lane is occupied each
// of them waits for it, and what it has cost until then is little: memory, which is counted, stands for time.
func TestAWorkerDoesLittleOfAProposalThatCostsMuch(t *testing.T) {
	ps, gone := busy(t)
	globs := func(p proposal) error {
		_, err := ps.globs(gone, p)
		return err
	}
	checked := func(p proposal) error {
		_, err := ps.checked(gone, p.next, p)
		return err
	}
	few := proposedFile("  a:\n    from: w\n    targets: c/*/v\n    set: {\"${target.name}\": {a: b}}\n")
	tenThousand := search(t, few, 10_000)
	meaning := func(p proposal) error {
		_, err := ps.meaning(gone, p, tenThousand)
		return err
	}
	aliases := proposedFile("  s: {from: w, set: &f {" + repeat(40, "f%d.yaml: {a: 1, b: 2}, ") + "}}\n" +
		repeat(400, "  t%d: {from: w, set: *f}\n"))
	stages := proposedFile(repeat(1000, "  s%d: {x: 1}\n"))
	long := proposedFile(repeat(3000, "  s%d: {from: w}\n"))
	for name, c := range map[string]struct {
		do   func(proposal) error
		what proposal
	}{
		"globs among aliases":  {globs, aliases},
		"globs of a long file": {globs, long},
		"globs of many stages": {globs, stages},
		"a check of aliases":   {checked, aliases},
		"a check of stages":    {checked, stages},
		"a check of long ones": {checked, long},
		"10,000 targets":       {meaning, few},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			spent.Bound{Base: 24 << 20}.Check(t, 0, func() { err = c.do(c.what) })
			require.ErrorIs(t, err, context.Canceled, "it waits for the lane")
		})
	}
}

// TestAnOrdinaryProposalWaitsForNoOther has the lane occupied, too.
func TestAnOrdinaryProposalWaitsForNoOther(t *testing.T) {
	ps, gone := busy(t)
	p := proposedFile(repeat(20,
		"  s%d:\n    from: w\n    targets: c/*/v\n    set: {\"s%[1]d/${target.name}\": {a: b}}\n"))
	run, err := ps.checked(gone, p.next, p)
	require.NoError(t, err)
	require.Equal(t, "neutral", run.Conclusion)
	globs, err := ps.globs(gone, p)
	require.NoError(t, err)
	require.Len(t, globs, 1)
	c, err := ps.meaning(gone, p, search(t, p, 20))
	require.NoError(t, err)
	require.Empty(t, c.trouble)
	require.Len(t, c.pipeline.Stages, 20)
	require.Len(t, c.pipeline.Stages[0].Targets, 20)
}

// TestALargeTrialIsMadeInTheLane has stages of so many targets that a worker has no time to try them.
func TestALargeTrialIsMadeInTheLane(t *testing.T) {
	ps, gone := busy(t)
	stage := &promotion.Stage{Name: "dev", Targets: make([]promotion.Target, 2000)}
	after := &promotion.Pipeline{ID: 1, Home: "acme/deploy", Branch: "main", Stages: []*promotion.Stage{stage}}
	row := store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main"}
	_, err := ps.foresee(gone, row, row, after)
	require.ErrorIs(t, err, context.Canceled)
}
