package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/store/driver"
)

// Delivery is something that came from outside and waits to be handled: a webhook, a Slack interaction, a call of the
// API, a clock that rang.
type Delivery struct {
	ID           string // source:guid
	Source       string // "github", "slack", "api" or "clock"
	GUID         string // identifies the happening: redeliveries have the same
	Event        string // the source's name of it, such as "check_run"
	Action       string // such as "completed"; may be empty
	Repo         promotion.Repo
	Installation int64
	Body         []byte
	Received     time.Time
	Idle         bool // tells nothing: it is handled when it has come, and its body is not kept. Only Accept looks at it

	packed   []byte // the body as it is kept
	Lease    Lease  // of one that was claimed
	Seq      int64  // the order of arrival
	State    DeliveryState
	Attempts int       // how often it has been claimed
	RunAt    time.Time // it is not handled before; of one that has just come, long ago; zero: it does not wait
	Error    string    // of the last attempt that failed
}

// DeliveryState is the state of a delivery.
type DeliveryState string

const (
	// DeliveryWaiting is to be handled.
	DeliveryWaiting DeliveryState = "waiting"
	// DeliveryHandled is done with; its body is kept until it is pruned, if it concerns a pipeline.
	DeliveryHandled DeliveryState = "handled"
	// DeliveryParked has failed too often. A person may look at it and replay it.
	DeliveryParked DeliveryState = "parked"
)

// Accept stores a delivery durably. A GUID that is known already with the same body is not fresh: a handled delivery
// stays handled, one that failed or was parked is tried again soon. With another body it is ErrDifferentPayload, and an
// alert in the audit trail.
func (s *Store) Accept(ctx context.Context, d Delivery) (fresh bool, err error) {
	sum, altered := fingerprint(d.Body), false
	if !d.Idle {
		d.packed = pack(d.Body)
	}
	err = s.db.UpdateOne(ctx, func(c driver.Conn) error {
		fresh, err = s.newTx(c).Inbox.insertDelivery(sum, d)
		return err
	})
	if !d.Idle {
		s.looks.written(tablesOf("deliveries"))
	}
	if err == nil && !fresh {
		err = s.Update(ctx, func(tx *Tx) error {
			fresh, altered, err = tx.Inbox.acceptAgain(sum, d)
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("accept delivery %s: %w", d.GUID, err)
	}
	if altered {
		return false, fmt.Errorf("accept delivery %s: %w", d.GUID, ErrDifferentPayload)
	}
	return fresh, nil
}

// acceptAgain accepts a delivery that is probably there already; it may just have been pruned.
func (in Inbox) acceptAgain(sum string, d Delivery) (fresh, altered bool, err error) {
	id := d.id()
	if fresh, err = in.insertDelivery(sum, d); err != nil || fresh {
		return fresh, false, err
	}
	var known string
	if _, err = in.tx.one([]any{&known}, `SELECT sha256 FROM deliveries WHERE id = $1`, id); err != nil {
		return false, false, err
	}
	if known != sum {
		return false, true, in.tx.Audit.Log(Event{
			Kind: EventAlert, Word: "altered-delivery", Source: d.Source,
			Text: fmt.Sprintf("%s: sha256 %s, before %s", id, sum, known),
		})
	}
	_, err = in.tx.exec(`UPDATE deliveries SET state = 'waiting', `+wantedAt(`deliveries`, `$2`)+`
		WHERE id = $1 AND (state = 'parked' OR state = 'waiting' AND run_at > $2 AND token = '')`, id, micros(in.tx.Now))
	return false, false, err
}

func (in Inbox) insertDelivery(sum string, d Delivery) (fresh bool, err error) {
	state, due, handled, body := DeliveryWaiting, any(0), time.Time{}, d.packed
	if d.Idle {
		state, due, handled, body = DeliveryHandled, nil, in.tx.Now, []byte{}
	}
	n, err := in.tx.exec(`INSERT INTO deliveries (id, source, guid, event, action, repo, installation, state, received_at,
			account, priority, run_at, attempts, token, leased_until, error, handled_at, sha256, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $11, $8, $9, $10, $12, 0, '', 0, '', $13, $14, $15)
		ON CONFLICT (id) DO NOTHING`,
		d.id(), d.Source, d.GUID, d.Event, d.Action, d.Repo, d.Installation, micros(in.tx.Now), d.account(),
		d.priority(), state, due, micros(handled), sum, body)
	return n > 0, err
}

// account is whose requests a delivery is handled with.
func (d *Delivery) account() string {
	switch {
	case d.Installation != 0:
		return accountOf(d.Installation)
	case d.Source == "slack":
		return AccountSlack
	}
	return ""
}

// priority is that of a delivery: a person in Slack and a caller of the API wait for the answer.
func (d *Delivery) priority() int {
	if d.Source == "github" {
		return 1
	}
	return 0
}

// id is the key of a delivery before it is stored.
func (d *Delivery) id() string { return d.Source + ":" + d.GUID }

// fingerprint tells two bodies apart.
func fingerprint(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

const deliveryColumns = `id, seq, source, guid, event, action, repo, installation, state, received_at, run_at, ` +
	`attempts, error`

func (d *Delivery) dest() []any {
	return []any{
		&d.ID, &d.Seq, &d.Source, &d.GUID, &d.Event, &d.Action, &d.Repo, &d.Installation, &d.State, at(&d.Received),
		at(&d.RunAt), &d.Attempts, &d.Error,
	}
}

func (d *Delivery) destBody() []any { return append(d.dest(), unpacked{&d.Body}) }

// deliveries are handled in the order in which they came. Of a repository on GitHub one is handled at a time.
var deliveries = newQueue("delivery", deliveriesTable)

var deliveriesTable = queueTable{
	table: "deliveries", key: []string{"id"}, order: `q.run_at, q.seq`, columns: deliveryColumns + `, body`,
	even:  `q.attempts = 0`, // it may need nothing of GitHub
	first: `TRUE`,
	alone: `q.source = 'github'`,
	// Several may have been leased together: none of them waits for another whose lease has run out.
	ready: `NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.token <> '' AND b.leased_until + 0 > $2
		AND b.account = q.account AND b.repo = q.repo AND b.source = 'github' AND b.id <> q.id)`,
	done: `, state = CASE WHEN again_at IS NULL THEN 'handled' ELSE state END,
		handled_at = CASE WHEN again_at IS NULL THEN $2 ELSE handled_at END`,
}

// ClaimDelivery takes a delivery that waits. One that failed waits for the time of its next try, and those behind it go
// ahead: facts may come in any order. It is nil if there is none; then wake is when the next may be tried, the zero
// time if none waits.
func (in Inbox) ClaimDelivery(c Claim) (d *Delivery, wake time.Time, err error) {
	d, lease, wake, err := claim(in.tx, deliveries, c, (*Delivery).destBody)
	if d != nil {
		d.Lease = lease.of(d.ID)
	}
	return d, wake, err
}

// nextDelivery leases the next delivery of a repository on GitHub, if none of it is leased.
var nextDelivery = deliveriesTable.leasing(`= `, `(q.account, q.repo, q.priority) = ($5, $6, $7) AND q.source = 'github'
	AND `+deliveriesTable.even+` AND `+deliveriesTable.ready+` ORDER BY `+deliveriesTable.order+` LIMIT 1`, report+`, `)

// report is the condition of a delivery that tells only how a check or a status stands. What it tells can be recorded
// without a question to anybody, and in any order.
const report = `(event = 'status'
	OR event IN ('check_run', 'check_suite') AND action IN ('created', 'completed', 'requested'))`

// moreReports leases the reports that wait in the repository of one that was leased.
var moreReports = deliveriesTable.leasing(`IN `, `(q.account, q.repo, q.priority) = ($5, $6, $7) AND q.source = 'github'
	AND `+deliveriesTable.even+` AND `+report+` ORDER BY `+deliveriesTable.order+` LIMIT $8 + 0`, ``)

// ClaimNext takes what waits next in the repository of a delivery that has been dealt with in this transaction: it
// takes the place of that one, so that it needs no turn. That is one delivery, or several that tell only how checks and
// statuses stand, to be recorded together. None is taken that was tried before: it may have failed or killed a process,
// and would take the others with it.
func (in Inbox) ClaimNext(d *Delivery, most int, c Claim) (next []*Delivery, err error) {
	if s := in.tx.store; s.db.Alone() && s.looks.knowNone(deliveries, in.tx.Now, in.tx.conn.Steady()) {
		return nil, nil
	}
	token := in.tx.store.newToken()
	args := append(c.args(in.tx, token), d.account(), d.Repo, d.priority())
	var all []Delivery
	err = in.tx.unnoted(deliveries.in, func() error { // it makes none due
		var reports bool
		all, err = list(in.tx, func(d *Delivery) []any { return append([]any{&reports}, d.destBody()...) },
			nextDelivery, args...)
		if err != nil || !reports || most < 2 {
			return err
		}
		more, err := list(in.tx, (*Delivery).destBody, moreReports, append(args, most-1)...)
		all = append(all, more...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim the delivery behind %s: %w", d.ID, err)
	}
	for i := range all {
		all[i].Lease = Lease{queue: deliveries, token: token}.of(all[i].ID)
		next = append(next, &all[i])
	}
	slices.SortFunc(next, func(a, b *Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
	return next, nil
}

// DeliveryHandled notes that a delivery has been dealt with. It belongs into the transaction that records its facts.
// One that was replayed meanwhile is handled once more.
func (in Inbox) DeliveryHandled(d *Delivery) error {
	return in.tx.finish(d.Lease, time.Time{}, in.tx.Now)
}

// DropBody forgets what a handled delivery says. Its id and the hash of its body stay, by which it is known if it comes
// again. One that was replayed meanwhile keeps its body until it is handled.
func (in Inbox) DropBody(d *Delivery) error {
	err := in.tx.unnoted(deliveries.in, func() error {
		_, err := in.tx.exec(`UPDATE deliveries SET body = $2 WHERE id = $1 AND state = 'handled'`, d.ID, []byte{})
		return err
	})
	return wrap("forget the body of delivery "+d.ID, err)
}

// DelayDelivery notes why a delivery cannot be dealt with now, which is not its own fault, and when to try again,
// however often that has been so.
func (in Inbox) DelayDelivery(d *Delivery, why string, when time.Time) error {
	return in.tx.retry(d.Lease, why, when)
}

// DeliveryFailed notes why a delivery could not be dealt with, and when to try again. After Options.ParkAfter attempts
// it is parked instead.
func (in Inbox) DeliveryFailed(d *Delivery, why string, when time.Time) (parked bool, err error) {
	if d.Attempts < in.tx.store.parkAfter {
		return false, in.tx.retry(d.Lease, why, when)
	}
	return true, in.ParkDelivery(d, why)
}

// ParkDelivery sets a delivery aside that trying again cannot help.
func (in Inbox) ParkDelivery(d *Delivery, why string) error {
	if err := in.tx.park(d.Lease, why); err != nil {
		return err
	}
	return in.tx.mustChange("park delivery "+d.ID, `UPDATE deliveries SET state = 'parked' WHERE id = $1`, d.ID)
}

// ReplayDelivery has a delivery handled again, in any state.
func (in Inbox) ReplayDelivery(id string) error {
	return in.tx.mustChange("replay delivery "+id, `UPDATE deliveries SET state = 'waiting', handled_at = NULL,
		error = '', `+
		wantedAt(`deliveries`, `0`)+` WHERE id = $1`, id)
}

// Delivery returns one delivery with its body.
func (in Inbox) Delivery(id string) (Delivery, error) {
	var d Delivery
	found, err := in.tx.one(d.destBody(), `SELECT `+deliveryColumns+`, body FROM deliveries WHERE id = $1`, id)
	return d, orNotFound(found, err, "read delivery "+id)
}

// DeliveriesBefore returns the latest deliveries in a state that came before one, 0 for the newest, newest first,
// without their bodies.
func (in Inbox) DeliveriesBefore(state DeliveryState, seq int64, limit int) ([]Delivery, error) {
	if seq == 0 {
		seq = math.MaxInt64
	}
	query := deliveriesIn[state]
	if query == "" {
		return nil, fmt.Errorf("list deliveries: there is no state %q", state)
	}
	all, err := list(in.tx, (*Delivery).dest, query, seq, limit)
	return all, wrap("list deliveries", err)
}

// deliveriesIn has a statement for each state: parked deliveries have an index of their own.
var deliveriesIn = map[DeliveryState]string{
	DeliveryWaiting: deliveriesBefore + `state = 'waiting'` + newestFirst,
	DeliveryHandled: deliveriesBefore + `state = 'handled'` + newestFirst,
	DeliveryParked:  deliveriesBefore + `state = 'parked'` + newestFirst,
}

const (
	deliveriesBefore = `SELECT ` + deliveryColumns + ` FROM deliveries WHERE seq < $1 AND `
	newestFirst      = ` ORDER BY seq DESC LIMIT $2 + 0`
)
