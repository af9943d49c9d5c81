package sandbox

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkManyPipelines has a server serve a thousand repositories, each with a pipeline of five stages, and of
// twenty. It measures how long the server takes to learn them all and what that costs. Then the server is started
// again; when it has nothing left to decide, and while nothing happens, its memory is measured, and how busy it is.
func BenchmarkManyPipelines(b *testing.B) {
	accounts, repos, length := 10, 100, time.Minute
	if testing.Short() {
		accounts, repos, length = 2, 5, 2*time.Second
	}
	const learned = `SELECT COUNT(*) FROM clocks WHERE name = 'resync' AND done_at > 0`
	const undecided = `SELECT COUNT(*) FROM stages JOIN pipelines ON pipelines.id = stages.pipeline
		WHERE version > decided OR unswept OR stale_since IS NOT NULL`
	for _, size := range []struct {
		name            string
		accounts, repos int
		files           map[string]string
	}{
		{"5 stages", accounts, repos, map[string]string{".github/waybill.yml": chainOf(5)}},
		{"20 stages", accounts, repos, map[string]string{".github/waybill.yml": chainOf(20)}},
		{"5000 stages of one repository", 1, 1, partsOf(10*repos/100, 100)},
	} {
		b.Run(size.name, func(b *testing.B) {
			c := newCost(b)
			pipelines := len(c.installEach(size.accounts, size.repos, size.files)) + 1
			for b.Loop() {
				v := newVictim(b, c.github)
				began := time.Now()
				v.start()
				c.within(10*time.Minute, func() bool {
					return v.ready() && v.count(learned) == pipelines && v.count(undecided) == 0
				}, "all pipelines are known, and every stage is decided")
				took, used := time.Since(began), processorTime(b, v.pid())
				v.kill()
				began = time.Now()
				v.start()
				c.until(v.ready, "the server is ready")
				ready := time.Since(began)
				c.within(10*time.Minute, func() bool { return v.count(undecided) == 0 }, "nothing is left to be decided")
				decided := time.Since(began)
				time.Sleep(min(length, 10*time.Second)) // what it leaves behind
				idle, since := processorTime(b, v.pid()), time.Now()
				time.Sleep(length)
				b.ReportMetric(100*(processorTime(b, v.pid())-idle).Seconds()/time.Since(since).Seconds(), "%-of-a-core")
				b.ReportMetric(took.Seconds(), "s-to-learn")
				b.ReportMetric(used.Seconds()*1000/float64(pipelines), "ms-of-processor/pipeline")
				b.ReportMetric(ready.Seconds()*1000, "ms-until-ready")
				b.ReportMetric(decided.Seconds(), "s-until-decided")
				b.ReportMetric(megabytes(b, v.pid(), "RssAnon"), "MB-anonymous")
				b.ReportMetric(megabytes(b, v.pid(), "VmRSS"), "MB-resident")
				b.ReportMetric(float64(v.count(`SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`))/1e6,
					"MB-database")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// chainOf is a pipeline of so many stages, one after the other.
func chainOf(stages int) string {
	var text strings.Builder
	text.WriteString("version: 1\nwarehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\nstages:\n")
	for i := range stages {
		after := ""
		if i > 0 {
			after = fmt.Sprintf("after: s%d, ", i-1)
		}
		fmt.Fprintf(&text, "  s%d: {from: api, %sset: {dev.yaml: {s%d: \"${api.short}\"}}, verify: [smoke]}\n", i, after, i)
	}
	return text.String()
}

// partsOf are so many pipeline files, each of so many services with five stages.
func partsOf(parts, services int) map[string]string {
	part := `for-each: {service: [%s]}
version: 1
warehouses:
  "${service}": {pull-requests: {branch: main, paths: ["src/${service}/**"]}}
stages:
`
	before := ""
	for _, stage := range []string{"dev", "test", "qa", "eu", "us"} {
		part += `  "${service}-` + stage + `":
    from: "${service}"` + before + `
    set: {dev.yaml: {"${service}-` + stage + `": "${${service}.short}"}}
    verify: [smoke]
`
		before = "\n    after: \"${service}-" + stage + "\""
	}
	files := map[string]string{}
	for p := range max(parts, 1) {
		var names []string
		for s := range services {
			names = append(names, fmt.Sprintf("s%d-%d", p, s))
		}
		files[fmt.Sprintf(".github/waybill/team%d.yml", p)] = fmt.Sprintf(part, strings.Join(names, ", "))
	}
	return files
}

// megabytes reads a number from the status of a process.
func megabytes(b *testing.B, pid, name string) float64 {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	require.NoError(b, err)
	_, rest, found := strings.Cut(string(text), name+":")
	require.True(b, found, name)
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(b, err)
	return float64(kilobytes) * 1024 / 1e6
}

// installEach creates so many organizations, each with so many repositories, and returns all repositories.
func (c *cost) installEach(owners, repos int, pipeline map[string]string) (all []string) {
	for i := range owners {
		for n := range repos {
			all = append(all, fmt.Sprintf("org%d/deploy%d", i, n))
		}
		c.install(fmt.Sprint("org", i), all[len(all)-repos:], pipeline)
	}
	return all
}

// install creates an organization with repositories, each with a pipeline, and the App.
func (c *cost) install(owner string, repos []string, pipeline map[string]string) {
	require.NoError(c.b, c.github.CreateOrg(owner))
	files := maps.Clone(pipeline)
	files[".github/waybill.policy.yml"], files["dev.yaml"] = "version: 1\nautomatic: [\"*\"]\n", "tag: none\n"
	for _, repo := range repos {
		require.NoError(c.b, c.github.CreateRepo(repo, files))
		require.NoError(c.b, c.github.SetPermission(repo, "ann", "write"))
	}
	_, err := c.github.InstallApp(owner, repos...)
	require.NoError(c.b, err)
}
