package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPatienceIsOverWhenGitHubHasRefusedForItsLength and the last try has ended.
func TestPatienceIsOverWhenGitHubHasRefusedForItsLength(t *testing.T) {
	noon := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	patience := Patience(30 * time.Minute)
	r, spent := patience.After(Rejection{}, "no", time.Time{}, noon, 20*time.Minute)
	require.False(t, spent)
	require.Equal(t, Rejection{
		Words: "no", Since: noon, Again: noon.Add(20 * time.Minute), Until: noon.Add(30 * time.Minute),
	}, r)
	r, spent = patience.After(r, "still no", r.Again, r.Again, 20*time.Minute)
	require.False(t, spent)
	require.Equal(t, noon.Add(30*time.Minute), r.Again, "there is one more try at the end")
	require.Equal(t, "still no", r.Words)
	require.Equal(t, noon, r.Since)
	_, spent = patience.After(r, "no", r.Again, r.Again, 20*time.Minute)
	require.True(t, spent)
}

// TestTimeInWhichNobodyTriedDoesNotCount: the server was stopped, or the stage was held.
func TestTimeInWhichNobodyTriedDoesNotCount(t *testing.T) {
	noon := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	patience := Patience(30 * time.Minute)
	r, _ := patience.After(Rejection{}, "no", time.Time{}, noon, time.Minute)
	r, spent := patience.After(r, "no", r.Again, r.Again.Add(3*time.Hour), time.Minute)
	require.False(t, spent)
	require.Equal(t, noon.Add(3*time.Hour+30*time.Minute), r.Until)
	early, _ := patience.After(r, "no", r.Again, r.Again.Add(-time.Hour), time.Minute)
	require.Equal(t, r.Until, early.Until, "a clock that was set back takes nothing away")
}

// TestWhatIsWantedUntilThereIsAnAnswerIsNeverGivenUp, however long GitHub refuses the effect.
func TestWhatIsWantedUntilThereIsAnAnswerIsNeverGivenUp(t *testing.T) {
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for _, kind := range EffectKinds() {
		var r Rejection
		spent := false
		for range 100 {
			r, spent = Patience(30*time.Minute).With(Effect{Verb: kind.Verb}).After(r, "no", at, at, time.Hour)
			at = r.Again
			if spent {
				break
			}
		}
		require.Equal(t, kind.Traits&Repeated == 0, spent, kind.Verb)
	}
}

// TestAPersonDoesNotWaitForEver for what GitHub refuses to tell.
func TestAPersonDoesNotWaitForEver(t *testing.T) {
	require.Equal(t, Patience(time.Hour), Patience(time.Hour).With(Effect{Verb: Observe, Request: 7}))
}
