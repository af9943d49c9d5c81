package gh

import "context"

// Known is the identity of a thing of ours on GitHub: a number in its events, a node in our changes. The zero value is
// not known, or not there.
type Known struct {
	ID   int64
	Node string
}

// Surface is something of ours that shows people where things stand, and that a step of a mutation brings to its state:
// a check run or a deployment.
type Surface interface {
	// name names it, for people who read an error.
	name() string
	// say looks for one that exists already, unless it is known or cannot exist, and returns the next step.
	say(ctx context.Context, c *Client) (saying, error)
}

// saying is a step, and the function of its outcome: the identity of the surface from now on, or that another step is
// needed.
type saying struct {
	step
	heard func(err error) (known Known, again bool, _ error)
}

// Saved is the result for a surface.
type Saved struct {
	Known
	Err error
}

// Save brings surfaces to their states, each for itself: an error of one does not keep the others. It takes one request
// for all of them if nothing has to be looked for.
func (sf Surfaces) Save(ctx context.Context, all ...Surface) []Saved {
	saved := make([]Saved, len(all))
	todo := make([]int, len(all))
	for i := range all {
		todo[i] = i
	}
	for len(todo) > 0 {
		todo = sf.saveStep(ctx, all, todo, saved)
	}
	for i := range saved {
		saved[i].Err = sf.c.wrong(saved[i].Err, "save %s", all[i].name())
	}
	return saved
}

// saveStep carries out the next step of some of the surfaces, and returns those that need another one then.
func (sf Surfaces) saveStep(ctx context.Context, all []Surface, todo []int, saved []Saved) (left []int) {
	var steps []step
	var said []saying
	var whose []int
	for _, i := range todo {
		s, err := all[i].say(ctx, sf.c)
		if err != nil {
			saved[i].Err = err
			continue
		}
		steps, said, whose = append(steps, s.step), append(said, s), append(whose, i)
	}
	if len(steps) == 0 {
		return nil
	}
	for n, err := range sf.c.graph.mutate(ctx, steps) {
		known, again, err := said[n].heard(err)
		saved[whose[n]] = Saved{Known: known, Err: err}
		if again {
			left = append(left, whose[n])
		}
	}
	return left
}
