package gh

import (
	"fmt"
	"time"
)

// Pace is how much content an installation may create, so that GitHub's brake on it (80 a minute and 500 an hour)
// never has to. Pull requests and comments are content: they notify people.
type Pace struct {
	PerMinute int // 60 if zero
	PerHour   int // 450 if zero
}

// paceCount counts content against a minute and an hour.
type paceCount struct {
	minute, hour span
}

func newPace(p Pace) paceCount {
	if p.PerMinute == 0 {
		p.PerMinute = 60
	}
	if p.PerHour == 0 {
		p.PerHour = 450
	}
	return paceCount{minute: span{length: time.Minute, most: p.PerMinute}, hour: span{length: time.Hour, most: p.PerHour}}
}

// span is a stretch of time and how often something happened in it.
type span struct {
	length time.Duration
	most   int
	begun  time.Time
	count  int
}

// full returns how long until something may happen again; 0 if it may now.
func (s *span) full(now time.Time) time.Duration {
	if now.Sub(s.begun) >= s.length || now.Before(s.begun) {
		s.begun, s.count = now, 0
	}
	if s.count < s.most {
		return 0
	}
	return s.begun.Add(s.length).Sub(now)
}

// create counts one creation of content, or returns a transient error that says when there is room for it.
func (g *gate) create() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if wait := max(g.throttled.Sub(now), g.content.minute.full(now), g.content.hour.full(now)); wait > 0 {
		text := fmt.Sprintf("enough content for now, more in %s", wait.Round(time.Second))
		return &failure{class: ClassThrottled, text: text, after: wait}
	}
	g.content.minute.count++
	g.content.hour.count++
	return nil
}

// throttles is for how long no content is made after GitHub has said that it was made too fast. GitHub does not say how
// long that lasts: some minutes, up to an hour.
var throttles = []time.Duration{2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// throttle stops the creation of content for a while, and returns for how long: the longer, the more often GitHub has
// asked for it in a row. Things that were on their way together and are refused together count once.
func (g *gate) throttle() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if left := g.throttled.Sub(now); left > 0 {
		return left
	}
	if now.Sub(g.throttled) > time.Hour {
		g.throttles = 0
	}
	pause := throttles[min(g.throttles, len(throttles)-1)]
	g.throttles++
	g.throttled = now.Add(pause)
	return pause
}
