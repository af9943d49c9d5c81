package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"waybill/store/driver"
)

// The codes of errors on which Waybill or a person can act:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	diskFull             = "53100"
	tooManyConnections   = "53300"
	readOnlyTransaction  = "25006"
	noRight              = "42501"
	lockNotAvailable     = "55P03"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
	idleSession          = "57P05"
	idleInTransaction    = "25P03"
	ioError              = "58030"
	dataCorrupted        = "XX001"
	indexCorrupted       = "XX002"
	wrongPassword        = "28P01"
	notAuthorized        = "28000"
	noDatabase           = "3D000"
)

// explain gives an error of PostgreSQL its class, and the remedy if a person can do something about it.
func explain(err error) error {
	if err == nil || known(err) {
		return err
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return explainCode(e.Code, err)
	}
	if isLost(err) {
		return fmt.Errorf("%w: look whether the server runs and can be reached from here: %w", driver.ErrUnreachable, err)
	}
	return err
}

func explainCode(code string, err error) error {
	switch code {
	case uniqueViolation:
		return fmt.Errorf("%w: %w", driver.ErrDuplicate, err)
	case diskFull:
		return fmt.Errorf("%w: make room on the server and try again: %w", driver.ErrDiskFull, err)
	case ioError:
		return fmt.Errorf("%w: look into the server's log: %w", driver.ErrDisk, err)
	case dataCorrupted, indexCorrupted:
		return fmt.Errorf("%w: look into the server's log, and restore a backup: %w", driver.ErrDamaged, err)
	case readOnlyTransaction:
		return fmt.Errorf("%w: name the primary, not a standby: %w", driver.ErrReadOnly, err)
	case noRight:
		return fmt.Errorf("%w: make the role of the URL the owner of the database (ALTER DATABASE ... OWNER TO ...): %w",
			driver.ErrNoRight, err)
	case wrongPassword, notAuthorized:
		return fmt.Errorf("%w: correct the user and the password in the URL, or pg_hba.conf: %w", driver.ErrDenied, err)
	case noDatabase:
		return fmt.Errorf("%w: run CREATE DATABASE ... OWNER ... ENCODING 'UTF8' TEMPLATE template0: %w",
			driver.ErrNoSuch, err)
	case tooManyConnections:
		return fmt.Errorf("%w: raise max_connections of the server, or end other clients: %w", driver.ErrUnreachable, err)
	}
	if lostCode(code) {
		return fmt.Errorf("%w: the server has ended the connection: %w", driver.ErrUnreachable, err)
	}
	return err
}

// known reports whether an error has a class already.
func known(err error) bool {
	for _, class := range []error{
		driver.ErrClosed, driver.ErrDuplicate, driver.ErrDiskFull, driver.ErrDisk, driver.ErrInUse, driver.ErrReadOnly,
		driver.ErrNotDatabase, driver.ErrDamaged, driver.ErrNewer, driver.ErrOlder, driver.ErrUnreachable,
		driver.ErrUncertain, driver.ErrUnsuitable,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// isLost reports whether an error says that there is no connection, or none any more.
func isLost(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return lostCode(e.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

func lostCode(code string) bool {
	switch code {
	case adminShutdown, crashShutdown, cannotConnectNow, idleSession, idleInTransaction, tooManyConnections:
		return true
	}
	return len(code) == 5 && code[:2] == "08"
}

// collides reports whether a transaction failed only because of another one, and did nothing.
func collides(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) &&
		(e.Code == serializationFailure || e.Code == deadlockDetected || e.Code == lockNotAvailable)
}
