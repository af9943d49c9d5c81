package surface

import (
	"context"
	"strings"

	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// Surface is where people give commands, are answered, and see where things stand.
type Surface interface {
	// Name is the source of the surface's deliveries. Addresses on it begin with the name and a colon; those of the first
	// surface need not.
	Name() string
	// Identify returns what a person has asked for by a delivery, and who they are on GitHub. Deliveries that ask for
	// nothing return nothing.
	Identify(ctx context.Context, d Delivery) (Input, error)
	// Reply answers a command where it was given, and returns how to record that.
	Reply(ctx context.Context, a *Answer) (work.Record, error)
	// Want writes down how everything on the surface should look that shows a stage at rest.
	Want(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error
	// Show brings views to where they are looked at, notes their ids there, and returns the error of each. Views of a kind
	// that is shown together come together.
	Show(ctx context.Context, views []store.View) []error
}

// Delivery is a delivery of the inbox as a surface sees it.
type Delivery struct {
	*store.Delivery
	Told *handlers.Told // by a webhook of GitHub; nil for any other
}

// Input is what a delivery asks for.
type Input struct {
	Requests []Request
	Record   work.Record // what else to write down, after the requests; nil: nothing
	// After is called once all of it has been written down; nil: nothing is. recorded says whether a pipeline is meant by
	// any request. It is not tried again.
	After func(ctx context.Context, recorded bool)
}

// And returns what two events of a delivery ask for.
func (in Input) And(more Input) Input {
	in.Requests = append(in.Requests, more.Requests...)
	if more.Record != nil {
		in.Record = work.InOrder([]work.Record{in.Record, more.Record})
	}
	if more.After != nil {
		in.After = more.After
	}
	return in
}

// InputOf is a delivery that asks for one thing.
func InputOf(r Request) Input { return Input{Requests: []Request{r}} }

// Answer is the answer to a command.
type Answer struct {
	*store.Effect
	Freight promotion.Freight // that the command was about, if any
	Marker  string            // the hidden line by which the answer is found again
	Said    string            // what the answer leaves behind, set by the surface
	// Report returns the answer to a question.
	Report func(ctx context.Context, r promotion.Request) (say.Report, error)
	// Mirror tells on the freight's pull request what was asked for elsewhere and done.
	Mirror func(ctx context.Context, r promotion.Request, where string) error
}

// Surfaces are all surfaces. The first takes the addresses that name none.
type Surfaces []Surface

// From returns the surface whose deliveries come from a source; nil if there is none.
func (all Surfaces) From(source string) Surface {
	for _, s := range all {
		if s.Name() == source {
			return s
		}
	}
	return nil
}

// At returns the surface that an address is on.
func (all Surfaces) At(address string) Surface {
	name, _, _ := strings.Cut(address, ":")
	if s := all.From(name); s != nil {
		return s
	}
	return all[0]
}
