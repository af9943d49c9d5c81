package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// chromium starts a browser for a test, with cookies of its own. Without an installed one the test is skipped, or fails
// if the environment has CI.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	// The sandbox of Chromium needs rights that a container does not give.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// tab is the window of a browser.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	troubles []string // errors of scripts and violations of the pages' policy, as the browser reports them
}

// tabOf opens a window in which somebody has signed in.
func (s *site) tabOf(login, permission string) *tab {
	s.t.Helper()
	b := &tab{t: s.t, ctx: chromium(s.t)}
	s.signedIn(login, permission)
	chromedp.ListenTarget(b.ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *log.EventEntryAdded:
			b.troubles = append(b.troubles, e.Entry.Text+" "+e.Entry.URL)
		case *runtime.EventExceptionThrown:
			b.troubles = append(b.troubles, e.ExceptionDetails.Error())
		}
	})
	b.do(log.Enable(), chromedp.EmulateViewport(1400, 900), chromedp.Navigate(s.program.url+api.SignInPath+"?back=/"))
	return b
}

// do carries out steps in the browser.
func (b *tab) do(steps ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, steps...))
}

// sees waits until the page, or the one that comes next, has a text.
func (b *tab) sees(text string) {
	b.t.Helper()
	var shown string
	require.Eventually(b.t, func() bool {
		err := chromedp.Run(b.ctx, chromedp.Evaluate("document.body.innerText", &shown)) // not between two pages
		return err == nil && strings.Contains(shown, text)
	}, 20*time.Second, 50*time.Millisecond, "%s is not seen", text)
}

// press presses the link or button with a text.
func (b *tab) press(text string) {
	b.t.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`//main//*[self::a or self::button][contains(., %q)]`, text), chromedp.BySearch))
}

// barriers are what axe-core finds on the page that keeps people with disabilities from using it.
func (b *tab) barriers() (found []string) {
	b.t.Helper()
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	require.NoError(b.t, err)
	b.do(chromedp.Evaluate(string(axe)+";0", nil), chromedp.Evaluate(
		`axe.run().then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html + " " + n.failureSummary)))`,
		&found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return found
}

// TestTwoPeopleDriveAPipelineInTheirBrowsers has one person act and another one see it, without loading the page again.
func TestTwoPeopleDriveAPipelineInTheirBrowsers(t *testing.T) {
	s := newSite(t, prodByHand)
	bob := s.tabOf("bob", "read")
	bob.sees("Stages")
	s.do("merge #1 by ann")
	bob.sees("verifying")
	var paths int
	bob.do(chromedp.Evaluate(`document.querySelectorAll("#arrows path").length`, &paths))
	require.Equal(t, 1, paths, "an arrow from dev to prod")
	s.do("check smoke success on dev")
	bob.sees("Waiting for people")

	ann := s.tabOf("ann", "write")
	ann.sees("Waiting for people")
	ann.press("/promote prod api#1")
	ann.sees("prod.yaml")
	ann.press("Give the command as ann")
	ann.sees("done")
	s.quiet()
	bob.sees("prod\n◔ not verified yet")
	s.do("check smoke success on prod")
	bob.sees("prod\n✓ verified")

	ann.press("Back")
	ann.press("Hold")
	ann.press("Give the command as ann")
	ann.sees("done")
	s.quiet()
	bob.sees("prod\n⏸ held")

	bob.do(chromedp.Click(`//a[text()="prod"]`, chromedp.BySearch))
	bob.press("Lift the hold")
	bob.press("Give the command as bob")
	bob.sees("refused")
	bob.do(chromedp.SendKeys("#q", "p2\r"))
	bob.sees("Promote api#1 to prod")
	bob.do(chromedp.Click(`//button[text()="Sign out"]`, chromedp.BySearch))
	bob.sees("You are not signed in")
	require.Empty(t, ann.troubles)
	require.Len(t, bob.troubles, 1, "the page that he may not see any more: %s", bob.troubles)
}

// areForEverybody looks at pages with axe-core in light and dark, wide and on a phone.
func (b *tab) areForEverybody(addresses ...string) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1400, 375} {
			b.do(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures(
				[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			for _, address := range addresses {
				var wide int64
				b.do(chromedp.Navigate(address), chromedp.Evaluate("document.documentElement.scrollWidth", &wide))
				require.LessOrEqual(b.t, wide, width, "%s scrolls sideways", address)
				require.Empty(b.t, b.barriers(), "%s, %s, %d wide", address, scheme, width)
			}
		}
	}
}

// TestThePageThatLinksSlackIsForEverybody opens it before the person has said a word.
func TestThePageThatLinksSlackIsForEverybody(t *testing.T) {
	o := newOffice(t, told)
	o.do("merge #1 by ann")
	b := o.tabOf("ann", "write")
	b.areForEverybody(o.says(o.ann, "link").Buttons()[0].URL)
	b.sees("Link Slack and GitHub?")
	b.do(chromedp.Click(`//button[contains(., "link us")]`, chromedp.BySearch))
	b.sees("Linked")
	require.Empty(t, b.barriers())
}

// TestThePagesAreForEverybody looks at each page of a pipeline.
func TestThePagesAreForEverybody(t *testing.T) {
	s := newSite(t, prodByHand)
	s.do("merge #1 by ann", "check smoke success on dev", "comment #1 by ann: /promote prod",
		"check smoke failure on prod", "merge #2 by ann", "comment #1 by ann: /hold dev the database is slow")
	b := s.tabOf("ann", "write")
	var addresses []string
	for _, path := range append(pagesOfSite, boardPath+"/stages/nowhere") {
		addresses = append(addresses, s.program.url+path)
	}
	b.areForEverybody(addresses...)
	for _, trouble := range b.troubles {
		require.True(t, strings.Contains(trouble, "404") && strings.Contains(trouble, "nowhere"), trouble)
	}
}
