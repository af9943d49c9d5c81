package env

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// everywhere are labels that Prometheus gives each series.
var everywhere = []string{"job", "instance"}

// measured holds expressions against the metrics that there are.
type measured map[string]Metric

func newMeasured(t *testing.T) measured {
	e, _ := observed(t)
	all := measured{}
	for _, m := range e.Metrics.catalogue.all {
		all[m.Name] = m
		if m.Type == "histogram" {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				all[m.Name+suffix] = m
			}
		}
	}
	return all
}

// labels returns the labels of the series that an expression reads. It fails if it does not parse, reads a series that
// there is not, or asks one for a label that it does not have.
func (all measured) labels(t *testing.T, expression string) (found []string) {
	t.Helper()
	parsed, err := parser.ParseExpr(expression)
	require.NoError(t, err, expression)
	found = append(found, everywhere...)
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		selector, is := n.(*parser.VectorSelector)
		if !is {
			return nil
		}
		m, known := all[selector.Name]
		require.True(t, known, "there is no metric %s: %s", selector.Name, expression)
		has := append(slices.Clone(everywhere), m.Labels...)
		if strings.HasSuffix(selector.Name, "_bucket") {
			has = append(has, "le")
		}
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name != "__name__" {
				require.Contains(t, has, matcher.Name, "%s has no such label: %s", selector.Name, expression)
			}
		}
		found = append(found, has...)
		return nil
	})
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if sum, is := n.(*parser.AggregateExpr); is {
			for _, label := range sum.Grouping {
				require.Subset(t, all.labels(t, sum.Expr.String()), []string{label}, expression)
			}
		}
		return nil
	})
	return found
}

// used matches a label in a text of an alert or a legend.
func used(pattern, text string) (labels []string) {
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		labels = append(labels, found[1])
	}
	return labels
}

func TestEachAlertReadsMetricsThatThereAre(t *testing.T) {
	all := newMeasured(t)
	text, err := os.ReadFile("../../deploy/prometheus/rules.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&file))
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			require.NotEmpty(t, rule.Alert)
			require.False(t, seen[rule.Alert], rule.Alert)
			seen[rule.Alert] = true
			require.Contains(t, []string{"critical", "warning"}, rule.Labels["severity"], rule.Alert)
			has := all.labels(t, rule.Expr)
			if rule.For != "" {
				_, err := time.ParseDuration(rule.For)
				require.NoError(t, err, rule.Alert)
			}
			for _, name := range []string{"summary", "description"} {
				require.NotEmpty(t, rule.Annotations[name], rule.Alert)
				require.Subset(t, has, used(`\$labels\.(\w+)`, rule.Annotations[name]), rule.Alert)
			}
		}
	}
	require.NotEmpty(t, seen)
	for _, name := range used("`([A-Z][a-z]\\w+)`", string(page)) {
		require.True(t, seen[name], "docs/metrics.md names an alert %s", name)
	}
}

func TestEachPanelOfTheDashboardReadsMetricsThatThereAre(t *testing.T) {
	all := newMeasured(t)
	text, err := os.ReadFile("../../deploy/grafana/waybill.json")
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		require.NotEmpty(t, p.Title)
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, taken[at], "%s lies upon another panel", p.Title)
				taken[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		require.NotEmpty(t, p.Description, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$repo", ".*").Replace(target.Expr)
			require.Subset(t, all.labels(t, expr), used(`{{(\w+)}}`, target.LegendFormat), p.Title)
		}
	}
	for _, v := range board.Templating.List {
		if v.Definition != "" {
			found := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(v.Definition)
			require.NotNil(t, found, v.Name)
			require.Contains(t, all[found[1]].Labels, found[2], v.Name)
		}
	}
}
