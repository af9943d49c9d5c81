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

// Surface is a place where people give commands, get answers, and see the state of their freight.
type Surface interface {
	// Name returns the source of the surface's deliveries. Addresses on it begin with the name and a colon; addresses on
	// the first surface need not.
	Name() string
	// Identify returns the requests of a delivery, with the person's account on GitHub. A delivery without commands has
	// none.
	Identify(ctx context.Context, d Delivery) (Input, error)
	// Reply answers a command where it was given, and returns the record of that.
	Reply(ctx context.Context, a *Answer) (work.Record, error)
	// Want writes down the views of a stage at rest, for Show.
	Want(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error
	// Show brings views to the surface, sets their ids there, and returns the error of each. Views of a kind that is shown
	// together come together.
	Show(ctx context.Context, views []store.View) []error
}

// Delivery is a delivery of the inbox as a surface sees it.
type Delivery struct {
	*store.Delivery
	Told *handlers.Told // the events of a webhook of GitHub; nil for any other delivery
}

// Input is the requests of a delivery.
type Input struct {
	Requests []Request
	Record   work.Record // written after the requests; nil: nothing more is
	// After is called once all of it has been written down; nil: nothing is. recorded says whether at least one request
	// belongs to a pipeline. After is not called again if it fails.
	After func(ctx context.Context, recorded bool)
}

// And returns the input of two events of one delivery.
func (in Input) And(more Input) Input {
	in.Requests = append(in.Requests, more.Requests...)
	if more.Record != nil {
		in.Record = work.InOrder([]work.Record{in.Record, more.Record})
	}
	if first := in.After; first == nil {
		in.After = more.After
	} else if more.After != nil {
		in.After = func(ctx context.Context, recorded bool) {
			first(ctx, recorded)
			more.After(ctx, recorded)
		}
	}
	return in
}

// InputOf returns the input of a delivery with one request.
func InputOf(r Request) Input { return Input{Requests: []Request{r}} }

// Answer is the answer to a command.
type Answer struct {
	*store.Effect
	Freight promotion.Freight // of the command, if it has any
	Marker  string            // the hidden line by which the surface finds its answer again
	Said    string            // set by the surface: text that is stored with the effect
	// Report returns the answer to a command that was carried out, or that several stages have answered.
	Report func(ctx context.Context, r promotion.Request) (say.Report, error)
	// Refusal returns the answer to a command that was not carried out, or had nothing to do.
	Refusal func(r promotion.Request) say.Refusal
	// Mirror comments on the freight's pull request, if the command was given elsewhere and carried out. An error may
	// pass: what GitHub refuses for good is logged, and who asked is answered all the same.
	Mirror func(ctx context.Context, r promotion.Request, where string) error
}

// Reports reports whether the answer to a command is its Report, and not its Refusal.
func (a *Answer) Reports(r promotion.Request) bool {
	return a.Outcome == string(promotion.Done) || r.Together != 0
}

// Surfaces are all surfaces. Addresses without a surface's name belong to the first.
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

// At returns the surface of an address.
func (all Surfaces) At(address string) Surface {
	name, _, _ := strings.Cut(address, ":")
	if s := all.From(name); s != nil {
		return s
	}
	return all[0]
}
