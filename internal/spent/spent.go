// Package spent bounds what a call costs, in tests that make up its input. A parser of foreign bytes must not only
// return: what it spends must grow with the bytes, or a small file of a stranger fills the memory or keeps a worker.
package spent

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Bound is what a call may cost.
type Bound struct {
	Base    uint64 // bytes allocated, however small its input is
	PerByte uint64 // bytes allocated for each byte of its input
}

// processor is how much processor time a call may take. It is a hundred times what the slowest takes: the processor may
// be slow, and fuzzing counts each branch. Memory is what tells small costs from large ones.
const processor = 10 * time.Second

// Check calls f, whose input has so many bytes, and fails the test if it costs more. Nothing else may run in the
// process meanwhile, as with a fuzz target.
func (b Bound) Check(t testing.TB, input int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := processorTime(t)
	f()
	took := processorTime(t) - begun
	runtime.ReadMemStats(&after)
	if spent, most := after.TotalAlloc-before.TotalAlloc, b.Base+b.PerByte*uint64(input); spent > most {
		t.Fatalf("%d bytes of input had %d bytes allocated; at most %d may be", input, spent, most)
	}
	if took > processor {
		t.Fatalf("%d bytes of input took %s of processor time", input, took)
	}
}

// processorTime returns the processor time of the process.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
