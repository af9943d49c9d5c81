// Command waybill moves freight through stages by pull requests. See the README.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The first signal asks for an orderly end. Before that begins, the second is one that ends the process.
	signaled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	context.AfterFunc(signaled, func() {
		stop()
		end()
	})
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
