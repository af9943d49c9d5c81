package main

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/joho/godotenv"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"waybill/app"
	"waybill/config"
)

func serveCommand(getenv func(string) string) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: "Runs the server with settings from the environment (see the README). With --config, variables that are not set are\n" +
			"read from a file of lines NAME=value.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := readSettings(getenv, file)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), settings, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "read variables that are not set from `FILE`")
	return cmd
}

// readSettings reads the settings from the environment, and what it lacks from a file.
func readSettings(getenv func(string) string, file string) (config.Server, error) {
	if file == "" {
		return config.FromEnv(getenv)
	}
	lines, err := godotenv.Read(file)
	if err != nil {
		return config.Server{}, fmt.Errorf("read %s: %w", file, err)
	}
	return config.FromEnv(func(name string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return lines[name]
	})
}

// serve runs the server until the context ends, and says on errOut where it listens.
func serve(ctx context.Context, settings config.Server, errOut io.Writer) error {
	log := zerolog.New(errOut).Level(settings.LogLevel).With().Timestamp().Logger()
	for _, w := range settings.Warnings {
		log.Warn().Msg(w)
	}
	ctx = log.WithContext(ctx)
	service, err := app.NewService(ctx, settings, app.Surroundings{})
	if err != nil {
		return err
	}
	defer service.Close()
	listener, err := net.Listen("tcp", settings.Listen)
	if err != nil {
		return fmt.Errorf("listen on WAYBILL_LISTEN=%s: %w", settings.Listen, err)
	}
	log.Info().Str("address", listener.Addr().String()).Str("version", buildVersion()).Msg("listening")
	return service.Serve(ctx, listener)
}
