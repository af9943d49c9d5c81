package story

import (
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
)

// Kind is the first word of a happening.
type Kind string

// The kinds of happenings, each with the fields that it sets.
const (
	Merge      Kind = "merge"      // Pull or Promotion, By
	Close      Kind = "close"      // Promotion, By
	Reopen     Kind = "reopen"     // Promotion, By
	Retarget   Kind = "retarget"   // Promotion, Name of the branch, By
	Delete     Kind = "delete"     // Promotion, By: its branch
	Check      Kind = "check"      // Name, Result, At, Suite, App
	Status     Kind = "status"     // Name, Result, At
	Deployment Kind = "deployment" // Name, Result, At
	Workflow   Kind = "run"        // Result, At: the workflow that was started for a stage
	Press      Kind = "press"      // Name of the button, Stage, By
	Rerun      Kind = "rerun"      // Stage or Pull, By: of whose check runs
	Review     Kind = "review"     // Promotion, Result "approve" or "changes", By
	Comment    Kind = "comment"    // Pull, By, Text
	Slack      Kind = "slack"      // By, Text
	Label      Kind = "label"      // Pull, Name, By
	Unlabel    Kind = "unlabel"    // Pull, Name, By
	Push       Kind = "push"       // Paths or Promotion, By
	Edit       Kind = "edit"       // Paths with one path, Name of the value, Result: the new value, By
	Config     Kind = "config"     // Name of the archive's file, By
	Grant      Kind = "grant"      // By, Result: a permission
	Image      Kind = "image"      // Name of the image and its commit
	Release    Kind = "release"    // Name of the tag, with or without its warehouse
	Tag        Kind = "tag"        // Name, as for Release
	Report     Kind = "report"     // Name of the warehouse, Text: the version
	Target     Kind = "target"     // Stage, Target, Result
	Wait       Kind = "wait"       // For
	Resync     Kind = "resync"     // nothing
	Why        Kind = "why"        // Stage, Freight
	Guard      Kind = "guard"      // Stage, Paths
	Lose       Kind = "lose"       // webhooks
	Deliver    Kind = "deliver"    // webhooks
	Redeliver  Kind = "redeliver"  // Count
	Restart    Kind = "restart"    // nothing
	Crash      Kind = "crash"      // Result "before" or "after", Effect
	GitHub     Kind = "github"     // fails: Effect, Code, Count
)

// Asks reports whether a happening only asks a question.
func (k Kind) Asks() bool { return k == Why || k == Guard }

// Happening is one event that a story plays. Its Kind decides which fields are set.
type Happening struct {
	Kind      Kind
	Pull      Pull
	Promotion promotion.Number // the story's number; a World gets its own number
	By        promotion.Login
	Name      string
	Result    string
	At        Place
	Suite     string
	App       string
	Stage     promotion.StageName
	Target    string
	Freight   string
	Text      string
	Paths     []string
	For       time.Duration
	Effect    promotion.Verb
	Code      int // of an HTTP answer
	Count     int // 0 if left out
}

// String returns the happening in the notation of stories.
func (h Happening) String() string {
	f, ok := formOf(h)
	if !ok {
		return string(h.Kind)
	}
	var b strings.Builder
	b.WriteString(string(h.Kind))
	for _, s := range f.slots {
		b.WriteString(s.write(h))
	}
	return b.String()
}

// Pull is a source pull request. An empty Repo is the pipeline's home repository.
type Pull struct {
	Repo   promotion.Repo
	Number int
}

// String returns the pull request as people write it, "#142" or "acme/api#142".
func (p Pull) String() string { return string(p.Repo) + "#" + strconv.Itoa(p.Number) }

// Place is the commit that a signal is reported on: the one that a stage verifies now, or a named one.
type Place struct {
	Stage  promotion.StageName // set: the commit that this stage verifies now
	Commit Commit              // used if Stage is empty
	Target string
}

// String returns the place with its preposition, "on dev" or "at m3/eu-1".
func (p Place) String() string {
	where := "at " + p.Commit.String()
	if p.Stage != "" {
		where = "on " + quote(string(p.Stage))
	}
	if p.Target != "" {
		where += "/" + quote(p.Target)
	}
	return where
}

// Commit is the name of a commit in stories: 'm' is the merge commit of a promotion, 'c' that of a source pull request.
type Commit struct {
	Of     byte // 'm' or 'c'
	Number int
}

// String returns the commit, "m3".
func (c Commit) String() string { return string(rune(c.Of)) + strconv.Itoa(c.Number) }
