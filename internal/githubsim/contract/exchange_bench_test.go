package contract

import (
	"net/http"
	"testing"
)

func BenchmarkCheckPull(b *testing.B) {
	c, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	pull, err := c.Fill("GET", "/repos/acme/api/pulls/7", 200, nil)
	if err != nil {
		b.Fatal(err)
	}
	x := Exchange{
		Request: request(getPull, ""),
		Status:  200,
		Header:  http.Header{"Content-Type": {"application/json"}},
		Body:    encode(b, pull),
	}
	for b.Loop() {
		if err := c.CheckExchange(x); err != nil {
			b.Fatal(err)
		}
	}
}
