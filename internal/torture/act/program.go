package act

import (
	"context"
	"net/http"
	"time"
)

// PublicURL is where the program would be.
const PublicURL = "http://waybill.invalid"

// Program is the running program, as those who act meet it.
type Program interface {
	Rest()                // lets it do all that it has to do
	Some(steps int)       // lets it do some of that
	Pass(d time.Duration) // lets time pass, in which it does what becomes due
	Regain()              // lets it find out what it could not look at

	Restart(down time.Duration) // has it die and start again
	DieAfter(looks int)         // has it die at one of its next looks at the clock
	Freeze(d time.Duration)     // lets time pass that it does not notice
	Miss()                      // has all webhooks that are on their way come when nobody takes them
	WakeAll()                   // has every worker look for something to do
	Resync()                    // asks for a resync
	Deliveries() *Deliveries

	Context() context.Context // ends when it dies
	API() http.Handler
}

// Deliveries is what happens to webhooks on their way.
type Deliveries struct {
	Lose, Double int
	Late         int // steps of the schedule in which none arrives
	Shuffled     bool
}
