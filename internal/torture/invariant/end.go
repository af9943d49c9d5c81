package invariant

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// returnRules must hold when the App has its access again and nothing else is missing.
var returnRules = []rule[knows]{
	{"all freight comes from acts of people and CI, and has the commit that its name meant first", isBroughtAbout},
	{"every source event is freight once and in its order", isFreight},
	{"nothing waits for a permission that the App has", waitsForNoPermission},
}

// endRules must hold when every fault has been repaired and one last piece of freight of each warehouse has been
// promoted.
var endRules = []rule[knows]{
	{"nothing is open, owed or unhandled, and every deployment has ended", hasEnded},
	{"every stage has the last freight of each warehouse in every target", isEverywhere},
	{"all freight comes from acts of people and CI, and has the commit that its name meant first", isBroughtAbout},
	{"every source event is freight once and in its order", isFreight},
	{"the targets that a glob has found are those in the commit in which Waybill looked", findsAll},
	{"no acknowledged delivery is lost before its retention ends", keepsDeliveries},
	{"a command is obeyed once", obeysOnce},
	{"no check of a guarded stage waits, except that of a stranger for limits", releasesProposals},
	{"whoever may write has passed each guard", lets},
	{"no job waits", answersJobs},
}

// waitsForNoPermission checks that nothing waits for a permission when the App has all of them.
func waitsForNoPermission(l *ledger.Ledger, _ knows) string {
	if len(l.Gaps.Denied) > 0 {
		return ""
	}
	return l.DB.Text(`SELECT key || ' ' || error FROM effects WHERE run_at IS NOT NULL AND error LIKE ?1
		UNION ALL SELECT surface || ' ' || error FROM views WHERE run_at IS NOT NULL AND error LIKE ?1
		UNION ALL SELECT id || ' ' || error FROM deliveries WHERE state = 'waiting' AND error LIKE ?1`,
		"%"+ledger.NotGranted+"%")
}

func hasEnded(l *ledger.Ledger, _ knows) string {
	if left := l.DB.Texts(`SELECT number || ' ' || stage || ' ' || freight_name || ' ' || state || ' ' || reason
		FROM promotions WHERE ended_at IS NULL`); len(left) > 0 {
		return fmt.Sprintf("open: %v", left)
	}
	if left := l.DB.Texts(`SELECT key || ' ' || error FROM effects WHERE run_at IS NOT NULL`); len(left) > 0 {
		return fmt.Sprintf("owed: %v", left)
	}
	// Deliveries that the App had no access for are parked, or retried hours later.
	if left := l.DB.Texts(`SELECT id || ' ' || error FROM deliveries WHERE state <> 'handled'
		AND NOT (? AND (state = 'parked' OR run_at > ?))`, l.Gaps.Parted, l.Clock.Now().UnixMicro()); len(left) > 0 {
		return fmt.Sprintf("not handled: %v", left)
	}
	for _, p := range l.Remote.Ours("open") {
		return fmt.Sprintf("#%d is open", p.Number)
	}
	for _, d := range l.Remote.Deployments() {
		ended := slices.Contains([]string{"success", "failure", "inactive"}, d.State)
		if d.Creator == "waybill[bot]" && !ended && !l.Gaps.Lost {
			return fmt.Sprintf("deployment %s in %s is %q", d.Description, d.Environment, d.State)
		}
	}
	return ""
}

// isEverywhere checks that every stage has the last freight of each of its warehouses.
func isEverywhere(l *ledger.Ledger, _ knows) string {
	for _, s := range l.Checkout.Pipeline.Stages {
		for _, warehouse := range s.From {
			if wrong := lacks(l, s, warehouse); wrong != "" && !s.Passes {
				return wrong
			}
		}
	}
	return ""
}

// lacks returns how a stage lacks the last freight of a warehouse, or "" if it has it.
func lacks(l *ledger.Ledger, s shape.Stage, warehouse string) string {
	all := l.Sources.InOrder(warehouse)
	last := all[len(all)-1]
	switch {
	case s.Starts:
		runs := l.Remote.Runs("waybill/" + s.Name + "/")
		if len(runs) == 0 || runs[len(runs)-1].Conclusion != "success" ||
			!strings.Contains(runs[len(runs)-1].Title, " "+last.Value()+" ") {
			return fmt.Sprintf("%s has run %v, and not for %s", s.Name, runs, last.Value())
		}
	case s.Whole:
		is, want := l.Remote.Contents(s.At().Repo, s.At().Branch), l.Remote.Contents(last.Repo, last.SHA)
		for path := range union(is, want) {
			if is[path] != want[path] {
				return fmt.Sprintf("%s: %s is %q, and not %q", s.At().Branch, path, is[path], want[path])
			}
		}
	}
	for _, path := range s.Files() {
		text, _ := l.Checkout.ContentOf(path)
		if is, _ := s.Form.Says(text, warehouse); is != s.Form.Writes(last.Value()) {
			return fmt.Sprintf("%s does not have %s (%.7s):\n%s", path, last.Name(warehouse), last.SHA, text)
		}
	}
	return ""
}

// rows lists the freight of a warehouse in the database, each with its commit, oldest first.
func rows(l *ledger.Ledger, warehouse string) []string {
	return l.DB.Texts(`SELECT name || ' ' || sha FROM freight WHERE warehouse = ? ORDER BY merged_at, number`, warehouse)
}

// isBroughtAbout checks that each piece of freight comes from an act of people or CI, and has the commit that its name
// meant first.
func isBroughtAbout(l *ledger.Ledger, _ knows) string {
	for _, warehouse := range l.Checkout.Pipeline.Warehouses {
		may := map[string]string{}
		for _, s := range l.Sources.InOrder(warehouse) {
			may[s.Name(warehouse)] = s.SHA
		}
		for _, row := range rows(l, warehouse) {
			name, sha, _ := strings.Cut(row, " ")
			if first, is := may[name]; !is || first != sha {
				return fmt.Sprintf("%s in %s", row, warehouse)
			}
		}
	}
	return ""
}

// isFreight checks that each source is freight once and in its order.
func isFreight(l *ledger.Ledger, _ knows) string {
	for _, warehouse := range l.Checkout.Pipeline.Warehouses {
		doubtful, want := map[string]bool{}, []string{}
		for _, s := range l.Sources.InOrder(warehouse) {
			if doubtful[s.Name(warehouse)] = s.Doubtful; !s.Doubtful {
				want = append(want, s.Name(warehouse)+" "+s.SHA)
			}
		}
		are := slices.DeleteFunc(rows(l, warehouse), func(row string) bool {
			name, _, _ := strings.Cut(row, " ")
			return doubtful[name]
		})
		if !slices.Equal(are, want) {
			return fmt.Sprintf("%s has\n%s\ninstead of\n%s", warehouse, strings.Join(are, "\n"), strings.Join(want, "\n"))
		}
	}
	return ""
}

// obeysOnce checks that each command over the API or in Slack was carried out once in each stage that it names.
func obeysOnce(l *ledger.Ledger, _ knows) string {
	return l.DB.Text(`SELECT surface FROM requests WHERE surface LIKE 'api:%' OR surface LIKE 'slack:%/%/%/_%'
		GROUP BY surface, pipeline, stage HAVING COUNT(*) > 1`)
}

// answersJobs checks that no job waits. It applies only if the program can have received the webhooks of all jobs.
func answersJobs(l *ledger.Ledger, _ knows) string {
	if l.Gaps.Forgot || l.Gaps.Unasked {
		return ""
	}
	for _, d := range l.Jobs.Deploying {
		if b := l.GitHub.DeploymentRule(d.Repo, d.Run, d.Environment); b.State == "" {
			return fmt.Sprintf("run %d before %s: %v", d.Run, d.Environment, b.Reports)
		}
	}
	return ""
}
