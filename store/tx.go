package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/store/driver"
)

// Tx is a transaction. Each of its fields is a handle on the tables of one domain: first what comes in, then what is
// decided on it, what goes out, and the rest. Functions that write need an Update.
type Tx struct {
	// Now is the time of the transaction: UTC, in microseconds.
	Now time.Time

	Inbox      Inbox      // what has arrived, and webhooks that GitHub has to deliver again
	Freight    Freight    // freight, and the images that it awaits
	Warehouses Warehouses // since when pipelines have their warehouses, and how far these are known
	Candidates Candidates // changes that people want in the branches of pipelines
	Signals    Signals    // what CI reports of commits
	Branches   Branches   // where branches have moved, and by which rules they do
	Pulls      Pulls      // our pull requests
	Readings   Readings   // what the files of stages say
	Readiness  Readiness  // which targets of stages are ready

	Pipelines   Pipelines   // the pipelines, and what their files say
	Stages      Stages      // which stages have to be decided
	Requests    Requests    // the commands of people, and what they are answered
	Ledger      Ledger      // the decisions about stages: what they are made on, and what they leave
	Promotions  Promotions  // the promotions of freight into stages
	Plans       Plans       // what promotions would write, and the commits made of it
	Attempts    Attempts    // how promotions stand on GitHub
	Turns       Turns       // whose turn it is to be merged into a branch
	Deployments Deployments // which freight the stages host
	Recovery    Recovery    // what the database may lack, after an absence or as a copy

	Outbox Outbox // effects that are to be carried out
	Views  Views  // how things should look that show people where freight stands

	Names  Names  // the repositories and accounts that names on GitHub mean, and what these allow
	People People // Slack accounts and the GitHub accounts they belong to
	Clocks Clocks // resyncs and other work that comes back by itself
	Audit  Audit  // the audit trail
	Upkeep Upkeep // retention and sizes

	evidence evidence // which signals judge what the stages host

	conn  driver.Conn
	store *Store
	known map[string]*View // the views that were read ahead

	together bool   // views are written together
	wanted   []View // that are not written yet
	wrote    tables // that it has written

	touched map[StageKey]bool // the stages that it has had decided again
	bumped  map[string]bool   // the pull requests whose revisions it has raised
	took    []took            // the row that claimLone has leased; claims that take turns note none
}

// newTx makes a transaction with its handles.
func (s *Store) newTx(c driver.Conn) *Tx {
	tx := &Tx{Now: c.Now(), conn: c, store: s}
	tx.Inbox, tx.Freight, tx.Warehouses = Inbox{tx}, Freight{tx}, Warehouses{tx}
	tx.Candidates, tx.Signals, tx.Branches = Candidates{tx}, Signals{tx}, Branches{tx}
	tx.Pulls, tx.Readings, tx.Readiness = Pulls{tx}, Readings{tx}, Readiness{tx}
	tx.Pipelines, tx.Stages, tx.Requests, tx.Ledger = Pipelines{tx}, Stages{tx}, Requests{tx}, Ledger{tx}
	tx.Promotions, tx.Plans, tx.Attempts, tx.Turns = Promotions{tx}, Plans{tx}, Attempts{tx}, Turns{tx}
	tx.Deployments, tx.Recovery = Deployments{tx}, Recovery{tx}
	tx.Outbox, tx.Views = Outbox{tx}, Views{tx}
	tx.Names, tx.People, tx.Clocks = Names{tx}, People{tx}, Clocks{tx}
	tx.Audit, tx.Upkeep = Audit{tx}, Upkeep{tx}
	tx.evidence = evidence{tx}
	return tx
}

// The handles of a transaction, each with one reason. The functions of each stand in the files of its tables.
type (
	// Inbox has the deliveries that have arrived, and those that are missing.
	Inbox struct{ tx *Tx }
	// Freight is what pipelines may promote, with the images that it awaits, in the order of its warehouse.
	Freight struct{ tx *Tx }
	// Warehouses know since when each pipeline has had its warehouses, and up to which push they are known.
	Warehouses struct{ tx *Tx }
	// Candidates are the changes that people want in the branches of pipelines, whose files may be guarded.
	Candidates struct{ tx *Tx }
	// Signals are what CI reports of commits: checks with their suites, statuses and deployments.
	Signals struct{ tx *Tx }
	// Branches know where the branches with files of stages have moved, and the rules of branches.
	Branches struct{ tx *Tx }
	// Pulls are our pull requests as they were last observed.
	Pulls struct{ tx *Tx }
	// Readings are what the files of stages say at the heads of their branches.
	Readings struct{ tx *Tx }
	// Readiness is what GitHub answers about the targets of stages: which are ready.
	Readiness struct{ tx *Tx }
	// Pipelines have the rows of pipelines, with the files of each, and keep the rows of its stages in line with them.
	Pipelines struct{ tx *Tx }
	// Stages know which stages have to be decided, and when.
	Stages struct{ tx *Tx }
	// Requests are the commands of people, and the answers that these have got.
	Requests struct{ tx *Tx }
	// Ledger has the decisions: the snapshot that each is made on, and the holds, rejects and approvals that it leaves.
	Ledger struct{ tx *Tx }
	// Promotions are what was decided to bring into stages.
	Promotions struct{ tx *Tx }
	// Plans are what promotions would write, and the commits that are made of it before anything on GitHub shows them.
	Plans struct{ tx *Tx }
	// Attempts are what promotions have become on GitHub: commits, pull requests and runs.
	Attempts struct{ tx *Tx }
	// Turns say which promotion is merged into a branch before others.
	Turns struct{ tx *Tx }
	// Deployments are the freight that stages host or hosted, and the commits that may judge it.
	Deployments struct{ tx *Tx }
	// Recovery makes up for a time that the database has not seen: nothing was at work, or it is a copy.
	Recovery struct{ tx *Tx }
	// Outbox has the effects at GitHub and in Slack, each of which happens once.
	Outbox struct{ tx *Tx }
	// Views have the states that surfaces show; only the last one counts.
	Views struct{ tx *Tx }
	// Names have the repositories and accounts that names on GitHub mean, which change hands, and what these allow.
	Names struct{ tx *Tx }
	// People are the accounts that belong together.
	People struct{ tx *Tx }
	// Clocks are the work that comes back by itself.
	Clocks struct{ tx *Tx }
	// Audit is the audit trail.
	Audit struct{ tx *Tx }
	// Upkeep keeps the database small.
	Upkeep struct{ tx *Tx }
	// evidence links the signals to the deployments that they judge.
	evidence struct{ tx *Tx }
)

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	tx.wrote |= writtenBy(query)
	return tx.conn.Exec(query, args...)
}

// unnoted runs writes to tables without noting that these were written.
func (tx *Tx) unnoted(set tables, write func() error) error {
	before := tx.wrote & set
	err := write()
	tx.wrote = tx.wrote&^set | before
	return err
}

// read runs one query.
func (tx *Tx) read(q driver.Query) error {
	tx.wrote |= writtenBy(q.SQL) // it may have RETURNING
	rows, err := tx.conn.Query(q.SQL, q.Args...)
	if err != nil {
		return err
	}
	return driver.ReadAll(rows, q.Read)
}

// batch runs queries together, in one round trip; none if there are no queries.
func (tx *Tx) batch(results ...[]driver.Query) error {
	queries := slices.Concat(results...)
	if len(queries) == 0 {
		return nil
	}
	return tx.conn.Batch(queries...)
}

// rowInto is a query whose single row is read into dest. It sets found to whether there is one.
func rowInto(found *bool, dest []any, query string, args ...any) driver.Query {
	return driver.Query{SQL: query, Args: args, Read: func(rows driver.Rows) error {
		*found = rows.Next()
		if !*found {
			return nil
		}
		return rows.Scan(dest...)
	}}
}

// rowsInto is a query whose rows are appended to a list; dest says where their columns belong.
func rowsInto[T any](into *[]T, dest func(*T) []any, query string, args ...any) driver.Query {
	return driver.Query{SQL: query, Args: args, Read: func(rows driver.Rows) error {
		for rows.Next() {
			var v T
			if err := rows.Scan(dest(&v)...); err != nil {
				return err
			}
			*into = append(*into, v)
		}
		return nil
	}}
}

// then is a query that calls fn when its rows have been read.
func then(q driver.Query, fn func()) driver.Query {
	read := q.Read
	q.Read = func(rows driver.Rows) error {
		err := read(rows)
		if err == nil {
			fn()
		}
		return err
	}
	return q
}

// one reads a single row into dest, and reports whether there was one.
func (tx *Tx) one(dest []any, query string, args ...any) (found bool, err error) {
	err = tx.read(rowInto(&found, dest, query, args...))
	return found && err == nil, err
}

// oneTime reads a single time; the zero time if it is NULL.
func (tx *Tx) oneTime(query string, args ...any) (t time.Time, err error) {
	_, err = tx.one([]any{at(&t)}, query, args...)
	return t, err
}

// list reads all rows; dest says where their columns belong.
func list[T any](tx *Tx, dest func(*T) []any, query string, args ...any) ([]T, error) {
	var all []T
	if err := tx.read(rowsInto(&all, dest, query, args...)); err != nil {
		return nil, err
	}
	return all, nil
}

// An IN list of a statement has one of two lengths.
const shortList, longList = 24, 144

// inLists returns queries for the rows of all values: the query gets an IN list, each time filled up to one of two
// lengths, so that there are two statements to prepare.
func inLists[T, V any](into *[]T, dest func(*T) []any, values []V, query string,
	args ...any) (queries []driver.Query) {
	length := shortList
	if len(values) > shortList {
		length = longList
	}
	query += inList(len(args)+1, length)
	for result := range slices.Chunk(values, length) {
		full := slices.Clone(args)
		for i := range length {
			full = append(full, result[min(i, len(result)-1)])
		}
		queries = append(queries, rowsInto(into, dest, query, full...))
	}
	return queries
}

// listIn reads the rows of all values, as inLists selects them.
func listIn[T, V any](tx *Tx, dest func(*T) []any, values []V, query string, args ...any) ([]T, error) {
	var all []T
	if err := tx.batch(inLists(&all, dest, values, query, args...)); err != nil {
		return nil, err
	}
	return all, nil
}

// inList is an IN list of parameters, of which it is told the first.
func inList(first, length int) string {
	var b strings.Builder
	for i := range length {
		fmt.Fprintf(&b, ", $%d", first+i)
	}
	return " IN (" + b.String()[2:] + ")"
}

// of returns columns as those of a table that a statement joins with others.
func of(table, columns string) string {
	names := strings.Split(columns, `,`)
	for i := range names {
		names[i] = table + `.` + strings.TrimSpace(names[i])
	}
	return strings.Join(names, `, `)
}

// single is the dest of rows with one column.
func single[T any](v *T) []any { return []any{v} }

// take returns the next n numbers of a counter, of which it returns the first.
func (tx *Tx) take(counter string, n int64) (int64, error) {
	var last int64
	found, err := tx.one([]any{&last}, `UPDATE counters SET n = n + $2 WHERE name = $1 RETURNING n`, counter, n)
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", counter, err)
	}
	return last - n + 1, nil
}

// mustChange runs a statement that is to change something; ErrConflict if it does not.
func (tx *Tx) mustChange(what, query string, args ...any) error {
	n, err := tx.exec(query, args...)
	if err == nil && n == 0 {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// orNotFound turns the result of one into an error.
func orNotFound(found bool, err error, what string) error {
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
