package postgres

import (
	"context"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"waybill/store/driver"
)

const (
	// maxReaders is how many transactions may read at a time, unless the URL says pool_max_conns.
	maxReaders = 4
	// statements is how many prepared statements a session keeps: more than the ledger has.
	statements = 2048
	// connectTime bounds a try to connect, unless the URL says connect_timeout.
	connectTime = 10 * time.Second
	// pingTime bounds the wait for a sign of life.
	pingTime = 5 * time.Second
)

// parse reads a URL. Everything that pgx knows may be in it, and in the variables that begin with PG. The error does
// not repeat the URL: it may hold a password.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, driver.Misaddress("open database: the URL must look like postgres://USER:PASSWORD@HOST:5432/DATABASE; " +
			"write characters other than letters and digits in the password as %XX, and look at what stands behind the ? " +
			"(sslmode, sslrootcert and others name modes and files that must be there)")
	}
	if !strings.Contains(url, "pool_max_conns=") {
		config.MaxConns = maxReaders
	}
	config.PingTimeout = pingTime
	c := config.ConnConfig
	c.StatementCacheCapacity = statements
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTime
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "waybill"
	}
	config.AfterConnect = prepareSession
	return config, nil
}

// readOnly has the sessions of a pool only read.
func readOnly(config *pgxpool.Config) {
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		if err := prepareSession(ctx, c); err != nil {
			return err
		}
		_, err := c.Exec(ctx, `SET default_transaction_read_only = on`)
		return err
	}
}

// Place names a database for people, without user, password and parameters.
func Place(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "postgres://"
	}
	return placeOf(config)
}

func placeOf(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", Path: "/" + c.Database}
	if filepath.IsAbs(c.Host) {
		return u.String() + " at " + c.Host
	}
	u.Host = c.Host + ":" + strconv.Itoa(int(c.Port))
	return u.String()
}

// limits are settings of a session that hold unless the URL, the role or the database sets them: how long a statement
// may take and a transaction may do nothing, and how soon the server notices that a client is gone.
var limits = map[string]string{
	"statement_timeout": "60s", "idle_in_transaction_session_timeout": "60s", "lock_timeout": "20s",
	"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
}

// prepareShared is prepareSession where several servers write: one that stands still in the middle of a transaction
// keeps the others waiting no longer than a lease could be overdue.
func prepareShared(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SELECT set_config(name, '5s', false) FROM pg_settings
		WHERE name = 'idle_in_transaction_session_timeout' AND source = 'default'`)
	if err != nil {
		return err
	}
	return prepareSession(ctx, c)
}

// prepareSession sets what the ledger relies on: a commit is on the disk, and nothing waits for ever. On a Unix socket
// there are no keepalives, which is no error.
func prepareSession(ctx context.Context, c *pgx.Conn) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT set_config('synchronous_commit', 'on', false)
		WHERE current_setting('synchronous_commit') = 'off'`)
	for name, value := range limits {
		b.Queue(`SELECT set_config($1, $2, false) FROM pg_settings WHERE name = $1 AND source = 'default'`, name, value)
	}
	return c.SendBatch(ctx, b).Close()
}
