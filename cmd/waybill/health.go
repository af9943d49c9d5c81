package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthTime is how long a server on this machine may take to say that it is up.
const healthTime = 3 * time.Second

func healthCommand(getenv func(string) string) *cobra.Command {
	var file string
	var ready bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say whether the server on this machine is up, for containers",
		Long: "Asks the server at WAYBILL_LISTEN whether it is up, or with --ready whether it can work. Images have no " +
			"other\nprogram that could. Exits with 0 if so, 1 if it says no, 5 if it does not answer.",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			look, err := lookUp(getenv, file)
			if err != nil {
				return err
			}
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			address := "http://" + reachable(cmp.Or(look("WAYBILL_LISTEN"), usualListen)) + path
			answer, err := (&http.Client{Timeout: healthTime}).Get(address)
			if err != nil {
				return unreachable{err}
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(io.LimitReader(answer.Body, maxToken))
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s: %s", address, answer.Status, strings.TrimSpace(string(text)))
			}
			return nil
		},
	}
	configFlag(cmd, &file)
	cmd.Flags().BoolVar(&ready, "ready", false, "ask whether it can work, not only whether it is up")
	return cmd
}
