package act

import (
	"context"
	"net/http"
	"time"
)

// PublicURL is where the program would be.
const PublicURL = "http://waybill.invalid"

// Program is the running program, as the actors reach it.
type Program interface {
	Rest()                // runs the program until it is at rest
	Some(steps int)       // runs a number of steps
	Pass(d time.Duration) // lets time pass, and runs the work that becomes due
	Regain()              // lets the program read everything that was out of its reach

	Restart(down time.Duration) // kills the program and starts it again
	DieAfter(looks int)         // kills the program at one of its next reads of the clock
	Freeze(d time.Duration)     // lets time pass while the program stands still
	Miss()                      // makes all waiting webhooks arrive while no process takes them
	WakeAll()                   // makes every worker look for work
	Resync()                    // requests a resync
	Deliveries() *Deliveries

	Replay(pick int) (what string) // posts an earlier signed webhook again under a new id
	Crowd(pick int) (what string)  // has many clients begin requests and not end them, or late

	Context() context.Context // ends when the program dies
	API() http.Handler
}

// Deliveries says how webhooks are disturbed on their way.
type Deliveries struct {
	Lose, Double int
	Late         int // the steps of the schedule in which no webhook arrives; then all that wait arrive together
	Deadly       int // after how many reads of the clock the program dies when they have arrived; 0: it does not
	Shuffled     bool
}
