package githubsim

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEveryTraitOfAProfileHasARow: CONFORMANCE.md says where a behaviour is known from, and its test proves it.
func TestEveryTraitOfAProfileHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, a := range areas() {
		for _, row := range a.rows {
			rows[row.does] = true
		}
	}
	has := map[Profile]bool{}
	for _, one := range traits {
		has[one.profile] = true
		require.True(t, rows[one.row], one.row)
		require.Contains(t, Profiles(), one.profile)
	}
	for _, p := range Profiles() {
		require.True(t, has[p], p)
	}
}

// TestEachTraitChangesTheWeather on all days, but for one on some of them; and equal seeds give equal weather.
func TestEachTraitChangesTheWeather(t *testing.T) {
	var onSome []string
	for i, one := range traits {
		changed := 0
		for seed := range uint64(20) {
			var a, b weather
			one.begin(rand.New(rand.NewPCG(seed, uint64(i))), &a)
			one.begin(rand.New(rand.NewPCG(seed, uint64(i))), &b)
			require.Equal(t, described(a), described(b), one.row)
			if described(a) != described(weather{}) {
				changed++
			}
		}
		require.NotZero(t, changed, one.row)
		if changed < 20 {
			onSome = append(onSome, one.row)
		}
	}
	require.Equal(t, []string{"refuses methods that are switched off: 405"}, onSome)
}

// described is a weather as a text.
func described(w weather) string {
	chances := w.chances
	w.chances = nil
	text := fmt.Sprintf("%+v", w)
	for _, c := range chances {
		text += fmt.Sprintf(" %d %+v", c.Of, c.Fault)
	}
	return text
}

// TestALaggingGitHubIsBehindUntilItIsNot: a push is not seen by the next request, mergeability comes later, the answer
// to a merge is late; on a good day it is not so any more.
func TestALaggingGitHubIsBehindUntilItIsNot(t *testing.T) {
	k := newKit(t)
	_, path := k.open("x", "tag: v2\n")
	bot := k.bot()
	k.Behave(1, Lagging)
	bot.send("GET", path, "")
	old := k.Head(k.repo, "x")
	_, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
	require.NoError(t, err)
	_, shown := bot.send("GET", path, "")
	require.Equal(t, old, dig(shown, "head", "sha"))
	k.clock.Advance(time.Minute)
	_, shown = bot.send("GET", path, "")
	require.Nil(t, shown["mergeable"], "though it was asked for a second time")
	bot.send("PUT", path+"/merge", `{}`)
	date, err := http.ParseTime(bot.last.Header.Get("Date"))
	require.NoError(t, err)
	require.True(t, date.After(k.clock.Now()))

	k.Behave(1)
	_, path = k.open("y", "tag: v3\n")
	bot.send("GET", path, "")
	_, shown = bot.send("GET", path, "")
	require.NotNil(t, shown["mergeable"])
}

// TestAStrictGitHubBindsAppsAndNotPeople: a rule refuses an App's merge commit, or the repository does where another
// method is the only one. A person is bound by the second alone; on a good day nobody is.
func TestAStrictGitHubBindsAppsAndNotPeople(t *testing.T) {
	answers := map[string]bool{}
	for seed := range uint64(20) {
		k := newKit(t)
		bot := k.bot()
		k.Behave(seed, Strict)
		number, path := k.open("x", "tag: v2\n")
		_, answer := bot.send("PUT", path+"/merge", `{"merge_method":"merge"}`)
		answers[answer["message"].(string)] = true
		if answer["merged"] == nil {
			_, err := k.MergePull(k.repo, number, "ann", "")
			require.NoError(t, err)
		}
		k.Behave(seed)
		_, path = k.open("z", "tag: v4\n")
		status, _ := bot.send("PUT", path+"/merge", `{"merge_method":"merge"}`)
		require.Equal(t, 200, status)
	}
	require.Equal(t, map[string]bool{
		"Pull Request successfully merged":                                                true,
		"Merge commits are not allowed on this repository.":                               true,
		"Repository rule violations found\n\nThis branch must not contain merge commits.": true,
	}, answers)
}

// TestABadDayTakesEventsAndPermissionsAndGivesThemBack: one or two events, one permission, and no more than that. Who
// wants the rest of the day only keeps all of them.
func TestABadDayTakesEventsAndPermissionsAndGivesThemBack(t *testing.T) {
	k := newKit(t)
	lacks := func() (events, permissions []string) {
		for _, event := range append([]string{"issue_comment", "merge_group"}, late...) {
			if !k.Sends(event) {
				events = append(events, event)
			}
		}
		for name := range k.options.App.Permissions {
			if !k.Grants(name, "read") {
				permissions = append(permissions, name)
			}
		}
		return events, permissions
	}
	var unsent, ungranted []string
	for seed := range uint64(200) {
		k.Behave(seed, Noisy)
		events, permissions := lacks()
		require.Contains(t, []int{1, 2}, len(events))
		require.Empty(t, permissions)
		unsent = append(unsent, events...)
		k.Behave(seed, Strict)
		_, permissions = lacks()
		require.Len(t, permissions, 1)
		ungranted = append(ungranted, permissions...)
		k.Behave(seed, Strict)
		_, again := lacks()
		require.Equal(t, permissions, again)
		k.BehaveGranted(seed, Strict, Noisy)
		events, permissions = lacks()
		require.Empty(t, append(events, permissions...))
	}
	slices.Sort(unsent)
	slices.Sort(ungranted)
	require.Equal(t, late, slices.Compact(unsent))
	require.Equal(t, optional, slices.Compact(ungranted))
	require.True(t, k.Grants("checks", "write"), "at the level that it had")
}

// TestAFailingGitHubFailsNowAndThen: also after the effect. The same seed fails the same requests.
func TestAFailingGitHubFailsNowAndThen(t *testing.T) {
	play := func(seed uint64) (statuses []int, comments int) {
		k := newKit(t)
		number, _ := k.open("x", "tag: v2\n")
		bot := k.bot()
		k.Behave(seed, Failing)
		for i := range 200 {
			k.clock.Advance(time.Minute)
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			status := bot.try(client, "POST", fmt.Sprintf("/repos/acme/app/issues/%d/comments", number),
				fmt.Sprintf(`{"body":"%d"}`, i))
			statuses = append(statuses, status)
		}
		k.Behave(seed)
		return statuses, len(k.Comments(k.repo, number))
	}
	first, comments := play(1)
	again, _ := play(1)
	require.Equal(t, first, again)
	count := map[int]int{}
	for _, status := range first {
		count[status]++
	}
	require.Greater(t, count[201], 100)
	require.NotZero(t, count[502])
	require.NotZero(t, count[0], "no answer came")
	require.Greater(t, comments, count[201], "some had their effect")
	other, _ := play(2)
	require.NotEqual(t, first, other)
}
