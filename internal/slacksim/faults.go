package slacksim

import (
	"slices"
	"sync"
	"time"
)

// Fault is a failure of a request to the Web API, or to a response_url (method "response_url").
type Fault struct {
	Status     int           // the answer, 500 or 429; the request has no effect
	RetryAfter time.Duration // with a 429
	Error      string        // answered as {"ok": false, "error": ...}; the request has no effect
	Times      int           // number of requests; 1 if zero, -1 for all
	Delay      time.Duration // before the request is handled; ended early if the client disconnects
	LoseReply  bool          // the request is executed, and the connection closed without an answer
}

// Faults holds the armed faults. Of several that match, the first one armed is used.
type Faults struct {
	mu    sync.Mutex
	armed []*armed
}

type armed struct {
	method string
	fault  Fault
	done   int
}

// FailNext arms a fault for the next requests to a method; "" means any method.
func (f *Faults) FailNext(method string, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = append(f.armed, &armed{method: method, fault: fault})
}

// Clear removes all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = nil
}

// take finds the fault for a request and counts its use.
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
