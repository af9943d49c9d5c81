package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"

	"github.com/joho/godotenv"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"waybill/app"
	"waybill/config"
	"waybill/internal/private"
	"waybill/store"
)

func serveCommand(getenv func(string) string) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: "Runs the server with settings from the environment (docs/settings.md). With --config, variables that are\n" +
			"not set are read from a file of lines NAME=value.",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			look, err := lookUp(getenv, file)
			if err != nil {
				return err
			}
			settings, err := config.FromEnv(look)
			if err != nil {
				return err
			}
			settings.Warnings = append(settings.Warnings, exposed(file)...)
			if getenv("GOGC") == "" {
				debug.SetGCPercent(garbage)
			}
			return serve(cmd.Context(), settings, cmd.ErrOrStderr())
		},
	}
	configFlag(cmd, &file)
	return cmd
}

// garbage is how much a server may allocate until memory is collected, in percent of what is in use. Little is in use:
// with Go's default of 100 a busy server would collect every 4 MB, which costs an eighth of its processor time.
const garbage = 250

// configFlag is how every command that needs settings is told of a file with them.
func configFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", "", "read variables that are not set from `FILE`")
}

// lookUp returns the function that looks up variables in the environment, and missing ones in a file, if there is one.
func lookUp(getenv func(string) string, file string) (func(string) string, error) {
	if file == "" {
		return getenv, nil
	}
	lines, err := godotenv.Read(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return func(name string) string { return cmp.Or(getenv(name), lines[name]) }, nil
}

// exposed warns of a file of settings that others may read, because the App's private key is one of them. It is no more
// than a warning: some orchestrators mount secrets so, where no one else is.
func exposed(file string) []string {
	if file == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil // it has been read, a moment ago
	}
	defer f.Close()
	if err := private.Check(f); err != nil {
		return []string{"--config: " + err.Error()}
	}
	return nil
}

// serve runs the server until the context ends, and says on errOut where it listens.
func serve(ctx context.Context, settings config.Server, errOut io.Writer) error {
	log := zerolog.New(errOut).Level(settings.LogLevel).With().Timestamp().Logger()
	for _, w := range settings.Warnings {
		log.Warn().Msg(w)
	}
	ctx = log.WithContext(ctx)
	service, err := app.NewService(ctx, settings, app.World{Version: buildVersion()})
	if err != nil {
		return err
	}
	defer service.Close()
	listener, err := net.Listen("tcp", settings.Listen)
	if err != nil {
		return fmt.Errorf("listen on WAYBILL_LISTEN=%s: %w", settings.Listen, err)
	}
	log.Info().Str("address", listener.Addr().String()).Str("version", buildVersion()).
		Str("database", store.Place(string(settings.DatabaseURL))).Msg("listening")
	return service.Serve(ctx, listener)
}
