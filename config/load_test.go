package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// load compiles a pipeline that must have no errors and no warnings.
func load(t *testing.T, pipeline, policy string) *promotion.Pipeline {
	t.Helper()
	s := config.Sources{Home: "acme/deploy", Branch: "trunk", Pipeline: []byte(pipeline)}
	if policy != "" {
		s.Policy = []byte(policy)
	}
	p, problems := config.Load(s)
	require.Empty(t, problems.String())
	return p
}

// automaticEverywhere is a policy file that makes every stage automatic.
const automaticEverywhere = "version: 1\nautomatic: [\"*\"]\n"

const pipelineOfDesign = `
version: 1
warehouses:
  api:
    pull-requests:
      repo: acme/api
      branch: main
      paths: [services/api/**, "!**/*.md"]
      labels: ["!no-freight"]
stages:
  dev:
    from: api
    set:
      deploy/dev/values.yaml: {image.tag: "${api.short}"}
    verify: [smoke]
  staging-a:
    from: api
    after: dev
    set: {deploy/staging-a/values.yaml: {image.tag: "${api.short}"}}
    verify: [{check: "e2e / *", missing: fail}]
  staging-b:
    from: api
    after: dev
    set: {deploy/staging-b/values.yaml: {image.tag: "${api.short}"}}
    verify: [{status: argocd/staging-b}]
  prod:
    from: api
    after: {all: [staging-b, staging-a], soak: 1h}
    set: {"./deploy/${stage}/values.yaml": {image.tag: "v-${api.short}", replicas: 3}}
    verify: [{deployment: "${stage}", timeout: 10m, skipped: pass}]
    merge: manual
    merge-method: rebase
    queue: fifo
    on-failed-verification: hold
    drift: repair
`

func TestThePipelineFileOfTheDesignIsCompiled(t *testing.T) {
	p := load(t, pipelineOfDesign, "")
	require.Equal(t, promotion.Repo("acme/deploy"), p.Home)
	require.Equal(t, "trunk", p.Branch)
	require.Equal(t, 10*time.Hour, p.Resync)
	require.Equal(t, []*promotion.Warehouse{{
		Name:   "api",
		Kind:   promotion.FromPulls,
		Repo:   "acme/api",
		Branch: "main",
		Paths:  []string{"services/api/**", "!**/*.md"},
		Labels: []string{"!no-freight"},
	}}, p.Warehouses)
	require.Len(t, p.Stages, 4)

	dev, prod := p.Stages[0], p.Stages[3]
	require.Equal(t, promotion.StageName("dev"), dev.Name)
	require.Equal(t, []promotion.Source{{Warehouse: "api"}}, dev.From)
	require.Equal(t, []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "smoke", App: "github-actions",
		Appear: 15 * time.Minute, Timeout: time.Hour, Missing: promotion.LackHolds, Skipped: promotion.LackHolds}},
		dev.Targets[0].Verify)
	require.Equal(t, promotion.MergeAuto, dev.Merge.By)
	require.Empty(t, dev.Merge.Method)
	require.Equal(t, promotion.QueueLatest, dev.Queue)
	require.Equal(t, promotion.OnFailureCancel, dev.OnFailedVerification)
	require.Equal(t, promotion.DriftReport, dev.Drift)
	require.False(t, dev.Policy.Automatic)

	require.Equal(t, []promotion.Source{{Warehouse: "api", After: &promotion.Gate{
		Of: []*promotion.Stage{p.Stages[1], p.Stages[2]}, Need: 2, Soak: time.Hour}}}, prod.From)
	require.Equal(t, []promotion.Matcher{{Kind: promotion.KindDeployment, Pattern: "prod",
		Appear: 10 * time.Minute, Timeout: 10 * time.Minute, Missing: promotion.LackHolds, Skipped: promotion.LackPasses}},
		prod.Targets[0].Verify)
	require.Equal(t, promotion.MergeManual, prod.Merge.By)
	require.Equal(t, "rebase", prod.Merge.Method)
	require.Equal(t, promotion.QueueFIFO, prod.Queue)
	require.Equal(t, promotion.OnFailureHold, prod.OnFailedVerification)
	require.Equal(t, promotion.DriftRepair, prod.Drift)
	require.Equal(t, "deploy/prod/values.yaml", prod.Targets[0].Changes[0].Path)
	require.Equal(t, map[string]string{"image.tag": "v-0123456", "replicas": "3"}, expanded(t, prod))
	require.Equal(t, promotion.LackFails, p.Stages[1].Targets[0].Verify[0].Missing)
	require.Equal(t, promotion.KindStatus, p.Stages[2].Targets[0].Verify[0].Kind)
	require.Empty(t, p.Stages[2].Targets[0].Verify[0].App)
}

func expanded(t *testing.T, s *promotion.Stage) map[string]string {
	f := promotion.NewFreight(&promotion.Warehouse{Name: "api"}, 142, "0123456789abcdef0123456789abcdef01234567",
		time.Time{})
	values := make(map[string]string)
	for _, a := range s.Targets[0].Changes[0].Set {
		v, err := a.Value.Expand(promotion.Values(s.Name, f))
		require.NoError(t, err)
		values[a.Key] = v
	}
	return values
}

func TestAGateAsksForAsManyUpstreamsAsItsWordSays(t *testing.T) {
	tests := []struct {
		name, after string
		of          []string
		need        int
		soak        time.Duration
	}{
		{"one stage", "b", []string{"b"}, 1, 0},
		{"any", "{any: [c, a], soak: 30m}", []string{"a", "c"}, 1, 30 * time.Minute},
		{"all", "{all: [a, b, c], soak: 1d12h}", []string{"a", "b", "c"}, 3, 36 * time.Hour},
		{"A12 majority of three", "{majority: [a, b, c]}", []string{"a", "b", "c"}, 2, 0},
		{"A12 majority of four", "{majority: [a, b, c, d]}", []string{"a", "b", "c", "d"}, 3, 0},
		{"at least a number", "{at-least: 2, of: [d, a]}", []string{"a", "d"}, 2, 0},
		{"A13 at least 60% of four", "{at-least: 60%, of: [a, b, c, d]}", []string{"a", "b", "c", "d"}, 3, 0},
		{"at least 1% of four", "{at-least: 1%, of: [a, b, c, d]}", []string{"a", "b", "c", "d"}, 1, 0},
		{"at least 50% of four", "{at-least: 50%, of: [a, b, c, d]}", []string{"a", "b", "c", "d"}, 2, 0},
		{"at least 100% of one", `{at-least: "100%", of: [a]}`, []string{"a"}, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, "version: 1\nwarehouses: {api: {pull-requests: {}}}\nstages: {a: {from: api}, b: {from: api}, c: "+
				"{from: api}, d: {from: api}, prod: {from: api, after: "+test.after+"}}\n", "")
			gate := p.Stage("prod").From[0].After
			var of []string
			for _, s := range gate.Of {
				of = append(of, string(s.Name))
			}
			require.Equal(t, test.of, of)
			require.Equal(t, test.need, gate.Need)
			require.Equal(t, test.soak, gate.Soak)
		})
	}
}

func TestEachWarehouseOfAStageHasItsOwnGate(t *testing.T) {
	const head = "version: 1\nwarehouses: {api: {pull-requests: {}}, web: {pull-requests: }}\n"
	p := load(t, head+"stages: {dev: {from: {api: , web: {}}}, prod: {from: {api: {after: dev}, web: {}}}}\n", "")
	prod := p.Stage("prod")
	require.Equal(t, promotion.WarehouseName("api"), prod.From[0].Warehouse)
	require.Equal(t, p.Stages[:1], prod.From[0].After.Of)
	require.Equal(t, promotion.Source{Warehouse: "web"}, prod.From[1])

	p = load(t, head+"stages: {dev: {from: {api: , web: }}, prod: {from: {api: , web: }, after: dev}}\n", "")
	require.Equal(t, p.Stages[:1], p.Stage("prod").From[0].After.Of)
	require.Equal(t, p.Stages[:1], p.Stage("prod").From[1].After.Of)
}

func TestAWarehouseOfTheHomeRepositoryTakesAllButTheStagesFiles(t *testing.T) {
	p := load(t, `
version: 1
warehouses: {all: {pull-requests: {}}, api: {pull-requests: {repo: acme/api}}}
stages:
  dev: {from: {all: , api: }, set: {deploy/dev.yaml: {a: "${all.short}", b: "${api.short}"}, ./x.yaml: {a: "1"}}}
`, "")
	all, api := p.Warehouse("all"), p.Warehouse("api")
	require.Equal(t, promotion.Repo("acme/deploy"), all.Repo)
	require.Equal(t, "trunk", all.Branch)
	require.Equal(t, []string{"deploy/dev.yaml", "x.yaml"}, all.Except)
	require.False(t, all.WantsFile("deploy/dev.yaml"))
	require.True(t, all.WantsFile("src/main.go"))
	require.Empty(t, api.Except)
	require.True(t, api.WantsFile("deploy/dev.yaml"))
}

func TestTheFoldersThatStagesCopyAreNoFreightWhateverAWarehouseTakes(t *testing.T) {
	p := load(t, `
version: 1
warehouses:
  all: {pull-requests: {}}
  yaml: {pull-requests: {paths: ["deploy/**/*.yaml"]}}
  api: {pull-requests: {repo: acme/api}}
stages:
  dev: {from: {all: , yaml: , api: }, set: {x.yaml: {a: "1"}}, copy: {./deploy/dev/: {from: k8s, warehouse: api}}}
`, "")
	require.Equal(t, []promotion.Copy{{Path: "deploy/dev", From: "k8s", Warehouse: "api"}}, p.Stage("dev").Copies())
	require.Equal(t, []string{"x.yaml", "deploy/dev"}, p.Warehouse("all").Except)
	require.Equal(t, []string{"deploy/dev"}, p.Warehouse("yaml").Except)
	require.False(t, p.Warehouse("yaml").WantsFile("deploy/dev/new.yaml"))
	require.Empty(t, p.Warehouse("api").Except)
}

func TestThePolicyFileSwitchesAutomationOnAndSetsFloors(t *testing.T) {
	p := load(t, pipelineOfDesign, `
version: 1
automatic: [dev, "staging-*"]
stages:
  "*-b": {merge: manual}
  prod: {merge: auto}
may:
  promote: [{stages: [prod], permission: write, teams: [sre]}, {permission: write}]
  approve: [{stages: [prod], teams: [sre], not: [author, requester]}]
  admit: []
  force: [{teams: [acme/sre-leads]}]
  status: [{permission: triage}]
`)
	var automatic []bool
	var merge []promotion.MergeMode
	for _, s := range p.Stages {
		automatic = append(automatic, s.Policy.Automatic)
		merge = append(merge, s.Merge.By)
	}
	require.Equal(t, []bool{true, true, true, false}, automatic)
	require.Equal(t, []promotion.MergeMode{"auto", "auto", "manual", "manual"}, merge)
	require.Equal(t, map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdPromote: {
			{Name: ".github/waybill.policy.yml:8", Stages: []string{"prod"}, Permission: promotion.Write,
				Teams: []string{"sre"}}, {Name: ".github/waybill.policy.yml:8", Permission: promotion.Write},
		},
		promotion.CmdApprove: {{
			Name: ".github/waybill.policy.yml:9", Stages: []string{"prod"}, Permission: promotion.Read, Teams: []string{"sre"},
			Not: []string{"author", "requester"},
		}},
		promotion.CmdAdmit: {},
		promotion.CmdVerdict: {
			{Name: ".github/waybill.policy.yml:11", Permission: promotion.Read, Teams: []string{"acme/sre-leads"}},
		},
		"status": {{Name: ".github/waybill.policy.yml:12", Permission: promotion.Triage}},
	}, p.Policy.May)
}

func TestWithoutAPolicyFileNothingIsAutomaticAndTheDefaultsDecide(t *testing.T) {
	p, problems := config.Load(config.Sources{Pipeline: []byte(pipelineOfDesign), Policy: []byte{}})
	require.Empty(t, problems)
	require.Nil(t, p.Policy.May)
	require.False(t, p.Stages[0].Policy.Automatic)
	for _, s := range load(t, pipelineOfDesign, automaticEverywhere).Stages {
		require.True(t, s.Policy.Automatic)
	}
}

func TestTheServerSaysHowOftenAPipelineIsResyncedThatDoesNotSay(t *testing.T) {
	const file = "version: 1\nallow: []\n"
	for _, test := range []struct {
		file         string
		server, want time.Duration
	}{
		{file, 0, 10 * time.Hour},
		{file, time.Hour, time.Hour},
		{file, time.Second, time.Minute},
		{file, 1000 * time.Hour, 168 * time.Hour},
		{file + "resync: 90m", time.Hour, 90 * time.Minute},
	} {
		p, problems := config.Load(config.Sources{Pipeline: []byte(test.file), Resync: test.server})
		require.Empty(t, problems)
		require.Equal(t, test.want, p.Resync)
	}
}

// T23: a file with an error makes no pipeline, so that the last good one stays; half a file is never in force.
func TestT23ABadFileMakesNoPipelineWhicheverOfTheTwoItIs(t *testing.T) {
	good := []byte(pipelineOfDesign)
	for _, s := range []config.Sources{
		{Pipeline: []byte("version: 1\nstages: [")},
		{Pipeline: []byte(strings.Replace(pipelineOfDesign, "after: dev", "after: devv", 1))},
		{Pipeline: good, Policy: []byte("automatic: [dev]")},
		{Pipeline: good, Policy: []byte("# later\n")},
		{Pipeline: good, Policy: []byte("version: 1\nmay: {admit: [{}]}")},
	} {
		p, problems := config.Load(s)
		require.Nil(t, p)
		require.NotEmpty(t, problems.Errors())
		require.EqualError(t, problems.Err(), problems.Errors().String())
	}
}

func TestTheFilesAreNamedAsInTheRepositoryUnlessTheCallerSaysOtherwise(t *testing.T) {
	_, problems := config.Load(config.Sources{Pipeline: []byte("a"), Policy: []byte("b")})
	require.Equal(t, ".github/waybill.yml", problems[0].File)
	require.Equal(t, ".github/waybill.policy.yml", problems[1].File)
}

func TestAFileThatOnlyAllowsOtherRepositoriesIsValid(t *testing.T) {
	file := []byte("version: 1\nallow: [acme/deploy, other/one]\n")
	p, problems := config.Load(config.Sources{Pipeline: file})
	require.Empty(t, problems)
	require.Empty(t, p.Stages)

	repos, problems := config.Allowed("waybill.yml", file)
	require.Empty(t, problems)
	require.Equal(t, map[promotion.Repo]int64{"acme/deploy": 0, "other/one": 0}, repos)

	repos, problems = config.Allowed("waybill.yml",
		[]byte("version: 1\nallow: [acme/deploy:42, acme, acme/x:0]\nallo: []\n"))
	require.Len(t, problems, 3)
	require.Equal(t, map[promotion.Repo]int64{"acme/deploy": 42}, repos)
}

func TestAnAliasStandsForWhatIsAnchored(t *testing.T) {
	p := load(t, `
version: 1
warehouses: {api: {pull-requests: {repo: acme/api}}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: &checks [{check: e2e, timeout: 2h}]}
  pass: {from: api, after: dev}
  qa: &qa {from: api, after: dev}
  also: *qa
`, "")
	require.Equal(t, p.Stage("qa").From, p.Stage("also").From)
	require.Equal(t, 2*time.Hour, p.Stage("dev").Verify()[0].Timeout)
}

func TestLineEndsOfWindowsMakeNoDifference(t *testing.T) {
	require.Equal(t, load(t, pipelineOfDesign, ""), load(t, strings.ReplaceAll(pipelineOfDesign, "\n", "\r\n"), ""))
}

func TestABadCharacterIsFound(t *testing.T) {
	for file, want := range map[string]string{
		"version: \x01":        "f:1:10: not YAML: control characters are not allowed (value: 1)",
		"version: 1\nö: \xff":  "f:2:4: not YAML: invalid leading UTF-8 octet (value: 255)",
		"version: 1\r\n\ta: 1": "f:2:1: not YAML: the line is indented with a tab; use blanks",
	} {
		require.Equal(t, want, errorsOf(file))
	}
}

func TestAPolicyFileIsToldFromAPipelineFile(t *testing.T) {
	require.True(t, config.IsPolicy("x/waybill.policy.yml", nil))
	require.True(t, config.IsPolicy("rights.yml", []byte("version: 1\nautomatic: []\n")))
	require.True(t, config.IsPolicy("rights.yml", []byte("may: {}\n")))
	require.False(t, config.IsPolicy("policy/waybill.yml", []byte("version: 1\nstages: {}\n")))
	require.False(t, config.IsPolicy("rights.yml", []byte("- may\n")))
	require.False(t, config.IsPolicy("rights.yml", []byte("may: [\n")))
}

func TestHowAStageDeliversIsCompiledFromWhatItSays(t *testing.T) {
	p := load(t, oneWarehouse+`stages:
  pull: {from: api, set: {a.yaml: {x: "${api.short}"}}}
  commit: {from: api, commit: direct, set: {b.yaml: {x: "${api.short}"}}}
  run: {from: api, dispatch: {workflow: deploy.yml}}
  pass: {from: api}
  parts: {from: api, targets: [eu], set: {"${target.name}.yaml": {x: "${api.short}"}}}
`, "")
	var ways []promotion.Delivery
	for _, s := range p.Stages {
		ways = append(ways, s.Delivery)
	}
	require.Equal(t, []promotion.Delivery{
		promotion.DeliveryPullRequest, promotion.DeliveryCommit, promotion.DeliveryWorkflow, promotion.DeliveryNone,
		promotion.DeliveryPullRequest,
	}, ways)
}

// TestTheFilesOfAStageAreWhereItSaysOrWhereThePipelineLives: repository and branch have a default each.
func TestTheFilesOfAStageAreWhereItSaysOrWhereThePipelineLives(t *testing.T) {
	p := load(t, `
version: 1
warehouses:
  api: {pull-requests: {paths: [src/**]}}
stages:
  a: {from: api, set: {a.yaml: {a: b}}}
  b: {from: api, files: {repo: acme/eu}, set: {b.yaml: {a: b}}}
  c: {from: api, files: {branch: live}, set: {c.yaml: {a: b}}}
  d: {from: api, files: {repo: acme/eu, branch: live}, targets: [x], set: {d.yaml: {a: b}}}
`, "")
	want := []promotion.Branch{{Repo: "acme/deploy", Name: "trunk"}, {Repo: "acme/eu", Name: "trunk"},
		{Repo: "acme/deploy", Name: "live"}, {Repo: "acme/eu", Name: "live"}}
	require.Equal(t, want, p.Everywhere())
	for i, s := range p.Stages {
		require.Equal(t, want[i], p.FilesOf(s), s.Name)
		require.Equal(t, want[i], p.FilesOf(s.Only([]promotion.TargetName{"x"})), s.Name)
	}
	require.Equal(t, []promotion.Foreign{{Repo: "acme/eu", By: "stage b"}}, p.Elsewhere())
	require.True(t, p.Names("acme/eu"))
	require.False(t, p.Names("acme/api"))
}
