// Package record finds out how a GitHub behaves where CONFORMANCE.md says that a behaviour is assumed. It plays small
// scenes against a scratch repository with a test App, keeps each exchange without secrets, and compares the facts with
// those of the simulator. The command in play does that for whoever has an account. It has the build tag record:
// nothing else in this repository reaches a real GitHub.
package record

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Host is a GitHub, with a test App that is installed on a scratch repository there.
type Host struct {
	API, GraphQL string // addresses: https://api.github.com and https://api.github.com/graphql
	AppID        int64
	Key          []byte // of the App, in PEM
	Repo         string // the scratch repository: owner/name
	// Large is a public repository with a long history; empty: the scratch repository.
	Large string
	// Pause is the time between two looks at what takes GitHub a while.
	Pause time.Duration
}

// Recording is what a GitHub did.
type Recording struct {
	API   string
	At    time.Time
	Plays []Played
}

// Played is what a GitHub did in one play. Skipped says why it did not come to its end: the scratch repository lacks
// something, or an answer was not of use.
type Played struct {
	Name      string
	Skipped   string `json:",omitempty"`
	Facts     []Fact
	Exchanges []Exchange
}

// Fact is something that was seen, in words that are the same on each host and at each time if GitHub does the same.
type Fact struct {
	Name, Value string
}

// play is a scene. Rows of CONFORMANCE.md name it.
type play struct {
	name string
	// branch is the prepared branch that it needs; empty: none.
	branch string
	run    func(*player)
}

// plays are in the order in which they are played: those that matter most come first.
var plays = []play{
	{"ref-and-pull", "", playRefAndPull},
	{"queue", "queue", playQueue},
	{"restricted", "restricted", playRestricted},
	{"completed-run", "", playCompletedRun},
	{"signed-commit", "", playSignedCommit},
	{"lag", "", playLag},
	{"counted-history", "", playCountedHistory},
	{"api-version", "", playVersion},
	{"old-head", "", playOldHead},
	{"merge-date", "", playMergeDate},
	{"required-check", "checked", playRequiredCheck},
	{"ruleset", "ruled", playRuleset},
	{"switched-off", "", playSwitchedOff},
	{"narrow-token", "", playNarrowToken},
	{"check-of-nothing", "", playCheckOfNothing},
	{"deliveries", "", playDeliveries},
	{"deployments", "", playDeployments},
	{"no-branch", "", playNoBranch},
	{"no-workflow", "", playNoWorkflow},
	{"objects", "", playObjects},
	{"references", "", playReferences},
}

// Names lists the plays.
func Names() (names []string) {
	for _, one := range plays {
		names = append(names, one.name)
	}
	return names
}

// Record plays everything, or the named plays, against a host. It deletes the branches that it made, and returns what
// it has recorded when the context ends it, too.
func Record(ctx context.Context, host Host, names ...string) (Recording, error) {
	recording := Recording{API: host.API, At: time.Now().UTC()}
	c, err := connect(ctx, host)
	if err != nil {
		return recording, err
	}
	for _, one := range plays {
		if len(names) > 0 && !slices.Contains(names, one.name) {
			continue
		}
		p := &player{client: c, ctx: ctx, name: one.name}
		p.begin(one.branch)
		if p.err == nil && p.played.Skipped == "" {
			one.run(p)
		}
		p.finish()
		if p.err != nil {
			p.played.Skipped = clean(p.err.Error())
		}
		recording.Plays = append(recording.Plays, p.played)
		if err := ctx.Err(); err != nil {
			return recording, err
		}
	}
	return recording, nil
}

// Differences says what a host did otherwise than the simulator, a line for each fact. It names plays that were skipped
// on one of them.
func Differences(host, simulator Recording) (lines []string) {
	for _, ours := range simulator.Plays {
		i := slices.IndexFunc(host.Plays, func(p Played) bool { return p.Name == ours.Name })
		if i < 0 {
			continue
		}
		theirs := host.Plays[i]
		switch {
		case theirs.Skipped != "" || ours.Skipped != "":
			lines = append(lines, fmt.Sprintf("%s: not played: %s%s", ours.Name, theirs.Skipped, ours.Skipped))
			continue
		case len(theirs.Facts) != len(ours.Facts):
			lines = append(lines, fmt.Sprintf("%s: %d facts instead of %d", ours.Name, len(theirs.Facts), len(ours.Facts)))
		}
		for _, fact := range ours.Facts {
			if j := slices.IndexFunc(theirs.Facts, func(f Fact) bool { return f.Name == fact.Name }); j < 0 {
				lines = append(lines, fmt.Sprintf("%s: %s: not seen; the simulator: %s", ours.Name, fact.Name, fact.Value))
			} else if there := theirs.Facts[j].Value; there != fact.Value {
				lines = append(lines, fmt.Sprintf("%s: %s: %s; the simulator: %s", ours.Name, fact.Name, there, fact.Value))
			}
		}
	}
	return lines
}
