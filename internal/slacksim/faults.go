package slacksim

import (
	"slices"
	"sync"
	"time"
)

// Fault is a failure of a request to the Web API, or to a response_url (method "response_url").
type Fault struct {
	Status     int           // answered instead of doing anything: 500, 429
	RetryAfter time.Duration // with a 429
	Error      string        // answered as {"ok": false, "error": ...}, and nothing is done
	Times      int           // how many requests; 1 if zero, -1 for all
	Delay      time.Duration // before the request is looked at; ended early when the client goes away
	LoseReply  bool          // it is done, and the connection is closed without an answer
}

// Faults holds the armed faults. The first one that matches is taken, in the order they were armed.
type Faults struct {
	mu    sync.Mutex
	armed []*armed
}

type armed struct {
	method string
	fault  Fault
	done   int
}

// FailNext arms a fault for the next requests to a method; "" is any.
func (f *Faults) FailNext(method string, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, &armed{method: method, fault: fault})
}

// Clear disarms everything.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = nil
}

// take finds the fault for a request and uses it up.
func (f *Faults) take(method string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range f.armed {
		if a.method != "" && a.method != method {
			continue
		}
		a.done++
		if a.fault.Times >= 0 && a.done >= max(1, a.fault.Times) {
			f.armed = slices.Delete(f.armed, i, i+1)
		}
		return a.fault
	}
	return Fault{}
}
