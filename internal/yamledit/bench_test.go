package yamledit_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

// BenchmarkSet sets one value in the middle of a file of 10,000 lines, as a file for a large fleet may have.
func BenchmarkSet(b *testing.B) {
	var file strings.Builder
	file.WriteString("services:\n")
	for i := range 2000 {
		fmt.Fprintf(&file, "  - name: service-%d # by hand\n    image:\n      repository: ghcr.io/acme/service-%d\n"+
			"      tag: \"v1.4.%d\"\n    replicas: 3\n", i, i, i)
	}
	content := []byte(file.String())
	set := []keypath.Assignment{{Path: "services[name=service-1000].image.tag", Value: "v2.0.0"}}
	b.SetBytes(int64(len(content)))
	before := used(b)
	for b.Loop() {
		if _, err := yamledit.Set(content, set); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((used(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// used returns the processor time of the process, garbage collection included.
func used(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
