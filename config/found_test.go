package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// fleet is a pipeline whose stage prod finds its targets by a glob.
func fleet(glob, more string) []byte {
	return fmt.Appendf(nil, `version: 1
warehouses: {api: {pull-requests: {repo: acme/api}}}
stages:
  prod:
    from: api
    targets: %q
    set: {"${target.path}": {"${target.name}": "${api.short}"}}
    verify: ["e2e-${target.name}"]
%s`, glob, more)
}

// found loads a fleet in a repository with these files and folders.
func found(glob, more string, files ...string) (*promotion.Pipeline, config.Problems) {
	file := fleet(glob, more)
	return config.Load(config.Sources{
		PipelineName: "f", Pipeline: file, Found: config.Found{Globs: find(file, files, files)},
	})
}

func TestAGlobFindsTargetsNamedByWhatItsStarsStandFor(t *testing.T) {
	for _, c := range []struct {
		glob  string
		files string
		want  string // name=path
	}{
		{"clusters/prod-*/values.yaml", "clusters/prod-eu/values.yaml clusters/dev-eu/values.yaml " +
			"clusters/prod-us/x/values.yaml", "eu=clusters/prod-eu/values.yaml"},
		{"clusters/*/*.yaml", "clusters/eu/b.yaml clusters/eu/a.yaml clusters/us/a.yaml clusters/a.yaml",
			"eu-a=clusters/eu/a.yaml eu-b=clusters/eu/b.yaml us-a=clusters/us/a.yaml"},
		{"*/values.yaml", "eu/values.yaml values.yaml .github/values.yaml x/.a/values.yaml", "eu=eu/values.yaml"},
		{"c/*-*.yaml", "c/eu-west-1.yaml", "eu-west-1=c/eu-west-1.yaml"},
		{"c/*.yaml", "c/.yaml c/.b.yaml c/a.b.yaml c/axyaml", "a.b=c/a.b.yaml"},
		{"clusters/*/", "clusters/eu clusters/us clusters/us/x", "eu=clusters/eu us=clusters/us"},
	} {
		p, problems := found(c.glob, "", strings.Fields(c.files)...)
		require.NoError(t, problems.Err(), c.glob)
		var got []string
		for _, target := range p.Stages[0].Targets {
			got = append(got, fmt.Sprintf("%s=%s", target.Name, target.Changes[0].Path))
			require.Equal(t, string(target.Name), target.Changes[0].Set[0].Key)
			require.Equal(t, "e2e-"+string(target.Name), target.Verify[0].Pattern)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.glob)
	}
}

func TestTargetsThatAreFoundAreInBatchesAsOthersAre(t *testing.T) {
	p, problems := found("c/*.yaml", "    rollout: [{name: canary, targets: [\"eu-*\"]}, {name: rest, at-once: 50%}]\n",
		"c/eu-1.yaml", "c/us-2.yaml", "c/us-1.yaml", "c/ap-1.yaml", "c/us-3.yaml")
	require.NoError(t, problems.Err())
	require.Equal(t, []promotion.Batch{
		{Name: "canary", Targets: []promotion.TargetName{"eu-1"}, AtOnce: 1},
		{Name: "rest", Targets: []promotion.TargetName{"ap-1", "us-1", "us-2", "us-3"}, AtOnce: 2},
	}, p.Stages[0].Strategy.Batches)
}

func TestAGlobThatFindsNoGoodTargetsSaysWhatIsWrong(t *testing.T) {
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprintf("c/%d.yaml", i)
	}
	for _, c := range []struct {
		glob  string
		files []string
		want  string
	}{
		{"c/*.yaml", nil, `"c/*.yaml" finds nothing in the repository; there must be a file for each target`},
		{"c/*/", nil, `there must be a folder for each target`},
		{"c/*.yaml", []string{"c/eu 1.yaml"},
			`finds "c/eu 1.yaml", but "eu 1" cannot be the name of a target: it takes letters`},
		{"c/*/*.yaml", []string{"c/a/b-c.yaml", "c/a-b/c.yaml"},
			`finds "c/a-b/c.yaml" and "c/a/b-c.yaml", and both targets would be called a-b-c`},
		{"c/*.yaml", []string{"c/EU.yaml", "c/eu.yaml"}, `both targets would be called eu`},
		{"c/*.yaml", many, `finds 10001 targets, and a stage has at most 10000`},
		{"c/eu.yaml", nil, `finds no targets: it has no * that stands for the name of a target`},
		{"c/**/x.yaml", nil, `** could stand for any number of folders`},
		{"c/[ab]*.yaml", nil, `only * stands for anything in it`},
		{"../*.yaml", nil, `a path must not leave the repository`},
		{"/c/*.yaml", nil, `a path begins at the root of the repository`},
		{"./c/*.yaml", nil, `write it without empty folders and dots: c/*.yaml`},
	} {
		_, problems := found(c.glob, "", c.files...)
		require.ErrorContains(t, problems.Err(), c.want, c.glob)
		require.ErrorContains(t, problems.Err(), "f:6:14: stages.prod.targets: ")
	}
	_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: fleet("c/*.yaml", "")})
	require.ErrorContains(t, problems.Err(), "is not known here", "what is not known is not made up")
}

func TestAFileIsCheckedWithoutTheRepositoryAsFarAsThatGoes(t *testing.T) {
	problems := config.Check(config.Sources{
		PipelineName: "f", Pipeline: fleet("c/*.yaml", "    rollout: [{name: canary, targets: [eu-1]}]\n"),
	})
	require.NoError(t, problems.Err(), "which batch a target is in is not known")
	require.Contains(t, problems.String(), `which targets "c/*.yaml" finds is not known without the repository`)
	problems = config.Check(config.Sources{PipelineName: "f", Pipeline: fleet("c/*.yaml",
		"    freeze: [{cron: 1}]\n    json: {\"${target.labels.x}.json\": {a: b}}\n")})
	require.ErrorContains(t, problems.Err(), "${target.labels.x} has no value for the target x")
}

func TestAPushConcernsTargetsThatItMayAddOrRemove(t *testing.T) {
	files := config.Globs(&config.Meter{}, fleet("clusters/*/values.yaml", ""), config.Found{})[0]
	folders := config.Globs(&config.Meter{}, fleet("clusters/*/", ""), config.Found{})[0]
	require.Equal(t, "clusters", files.Root)
	require.True(t, files.Deep)
	require.False(t, folders.Deep)
	for path, want := range map[string][2]bool{
		"clusters/eu/values.yaml": {true, true}, "clusters/eu/other.yaml": {false, true},
		"clusters/eu/x/y.yaml": {false, true}, "clusters/README.md": {false, true}, "other/eu/values.yaml": {false, false},
		"README.md": {false, false},
	} {
		require.Equal(t, want, [2]bool{files.Concerns(path), folders.Concerns(path)}, path)
	}
}

// BenchmarkLoadFound compiles a stage of 10,000 targets found by a glob.
func BenchmarkLoadFound(b *testing.B) {
	paths := make([]string, 10_000)
	for i := range paths {
		paths[i] = fmt.Sprintf("clusters/cluster-%d/values.yaml", i)
	}
	file := fleet("clusters/*/values.yaml",
		"    rollout: [{name: canary, targets: [\"cluster-1*\"]}, {name: rest, at-once: 10%}]\n")
	b.ReportAllocs()
	for b.Loop() {
		p, problems := config.Load(config.Sources{Pipeline: file, Found: config.Found{Globs: find(file, paths, nil)}})
		if problems.Err() != nil || len(p.Stages[0].Targets) != 10_000 {
			b.Fatal(problems)
		}
	}
}

// find returns what the globs of a file find, as far as they may.
func find(file []byte, files, folders []string) map[string][]string {
	found, _ := config.Find(&config.Meter{}, config.Globs(&config.Meter{}, file, config.Found{}), files, folders)
	return found
}

// labelledFleet is a pipeline whose targets are found, with labels of an inventory.
const labelledFleet = `version: 1
warehouses: {api: {pull-requests: {repo: acme/api}}}
stages:
  prod:
    from: api
    targets: {find: clusters/*/values.yaml, labels: {from: clusters.yaml}}
    set: {"${target.path}": {"${target.name}": "${api.short}"}}
    rollout: [{name: canary, targets: {ring: canary}}, {name: rest}]
`

func TestTargetsThatAGlobFindsHaveTheLabelsOfAnInventory(t *testing.T) {
	files := []string{"clusters/eu/values.yaml", "clusters/us/values.yaml", "clusters/ap/values.yaml"}
	load := func(file, inventory string) (*promotion.Pipeline, config.Problems) {
		from := config.Found{Inventories: map[string]string{"clusters.yaml": inventory}}
		require.Equal(t, []string{"clusters.yaml"}, config.Inventories([]byte(file), nil))
		found, trouble := config.Find(&config.Meter{}, config.Globs(&config.Meter{}, []byte(file), from), files, nil)
		require.Empty(t, trouble)
		from.Globs = found
		return config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file), Found: from})
	}
	p, problems := load(labelledFleet, "- {name: us, path: elsewhere, ring: canary}\n- {name: eu, ring: early}\n")
	require.Empty(t, problems, "what the inventory does not have has no labels")
	var rings []string
	for _, b := range p.Stages[0].Strategy.Batches {
		rings = append(rings, fmt.Sprint(b.Name, " ", b.Targets))
	}
	require.Equal(t, []string{"canary [us]", "rest [ap eu]"}, rings)
	require.Equal(t, "clusters/us/values.yaml", p.Stages[0].Targets[2].Changes[0].Path, "the path is that of the glob")

	for inventory, want := range map[string]string{
		"- {name: us, ring: canary}\n- {name: uk, ring: canary}\n- {name: xx}\n": `warning: stages.prod.targets.labels: ` +
			`"clusters/*/values.yaml" finds no target "uk" (and 1 more), whose labels are given`,
		"- {name: us, ring: canary}\n- {name: us, ring: early}\n": "the labels of \"us\" are there already; remove one of " +
			"the two (from clusters.yaml, named at 6:53)",
		"us: {ring: canary}": "clusters.yaml must be a list of items, not a mapping",
	} {
		_, problems := load(labelledFleet, inventory)
		require.Len(t, problems, 1, inventory)
		require.Contains(t, problems[0].String(), want)
	}
	region := strings.Replace(labelledFleet, `"${target.name}": "$`, `"${target.labels.region}": "$`, 1)
	_, problems = load(region, "- us\n- {name: eu, region: eu}\n")
	require.ErrorContains(t, problems.Err(), "target.labels.region")
	alone := config.Check(config.Sources{PipelineName: "f", Pipeline: []byte(region), Found: config.Found{
		Inventories: map[string]string{"clusters.yaml": "- us\n- {name: eu, region: eu}\n"},
	}})
	require.NoError(t, alone.Err(), "without the repository, any label may be that of the target that is meant")
}
