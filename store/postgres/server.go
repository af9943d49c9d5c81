package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"waybill/store/driver"
)

// Server is what a server says of itself and of a database.
type Server struct {
	Version  int    // 15
	Encoding string // of the database
	Schema   string // where tables are made; empty: nowhere
	Standby  bool
	ReadOnly bool // transactions are, unless they say otherwise
}

// oldest is the first version of PostgreSQL that the ledger is tested with.
const oldest = 15

// Check refuses a server that the ledger cannot work with, and says what to do.
func (s Server) Check() error {
	switch {
	case s.Version < oldest:
		return fmt.Errorf("%w: it is PostgreSQL %d, and Waybill needs %d or newer: upgrade it, or name another server",
			driver.ErrUnsuitable, s.Version, oldest)
	case s.Encoding != "UTF8":
		return fmt.Errorf("%w: the database has the encoding %s, and titles and names come in every script: "+
			"create it with ENCODING 'UTF8' TEMPLATE template0", driver.ErrUnsuitable, s.Encoding)
	case s.Standby:
		return fmt.Errorf("%w: the server is a standby: name the primary, or several hosts with "+
			"target_session_attrs=read-write", driver.ErrReadOnly)
	case s.ReadOnly:
		return fmt.Errorf("%w: default_transaction_read_only is on for this role or database: "+
			"run ALTER ROLE or ALTER DATABASE ... RESET default_transaction_read_only", driver.ErrReadOnly)
	case s.Schema == "":
		return fmt.Errorf("%w: the search_path of the role names no schema that is there: run CREATE SCHEMA, "+
			"or correct the search_path", driver.ErrUnsuitable)
	}
	return nil
}

// checkServer refuses a server that the ledger cannot work with.
func checkServer(ctx context.Context, c *pgx.Conn) error {
	var s Server
	err := c.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),
		COALESCE(current_schema(), ''), pg_is_in_recovery(), current_setting('default_transaction_read_only')::boolean`).
		Scan(&s.Version, &s.Encoding, &s.Schema, &s.Standby, &s.ReadOnly)
	if err != nil {
		return fmt.Errorf("look at the server: %w", err)
	}
	return s.Check()
}
