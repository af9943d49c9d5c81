package story

// form is the notation of one kind of happening: its first word and its slots. Parsing and printing follow the same
// form, so printed happenings parse.
type form struct {
	kind  Kind
	slots []slot
}

// slot is one part of a happening: read parses it, and write returns it with a leading space or colon.
type slot struct {
	read  func(*scanner, *Happening) error
	write func(Happening) string
}

// forms lists every kind of happening. The subject of Merge is a source pull request or a promotion. A Push changes
// files or the branch of a promotion.
var forms = []form{
	{Merge, []slot{subject, by}},
	{Close, []slot{promo, by}},
	{Reopen, []slot{promo, by}},
	{Retarget, []slot{promo, literal("to"), name, by}},
	{Delete, []slot{literal("branch"), literal("of"), promo, by}},
	{Check, []slot{name, result("result of a check", checkResults), at, suite, app}},
	{Status, []slot{name, result("state of a status", statusResults), at}},
	{Deployment, []slot{name, result("state of a deployment", deploymentResults), at}},
	{Workflow, []slot{result("result of a run", runResults), at}},
	{Press, []slot{name, stage, by}},
	{Rerun, []slot{shown, by}},
	{Review, []slot{promo, result("review", []string{"approve", "changes"}), by}},
	{Comment, []slot{pull, by, text}},
	{Slack, []slot{by, text}},
	{Label, []slot{pull, name, by}},
	{Unlabel, []slot{pull, name, by}},
	{Push, []slot{pushed, by}},
	{Edit, []slot{path, name, value, by}},
	{Config, []slot{name, by}},
	{Grant, []slot{login, result("permission", []string{"none", "read", "write", "maintain", "admin"})}},
	{Image, []slot{name}},
	{Release, []slot{name}},
	{Tag, []slot{name}},
	{Report, []slot{name, line}},
	{Target, []slot{target, result("change of a target", []string{"appears", "disappears", "ready", "unready"})}},
	{Wait, []slot{duration}},
	{Resync, nil},
	{Why, []slot{stage, freight}},
	{Guard, []slot{stage, files}},
	{Lose, []slot{literal("webhooks")}},
	{Deliver, []slot{literal("webhooks")}},
	{Redeliver, []slot{count}},
	{Restart, nil},
	{Crash, []slot{result("boundary", []string{"before", "after"}), effect}},
	{GitHub, []slot{literal("fails"), effect, code, times}},
}

var (
	checkResults = []string{"queued", "in_progress", "success", "failure", "neutral", "cancelled", "skipped",
		"timed_out", "action_required", "stale", "startup_failure"}
	statusResults = []string{"pending", "success", "failure", "error"}
	runResults    = []string{"in_progress", "success", "failure", "timed_out", "startup_failure", "cancelled",
		"action_required", "stale", "skipped", "neutral"}
	deploymentResults = []string{"pending", "queued", "in_progress", "success", "failure", "error", "inactive"}
)

// formOf returns the form of a happening.
func formOf(h Happening) (form, bool) {
	for _, f := range forms {
		if f.kind == h.Kind {
			return f, true
		}
	}
	return form{}, false
}

// kinds returns the first words of all happenings.
func kinds() []string {
	words := make([]string, len(forms))
	for i, f := range forms {
		words[i] = string(f.kind)
	}
	return words
}

// happening reads a whole happening, up to the end of the line.
func happening(s *scanner) (Happening, error) {
	kind, err := s.oneOf("happening", kinds())
	if err != nil {
		return Happening{}, err
	}
	h := Happening{Kind: Kind(kind)}
	f, _ := formOf(h)
	for _, slot := range f.slots {
		if err := slot.read(s, &h); err != nil {
			return Happening{}, err
		}
	}
	return h, s.end()
}
