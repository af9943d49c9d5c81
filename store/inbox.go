package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
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

	Seq      int64 // the order of arrival
	State    DeliveryState
	Attempts int       // how often it has been claimed
	RunAt    time.Time // it is not handled before; of one that has just come, long ago
	Error    string    // of the last attempt that failed
}

// DeliveryState is what has become of a delivery.
type DeliveryState string

const (
	// DeliveryWaiting is to be handled.
	DeliveryWaiting DeliveryState = "waiting"
	// DeliveryHandled is done with; its body is kept until it is pruned.
	DeliveryHandled DeliveryState = "handled"
	// DeliveryParked has failed too often. A person may look at it and replay it.
	DeliveryParked DeliveryState = "parked"
)

// Accept stores a delivery durably. A GUID that is known already with the same body is not fresh: what was handled stays
// handled, what failed or was parked is tried again soon. With another body it is ErrDifferentPayload, and an alert in
// the audit trail.
func (s *Store) Accept(ctx context.Context, d Delivery) (fresh bool, err error) {
	sum, altered := fingerprint(d.Body), false
	err = s.db.UpdateOne(ctx, func(c driver.Conn) error {
		fresh, err = s.newTx(c).Inbox.insertDelivery(sum, d)
		return err
	})
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
	_, err = in.tx.exec(`UPDATE deliveries SET state = 'waiting', run_at = $2, attempts = CASE state WHEN 'parked' THEN 0 ELSE attempts END
		WHERE id = $1 AND (state = 'parked' OR state = 'waiting' AND run_at > $2 AND holder = '')`, id, micros(in.tx.Now))
	return false, false, err
}

func (in Inbox) insertDelivery(sum string, d Delivery) (fresh bool, err error) {
	n, err := in.tx.exec(`INSERT INTO deliveries (id, source, guid, event, action, repo, installation, state, received_at,
			run_at, attempts, holder, error, sha256, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, 0, 0, '', '', $9, $10)
		ON CONFLICT (id) DO NOTHING`,
		d.id(), d.Source, d.GUID, d.Event, d.Action, d.Repo, d.Installation, micros(in.tx.Now), sum, notNil(d.Body))
	return n > 0, err
}

// id is the key of a delivery before it is stored.
func (d *Delivery) id() string { return d.Source + ":" + d.GUID }

// fingerprint tells two bodies apart.
func fingerprint(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// notNil makes an empty body of none, because a column that must not be NULL takes no nil.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

const deliveryColumns = `id, seq, source, guid, event, action, repo, installation, state, received_at, run_at, attempts, error`

func (d *Delivery) dest() []any {
	return []any{&d.ID, &d.Seq, &d.Source, &d.GUID, &d.Event, &d.Action, &d.Repo, &d.Installation, &d.State, at(&d.Received),
		at(&d.RunAt), &d.Attempts, &d.Error}
}

func (d *Delivery) destBody() []any { return append(d.dest(), &d.Body) }

// ClaimDelivery takes a delivery that waits, for as long as lease. Repositories take turns, in the order of their names:
// after the one whose delivery was taken last comes the next, so that a noisy one keeps no other waiting. Within a
// repository it is the delivery that came first. One that failed waits for the time of its next try, and those behind it
// go ahead: facts may come in any order. It is nil if there is none; then wake is when the next may be tried, the zero
// time if none waits.
func (in Inbox) ClaimDelivery(after promotion.Repo, lease time.Duration) (d *Delivery, wake time.Time, err error) {
	id, wake, err := in.nextInTurn(after)
	if err != nil || id == "" {
		return nil, wake, wrap("find a delivery", err)
	}
	// The predicate is repeated here: between the look and this statement another worker of PostgreSQL may have claimed it.
	claimed, err := list(in.tx, (*Delivery).destBody, `UPDATE deliveries SET attempts = attempts + 1, run_at = $3, holder = $4
		WHERE id = $1 AND state = 'waiting' AND run_at <= $2 RETURNING `+deliveryColumns+`, body`,
		id, micros(in.tx.Now), micros(in.tx.Now.Add(lease)), in.tx.holder)
	if err != nil || len(claimed) == 0 {
		return nil, in.tx.Now, wrap("claim delivery "+id, err)
	}
	return &claimed[0], time.Time{}, nil
}

// nextInTurn looks at one repository after the other, once around, for a delivery that may be handled now. In the index
// the first of a repository is the one that has been due for longest: each look is one step, however many wait.
func (in Inbox) nextInTurn(after promotion.Repo) (id string, wake time.Time, err error) {
	const first = `SELECT id, repo, run_at FROM deliveries WHERE state = 'waiting' AND repo `
	const inOrder = ` $1 ORDER BY repo, run_at, seq LIMIT 1`
	from, query, around := after, first+`>`+inOrder, false
	for {
		var repo promotion.Repo
		var run time.Time
		found, err := in.tx.one([]any{&id, &repo, at(&run)}, query, from)
		switch {
		case err != nil:
			return "", wake, err
		case !found && around, found && around && repo > after:
			return "", wake, nil
		case !found:
			from, query, around = "", first+`>=`+inOrder, true
			continue
		case !run.After(in.tx.Now):
			return id, time.Time{}, nil
		case wake.IsZero() || run.Before(wake):
			wake = run
		}
		from, query = repo, first+`>`+inOrder
	}
}

// DeliveryHandled notes that a delivery has been dealt with. It belongs into the transaction that records its facts.
func (in Inbox) DeliveryHandled(id string) error {
	return in.tx.mustChange("finish delivery "+id, `UPDATE deliveries SET state = 'handled', handled_at = $2, holder = '', error = ''
		WHERE id = $1 AND state = 'waiting'`, id, micros(in.tx.Now))
}

// DelayDelivery notes why a delivery cannot be dealt with now, which is not its own fault, and when to try again, however
// often that has been so.
func (in Inbox) DelayDelivery(id, why string, retry time.Time) error {
	return in.tx.mustChange("delay delivery "+id, `UPDATE deliveries SET error = $2, run_at = $3, holder = ''
		WHERE id = $1 AND state = 'waiting'`, id, why, micros(retry))
}

// DeliveryFailed notes why a delivery could not be dealt with, and when to try again. After Options.ParkAfter attempts it
// is parked instead.
func (in Inbox) DeliveryFailed(id, why string, retry time.Time) (parked bool, err error) {
	var state DeliveryState
	found, err := in.tx.one([]any{&state}, `UPDATE deliveries SET error = $2, run_at = $3, holder = '',
			state = CASE WHEN attempts >= $4 THEN 'parked' ELSE 'waiting' END
		WHERE id = $1 AND state = 'waiting' RETURNING state`, id, why, micros(retry), in.tx.parkAfter)
	if err == nil && !found {
		err = ErrConflict
	}
	if err != nil {
		return false, fmt.Errorf("note that delivery %s failed: %w", id, err)
	}
	return state == DeliveryParked, nil
}

// ParkDelivery sets a delivery aside that trying again cannot help.
func (in Inbox) ParkDelivery(id, why string) error {
	return in.tx.mustChange("park delivery "+id, `UPDATE deliveries SET state = 'parked', error = $2, holder = ''
		WHERE id = $1 AND state = 'waiting'`, id, why)
}

// ReplayDelivery has a delivery handled again, whatever became of it.
func (in Inbox) ReplayDelivery(id string) error {
	return in.tx.mustChange("replay delivery "+id, `UPDATE deliveries SET state = 'waiting', attempts = 0, run_at = 0,
		handled_at = NULL, holder = '', error = '' WHERE id = $1`, id)
}

// Delivery returns one delivery with its body.
func (in Inbox) Delivery(id string) (Delivery, error) {
	var d Delivery
	found, err := in.tx.one(d.destBody(), `SELECT `+deliveryColumns+`, body FROM deliveries WHERE id = $1`, id)
	return d, orNotFound(found, err, "read delivery "+id)
}

// DeliveriesBefore returns the latest deliveries in a state that came before one, 0 for the newest, newest first, without
// their bodies.
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

// deliveriesIn has a statement for each state: what is parked has an index of its own.
var deliveriesIn = map[DeliveryState]string{
	DeliveryWaiting: deliveriesBefore + `state = 'waiting'` + newestFirst,
	DeliveryHandled: deliveriesBefore + `state = 'handled'` + newestFirst,
	DeliveryParked:  deliveriesBefore + `state = 'parked'` + newestFirst,
}

const (
	deliveriesBefore = `SELECT ` + deliveryColumns + ` FROM deliveries WHERE seq < $1 AND `
	newestFirst      = ` ORDER BY seq DESC LIMIT $2 + 0`
)

// Deliveries returns the latest deliveries in a state, newest first, without their bodies.
func (in Inbox) Deliveries(state DeliveryState, limit int) ([]Delivery, error) {
	return in.DeliveriesBefore(state, 0, limit)
}
