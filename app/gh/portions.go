package gh

import (
	"context"
	"strings"
	"sync"
	"time"
)

// portionsLast is how long GitHub is asked for smaller portions after it could not answer larger ones. Then they grow
// again, to twice the size.
const portionsLast = time.Hour

// portions remembers, for each query and owner, how many things one document may ask about. GitHub limits what a
// document may cost without saying by how much, and that depends on the repository and on GitHub's day.
type portions struct {
	mu    sync.Mutex
	small map[string]portion // those that are smaller than usual
}

type portion struct {
	size  int
	since time.Time
}

// size returns how many things a document may ask about, of the most that it usually asks about.
func (p *portions) size(name string, most int, now time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	small, known := p.small[name]
	if !known {
		return most
	}
	for small.size < most && now.Sub(small.since) >= portionsLast {
		small = portion{size: 2 * small.size, since: small.since.Add(portionsLast)}
		p.small[name] = small
	}
	if small.size >= most {
		delete(p.small, name)
	}
	return min(small.size, most)
}

// tooLarge remembers that a document asked about too many things. What asked for less meanwhile is not forgotten.
func (p *portions) tooLarge(name string, size int, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if small, known := p.small[name]; known && small.size <= size/2 {
		return
	}
	if p.small == nil {
		p.small = map[string]portion{}
	}
	p.small[name] = portion{size: max(1, size/2), since: now}
}

// inPortions asks about things, as many at a time as GitHub answers: a portion that is too much at once, or takes
// GitHub too long, is halved. If one thing alone is too much, that is a refusal. It asks once if there is nothing to
// ask about.
func inPortions[T any](
	ctx context.Context, c *Client, query string, most int, things []T, ask func(some []T) error,
) error {
	name := strings.ToLower(c.owner) + " " + query
	for first := true; first || len(things) > 0; first = false {
		size := min(len(things), c.hub.portions.size(name, most, c.hub.config.Clock()))
		err := ask(things[:size])
		for size > 1 && isTooLarge(err) && ctx.Err() == nil {
			c.hub.portions.tooLarge(name, size, c.hub.config.Clock())
			size /= 2
			err = ask(things[:size])
		}
		if err != nil {
			return asRefusal(err)
		}
		things = things[size:]
	}
	return nil
}

// isTooLarge reports whether a smaller document may be answered.
func isTooLarge(err error) bool {
	class := ClassOf(err)
	return class == ClassTooMuch || class == ClassSlow
}

// asRefusal is the error of a document that cannot be made smaller.
func asRefusal(err error) error {
	if f := failureOf(err); f != nil && f.class == ClassTooMuch {
		return &failure{class: ClassPassing, text: f.text, cause: f.cause}
	}
	return err
}
