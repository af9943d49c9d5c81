package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/pgtest"
	"waybill/internal/sandbox"
	"waybill/internal/story"
	"waybill/promotion"
)

const stories = "../../promotion/testdata/stories"

// The seeds of three days. On the first, repositories allow every way to merge, on the second merge commits only, on
// the third squashes only. Every story is played on each of them with all of its webhooks: on the first two by one
// test, and on the third by the one that forgets what is old.
const (
	firstDay uint64 = 1 + iota
	secondDay
	thirdDay
)

// moderately has GitHub behave as on a day that is neither good nor bad: webhooks come in any order and some of them
// twice under new GUIDs, another App leaves suites behind, rules bind Waybill, and ETags depend on the token. The same
// must happen, and at the same time, in every story.
func moderately(seed uint64, w *sandbox.World) *sandbox.World {
	w.Behave(seed, string(githubsim.Strict), string(githubsim.Noisy))
	return w
}

// TestEveryStoryHappensOnTheWholeProgram plays the stories of the core on the whole program with SQLite and the
// simulated GitHub, on two days. It checks every exchange against GitHub's own API description.
func TestEveryStoryHappensOnTheWholeProgram(t *testing.T) {
	eachStory(t, func(t *testing.T, s story.Story) {
		for _, seed := range []uint64{firstDay, secondDay} {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				playsAsWritten(t, s, func(w *sandbox.World) story.World { return moderately(seed, w) })
			})
		}
	})
}

// TestEveryStoryHappensWithoutWebhooks plays them with the webhooks of each happening lost and a resync after it. The
// outcomes must be the same (R1).
func TestEveryStoryHappensWithoutWebhooks(t *testing.T) {
	eachStory(t, func(t *testing.T, s story.Story) {
		for _, step := range s.Steps {
			h := step.Happening
			if h.Kind == story.Lose || h.Kind == story.GitHub && h.Effect == promotion.Observe {
				return // the story loses webhooks, or has GitHub refuse what a resync asks, and shows the effect
			}
		}
		playsAsWritten(t, s, func(w *sandbox.World) story.World {
			return sandbox.Deaf{World: moderately(secondDay, w)}
		})
	})
}

// TestEveryStoryHappensThoughWhatIsOldIsForgotten plays them while unneeded rows older than ten minutes are deleted,
// on the third day. The data that decisions read, and the outcomes, must be the same.
func TestEveryStoryHappensThoughWhatIsOldIsForgotten(t *testing.T) {
	var gone atomic.Int64
	all := eachStory(t, func(t *testing.T, s story.Story) {
		playsAsWritten(t, s, func(w *sandbox.World) story.World {
			return sandbox.Forgetful{World: moderately(thirdDay, w), Memory: 10 * time.Minute, Gone: &gone}
		})
	})
	if all {
		require.Greater(t, gone.Load(), int64(500), "there is something to forget")
	}
}

// eachStory runs a test for each story, and reports whether it was for all: somebody may have asked for some.
func eachStory(t *testing.T, test func(*testing.T, story.Story)) (all bool) {
	t.Helper()
	var played atomic.Int64
	files, err := filepath.Glob(filepath.Join(stories, "*.txtar"))
	require.NoError(t, err)
	t.Run("each", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				played.Add(1)
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				s, err := story.Parse(file, data)
				require.NoError(t, err)
				test(t, s)
			})
		}
	})
	require.NotEmpty(t, files)
	return played.Load() == int64(len(files))
}

// playsAsWritten plays one story in a world and fails with the difference.
func playsAsWritten(t *testing.T, s story.Story, in func(*sandbox.World) story.World) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if os.Getenv("WAYBILL_TEST_LOG") != "" {
		ctx = zerolog.New(zerolog.NewTestWriter(t)).WithContext(ctx)
	}
	report := func(violation error) { t.Error(violation) }
	var world *sandbox.World
	var err error
	if os.Getenv("WAYBILL_TEST_DATABASE") == "postgres" {
		world, err = sandbox.NewQuietWorldOn(ctx, s, pgtest.Database(t), report)
	} else {
		world, err = sandbox.NewQuietWorld(ctx, s, t.TempDir(), report)
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, world.Close()) }()
	played, err := story.Run(ctx, s, in(world))
	require.NoError(t, err)
	if diff := story.Diff(s, played); diff != "" {
		t.Error("\n" + diff)
	}
	require.Empty(t, world.Pending(), "each accident of the story happens")
}
