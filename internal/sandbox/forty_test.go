package sandbox

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// numbers matches the counts of a summary: the verified targets, all targets, and those in each other status.
var numbers = regexp.MustCompile(`\((\d+)/(\d+) verified(?:, (\d+) updating)?(?:, (\d+) failed)?(?:, (\d+) ` +
	`waiting)?(?:, (\d+) removed)?(?:, (\d+) to come)?\)`)

// TestTheTallyOfFortyClustersAddsUpAllTheTime plays the long story of rollouts and checks the summary of its freight
// after every happening (semantics 5.8). Two clusters are not ready, one fails, one is removed and one is added in the
// middle, newer freight arrives, and the process restarts twice.
func TestTheTallyOfFortyClustersAddsUpAllTheTime(t *testing.T) {
	t.Parallel()
	const file = "../../promotion/testdata/stories/s5-forty-clusters.txtar"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	long, err := story.Parse(file, text)
	require.NoError(t, err)
	w, err := NewWorld(t.Context(), long, t.TempDir(), func(violation error) { t.Error(violation) })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	s := &site{World: w, t: t, ctx: t.Context()}

	title, tallies := "", map[string]string{} // after which happening
	for _, step := range long.Steps {
		_, err := w.Do(t.Context(), step.Happening)
		require.NoError(t, err, step.Happening)
		if pull, merged := w.github.Pull(home, 1); !merged || pull.MergeSHA == "" {
			continue
		}
		title = s.standing("prod", "api#1")
		n := numbers.FindStringSubmatch(title)
		require.NotNil(t, n, "%s: %s", step.Happening, title)
		require.Equal(t, "40", n[2], title)
		require.Equal(t, 40, added(t, n[1], n[3:]...), "%s: %s", step.Happening, title)
		tallies[step.Happening.String()] = strings.Trim(n[0], "()")
	}
	s.do("wait 10s") // the check run follows a little later
	require.Equal(t, numbers.FindString(title), numbers.FindString(s.run(1, "prod").Title))
	for after, want := range map[string]string{
		"merge #1 by ann":                       "0/40 verified, 2 updating, 38 to come",
		"wait 15m":                              "2/40 verified, 4 updating, 1 waiting, 33 to come",
		"check e2e-eu-7 failure on prod/eu-7":   "7/40 verified, 3 updating, 1 failed, 1 waiting, 28 to come",
		"check e2e-eu-10 success on prod/eu-10": "10/40 verified, 13 updating, 1 failed, 2 waiting, 14 to come",
		"check e2e-us-14 success on prod/us-14": "23/40 verified, 13 updating, 1 failed, 2 waiting, 1 removed",
		"check e2e-ap-8 success on prod/ap-8":   "36/40 verified, 1 failed, 2 waiting, 1 removed",
		"check e2e-eu-7 success on prod/eu-7":   "37/40 verified, 1 updating, 2 to come",
		"check e2e-us-21 success on prod/us-21": "40/40 verified",
	} {
		require.Equal(t, want, tallies[after], after)
	}
	for cluster, tag := range map[string]string{
		"can-1": "2", "can-2": "2", "eu-7": "1", "us-19": "1", "ap-8": "1", "us-20": "none", "us-21": "1", "eu-3": "1",
		"us-9": "1",
	} {
		is, _ := w.github.File(home, "main", "clusters/"+cluster+".yaml")
		require.Equal(t, tag, strings.Trim(strings.TrimPrefix(is, "tag: "), "\"\n"), cluster)
	}
}

// standing returns the status of a freight in a stage, as its check run shows it.
func (s *site) standing(stage promotion.StageName, freight string) (title string) {
	s.t.Helper()
	s.view(func(tx *store.Tx, _ int64) error {
		now, err := s.snapshot(tx, stage, freight)
		if err != nil {
			return err
		}
		for _, f := range now.Freight {
			if f.Name == freight {
				title = say.Title(decide.Why(now, f.ID, tx.Now))
			}
		}
		return nil
	})
	return title
}

func added(t *testing.T, first string, others ...string) (sum int) {
	for _, text := range append(others, first) {
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		sum += n
	}
	return sum
}
