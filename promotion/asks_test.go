package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// asking is a stage that sets the value of a key in a file.
func asking(t *testing.T, change func(*promotion.Stage)) *promotion.Stage {
	t.Helper()
	s := promotion.OnePlace(&promotion.Stage{Name: "dev", Delivery: promotion.DeliveryPullRequest}, promotion.Target{
		Changes: []promotion.Change{{Path: "dev.yaml", Set: []promotion.Assignment{
			{Kind: promotion.ChangeYAML, Key: "tag", Value: template(t, "v${api.short}")},
		}}},
	})
	change(s)
	return s
}

func template(t *testing.T, text string) promotion.Template {
	t.Helper()
	value, err := promotion.ParseTemplate(text)
	require.NoError(t, err)
	require.Equal(t, text, value.Source())
	return value
}

func TestWhatAPipelineFileAsksFor(t *testing.T) { // semantics 1.1
	plan := promotion.Attempt{Plan: &promotion.Plan{Asks: asking(t, func(*promotion.Stage) {}).Asks()}}
	for name, c := range map[string]struct {
		change   func(*promotion.Stage)
		replaced bool
	}{
		"nothing changes": {func(*promotion.Stage) {}, false},
		"people sign off": {func(s *promotion.Stage) { s.Policy.Approvals = 2 }, false},
		"a matcher": {func(s *promotion.Stage) {
			s.Targets[0].Verify = []promotion.Matcher{{Pattern: "smoke"}}
		}, false},
		"another file": {func(s *promotion.Stage) { s.Targets[0].Changes[0].Path = "qa.yaml" }, true},
		"another branch": {func(s *promotion.Stage) {
			s.Targets[0].Changes[0].Files = promotion.Branch{Repo: "acme/x", Name: "main"}
		}, true},
		"another key": {func(s *promotion.Stage) { s.Targets[0].Changes[0].Set[0].Key = "image" }, true},
		"another value": {func(s *promotion.Stage) {
			s.Targets[0].Changes[0].Set[0].Value = template(t, "${api.short}")
		}, true},
		"a folder": {func(s *promotion.Stage) { s.Targets[0].Copies = []promotion.Copy{{Path: "a", From: "b"}} }, true},
		"an input": {func(s *promotion.Stage) {
			s.Dispatch = &promotion.Dispatch{Workflow: "x.yml", Inputs: []promotion.Input{{Name: "v"}}}
		}, true},
		"no pull request": {func(s *promotion.Stage) { s.Delivery = promotion.DeliveryCommit }, true},
	} {
		require.Equal(t, c.replaced, plan.Replaced(asking(t, c.change)), name)
	}
	require.False(t, promotion.Attempt{Plan: &promotion.Plan{}}.Replaced(asking(t, func(*promotion.Stage) {})),
		"of an old plan it is not known")
}

func TestAPlanThatWritesAsAnotherOne(t *testing.T) { // semantics 1.1
	tag, other := promotion.Value{Path: "dev.yaml", Key: "tag", Text: "v1"}, promotion.Value{Path: "dev.yaml", Key: "by"}
	was := promotion.Plan{Base: "b1", Paths: []string{"dev.yaml"}, Values: []promotion.Value{tag}, Hash: "h1"}
	for _, c := range []struct {
		name   string
		change func(*promotion.Plan)
		copies bool
		want   bool
	}{
		{"the same", func(*promotion.Plan) {}, true, true},
		{"others have changed the file since", func(p *promotion.Plan) { p.Base, p.Hash = "b2", "h2" }, false, true},
		{"a folder differs", func(p *promotion.Plan) { p.Hash = "h2" }, true, false},
		{"a further value", func(p *promotion.Plan) { p.Values, p.Hash = append(p.Values, other), "h2" }, false, false},
		{"a further file", func(p *promotion.Plan) { p.Paths = append(p.Paths, "dev2.yaml") }, false, false},
		{"a file cannot be read", func(p *promotion.Plan) {
			p.Problem = promotion.Because(promotion.Unreadable)
		}, false, false},
		{"a target is not there", func(p *promotion.Plan) { p.Absent = []promotion.TargetName{"a"} }, false, false},
	} {
		plan := was
		c.change(&plan)
		require.Equal(t, c.want, plan.WritesAs(&was, c.copies), c.name)
	}
}
