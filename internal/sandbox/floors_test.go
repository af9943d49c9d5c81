package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

// gated is a pipeline with each gate, and gatedPolicy asks for most of it.
const gated = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  prod:
    from: api
    after: {any: [dev], soak: 4h}
    set: {prod.yaml: {tag: "${api.short}"}}
    verify: [e2e, load]
    freeze: [{cron: "0 16 * * FRI", for: 64h, timezone: Europe/Berlin}]
    guard: true
    approvals: 2
    merge: manual
`

const gatedPolicy = `version: 1
automatic: ["*"]
stages:
  prod: {after: dev, soak: 2h, verify: [e2e], approvals: 1}
`

// proposeFiles opens a pull request with other pipeline files and returns its check.
func (s *site) proposeFiles(name string, files map[string]*string) githubsim.CheckRun {
	s.t.Helper()
	_, head := s.propose("", githubsim.PullSpec{Head: name, Files: files})
	return s.configCheck(head)
}

// TestTheConfigCheckShowsALoweredGateAsWhatItIs: by the pipeline file, by the policy file alone, and below its floor.
func TestTheConfigCheckShowsALoweredGateAsWhatItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, gated+"-- "+config.PolicyPath+" --\n"+gatedPolicy)
	lower := gated[:strings.Index(gated, "    after:")] + `    after: {any: [dev], soak: 3h}
    set: {prod.yaml: {tag: "${api.short}"}}
    verify: [e2e]
    approvals: 1
`
	check := s.proposeFiles("lower", map[string]*string{config.PipelinePath: githubsim.Text(lower)})
	require.Equal(t, "success", check.Conclusion, check.Summary)
	require.Equal(t, "Good; of the stages, 0 would be new, 1 changed, 0 removed; lower than before: 6", check.Title)
	for _, line := range []string{
		"- ⚠️ `prod`: the gate is **lower**: soak `3h`, was `4h`",
		"- ⚠️ `prod`: the gate is **lower**: verify `none`, was `check load of github-actions`",
		"- ⚠️ `prod`: the gate is **lower**: freeze `none`, was `0 16 * * FRI Europe/Berlin for 64h`",
		"- ⚠️ `prod`: the gate is **lower**: guard `false`, was `true`",
		"- ⚠️ `prod`: the gate is **lower**: approvals `1`, was `2`",
		"- ⚠️ `prod`: the gate is **lower**: merge `auto`, was `manual`",
		"- `prod`: frozen: `0 16 * * FRI Europe/Berlin for 64h` → **never**",
	} {
		require.Contains(t, check.Summary, line+"\n")
	}

	check = s.proposeFiles("floor", map[string]*string{
		config.PolicyPath: githubsim.Text(strings.Replace(gatedPolicy, "soak: 2h, verify: [e2e], ", "", 1)),
	})
	require.Equal(t, "success", check.Conclusion, check.Summary)
	require.Equal(t, "Good; no stage would change; lower than before: 2", check.Title)
	require.Contains(t, check.Summary, "- ⚠️ `prod`: the policy's floor is **lower**: soak `0s`, was `2h`\n")
	require.Contains(t, check.Summary, "- ⚠️ `prod`: the policy's floor is **lower**: verify `none`, was `check e2e of "+
		"github-actions`\n")

	check = s.proposeFiles("below", map[string]*string{
		config.PipelinePath: githubsim.Text(strings.Replace(gated, "soak: 4h", "soak: 1h", 1)),
	})
	require.Equal(t, "Good; of the stages, 0 would be new, 1 changed, 0 removed; lower than before: 1", check.Title)
	require.Contains(t, check.Summary, "- ⚠️ `prod`: the gate is **lower**: soak `2h`, was `4h`\n")
	require.Len(t, check.Annotations, 1)
	require.Equal(t, "warning", check.Annotations[0].Level)
	require.Equal(t, config.PipelinePath, check.Annotations[0].Path)
	require.Equal(t, 8, check.Annotations[0].Start)
	require.Equal(t, "stages.prod: `soak` is lower than the floor in .github/waybill.policy.yml, which is in force: it "+
		"is 1h, and the floor is 2h; raise it, or remove it", check.Annotations[0].Message)

	check = s.proposeFiles("gone", map[string]*string{config.PipelinePath: githubsim.Text(
		gated[:strings.Index(gated, "  prod:")] + "  prod: {from: api}\n")})
	require.Equal(t, "failure", check.Conclusion, check.Summary)
	require.Contains(t, check.Summary, "cannot be as the floor in .github/waybill.policy.yml asks: it asks for `verify`")
}
