// Command play plays the scenes of the walks in docs/architecture.md on the whole program, and records which code each
// scene enters. The test of internal/walk builds it with -cover and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"

	"waybill/internal/sandbox"
	"waybill/internal/story"
)

const pipeline = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke], merge: manual}
`

// scenes are played in this order, each until the program is idle. A scene without a name is not recorded.
var scenes = []struct {
	name       string
	happenings []string
}{
	{"", []string{"comment #141 by ann: /hold dev --for 1h"}},
	// Webhooks arrive, the stage is decided when the hold ends, and there is no freight.
	{"usual",
		[]string{"comment #142 by ann: Nice.", "push README.md by ann", "edit dev.yaml tag hotfix by ann", "wait 24h"}},
	{"merge", []string{"merge #142 by ann"}},
	{"", []string{"merge p1 by bob", "wait 1m"}},
	{"check", []string{"check smoke success on dev"}},
	{"", []string{"wait 1m"}},
	{"command", []string{"comment #142 by ann: /hold dev"}},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: play <directory>")
		os.Exit(2)
	}
	if err := play(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play plays the scenes, and writes the coverage of each to the directory of its name below dir.
func play(ctx context.Context, dir string) (err error) {
	s, err := story.Parse("walk", []byte("-- .github/waybill.yml --\n"+pipeline+"-- story --\n"))
	if err != nil {
		return err
	}
	world, err := sandbox.NewWorld(ctx, s, dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	for _, scene := range scenes {
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		for _, h := range scene.happenings {
			if err := happen(ctx, world, h); err != nil {
				return fmt.Errorf("%s: %w", h, err)
			}
		}
		if scene.name == "" {
			continue
		}
		if err := write(filepath.Join(dir, scene.name)); err != nil {
			return err
		}
	}
	return nil
}

// happen plays one happening in the notation of stories, runs the program until it is idle, and prints its words.
func happen(ctx context.Context, world story.World, happening string) error {
	s, err := story.Parse("walk", []byte("-- story --\n> "+happening+"\n"))
	if err != nil {
		return err
	}
	lines, err := world.Do(ctx, s.Steps[0].Happening)
	if err != nil {
		return err
	}
	fmt.Println(">", happening)
	for _, line := range lines {
		fmt.Println(" ", line.Act.Word)
	}
	return nil
}

// write writes the coverage since the counters were cleared.
func write(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(coverage.WriteMetaDir(dir), coverage.WriteCountersDir(dir))
}
