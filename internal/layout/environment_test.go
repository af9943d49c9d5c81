package layout

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestAPathNamesAnEnvironmentAndPerhapsARegion(t *testing.T) {
	for _, c := range []struct {
		path, object, environment, target, pattern string
	}{
		{"deploy/dev/values.yaml", "", "dev", "", ""},
		{"deploy/values-prod.yaml", "", "prod", "", ""},
		{"deploy/values.prod.yaml", "", "prod", "", ""},
		{"deploy/dev.tfvars.json", "", "dev", "", ""},
		{"overlays/pre-prod/kustomization.yaml", "", "pre-prod", "", ""},
		{"overlays/api-pre-prod/kustomization.yaml", "", "pre-prod", "", ""},
		{"test-app/prod/values.yaml", "", "prod", "", ""},
		{"clusters/prod/eu-1/values.yaml", "", "prod", "eu-1", "clusters/prod/${target.name}/values.yaml"},
		{"clusters/prod-us-east-1/values.yaml", "", "prod", "us-east-1", "clusters/prod-${target.name}/values.yaml"},
		{"clusters/eu-prod/values.yaml", "", "prod", "eu", "clusters/${target.name}-prod/values.yaml"},
		{"us/prod/values.yaml", "", "prod", "us", "${target.name}/prod/values.yaml"},
		{"prod/ap-1.yaml", "", "prod", "ap-1", "prod/${target.name}.yaml"},
		{"prod/r1-eu2/values.yaml", "", "prod", "r1-eu2", "prod/${target.name}/values.yaml"},
		{"prod/app/values.yaml", "", "prod", "", ""},
		{"apps.yaml", "api-staging", "staging", "", ""},
		{"apps.yaml", "api", "", "", ""},
		{"product/values.yaml", "", "", "", ""},
	} {
		got, ok := names{}.spot(c.path, c.object)
		require.Equal(t, c.environment != "", ok, c.path)
		want := spot{c.environment, c.target, c.pattern}
		if ok && c.pattern == "" {
			want.pattern = c.path
		}
		require.Equal(t, want, got, c.path)
	}
}

func TestEnvironmentsAreInTheOrderOfTheirNamesOrAsSaid(t *testing.T) {
	require.Equal(t, []string{"development", "qa", "staging", "pre-prod", "live"},
		names{}.inOrder([]string{"live", "qa", "pre-prod", "staging", "development"}))
	said := names{given: []string{"beta", "alpha"}}
	require.Equal(t, []string{"beta", "alpha"}, said.inOrder([]string{"alpha", "beta"}))
	_, ok := said.spot("dev/values.yaml", "")
	require.False(t, ok, "the well-known names do not count then")
	require.True(t, said.isProduction("alpha"))
	require.False(t, said.isProduction("beta"))
}

func TestAVersionNamesACommitOrATag(t *testing.T) {
	for text, want := range map[string][3]string{
		"v1.4.2": {OfTags, "", "tag"}, "1.4.2": {OfTags, "", "version"}, "1.4.2-rc.1": {OfTags, "", "version"},
		"0a1b2c3": {OfMerges, "", "short"}, "sha-0a1b2c3": {OfMerges, "sha-", "short"},
		"main-0a1b2c3d4e": {OfMerges, "main-", "short"}, "latest": {OfMerges, "", "short"}, "v1": {OfMerges, "", "short"},
		"0123456789abcdef0123456789abcdef01234567":   {OfMerges, "", "commit"},
		"b-0123456789abcdef0123456789abcdef01234567": {OfMerges, "b-", "commit"},
	} {
		kind, before, word := freight(text)
		require.Equal(t, want, [3]string{kind, before, word}, text)
	}
}

func TestJobsThatDeployVerifyTheirStage(t *testing.T) {
	files := map[string]string{
		"push":  "on: push\njobs: {deploy-dev: {}, smoke: {name: Smoke dev}, dev: {}, deploy-qa: {strategy: {matrix: {}}}}",
		"list":  "on: [push, pull_request]\njobs: {deploy-staging: {uses: ./x.yml}, apply-staging: {}}",
		"main":  "on: {push: {branches: [main]}}\njobs: {deploy-production: {}}",
		"other": "on: {push: {branches: [release]}}\njobs: {deploy-qa: {}}",
		"tags":  "on: {push: {tags: ['v*']}}\njobs: {deploy-qa: {}}",
		"pull":  "on: pull_request\njobs: {deploy-qa: {}}",
		"vars":  "on: push\njobs: {a: {name: 'deploy qa ${{ github.ref }}'}}",
	}
	repository := fstest.MapFS{}
	for name, text := range files {
		repository[".github/workflows/"+name+".yml"] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := Look(repository, nil)
	require.NoError(t, err)
	require.Empty(t, found.Apps)
	checks := func(stage string) (all []string) {
		for _, c := range found.Checks(Stage{Name: stage}) {
			all = append(all, c.Name)
		}
		return all
	}
	require.Equal(t, []string{"deploy-dev", "Smoke dev"}, checks("dev"))
	require.Equal(t, []string{"apply-staging"}, checks("staging"))
	require.Equal(t, []string{"deploy-production"}, checks("prod"))
	require.Empty(t, checks("qa"))
}

func TestTheOriginOfACloneIsItsRepository(t *testing.T) {
	for url, want := range map[string]string{
		"git@github.com:acme/deploy.git": "acme/deploy", "https://github.com/acme/deploy": "acme/deploy",
		"ssh://git@ghe.example/acme/de.ploy.git": "acme/de.ploy", "/srv": "",
	} {
		config := "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n\tfetch = +refs/heads/*\n"
		require.Equal(t, want, Origin(fstest.MapFS{".git/config": {Data: []byte(config)}}))
	}
	require.Empty(t, Origin(fstest.MapFS{}))
	require.Empty(t, Origin(fstest.MapFS{".git/config": {Data: []byte("[remote \"fork\"]\n\turl = a@b:c/d\n")}}))
}

func TestWhatIsPinnedByADigestIsNamed(t *testing.T) {
	const digest = "sha256:0123456789012345678901234567890123456789012345678901234567890123"
	found, err := Look(fstest.MapFS{
		"dev/kustomization.yaml":  {Data: []byte("images: [{name: api, newTag: v1.0.0}]")},
		"prod/kustomization.yaml": {Data: []byte("images: [{name: api, newTag: v1.0.0, digest: '" + digest + "'}]")},
		"qa/values.yaml":          {Data: []byte("image: api@" + digest)},
	}, nil)
	require.NoError(t, err)
	require.Len(t, found.Apps, 1)
	require.Equal(t, []string{"dev"}, found.Apps[0].StageNames())
	const why = " is pinned by a digest, which outranks a tag: write a tag in its place to promote it, or have CI " +
		"report digests"
	require.Equal(t, []string{"prod/kustomization.yaml: api" + why, "qa/values.yaml: image" + why}, found.Left)
}

func TestNoMoreThanSoManyFilesAreRead(t *testing.T) {
	repository := fstest.MapFS{}
	for i := range maxFiles + 1 {
		repository[fmt.Sprintf("%06d.yaml", i)] = &fstest.MapFile{Data: []byte("a: b")}
	}
	found, err := Look(repository, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"every file after the first 20000 that might say what runs where"}, found.Left)
	repository["prod.yaml"] = &fstest.MapFile{Data: make([]byte, maxFile+1)}
	delete(repository, "000000.yaml")
	delete(repository, "000001.yaml")
	found, err = Look(repository, nil)
	require.NoError(t, err)
	require.Empty(t, found.Left)
}
