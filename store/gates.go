package store

import (
	"time"
)

// Gate says that an account is shut: nothing of it is claimed, but deliveries that were not tried yet; or, if it is
// Scarce, that only pressing work is claimed: answers, views and resyncs wait.
type Gate struct {
	// Until is when the account opens by itself, or, if it is Lasting, when that may be expected.
	Until   time.Time
	Lasting bool // it stays shut until it is opened
	Scarce  bool // little is left of what GitHub grants until then
}

// outageOfOne is how long one of several servers that GitHub does not answer keeps the others from asking.
const outageOfOne = 15 * time.Second

// Shut shuts the account of an installation, or opens it if the gate is the zero value. What fails in an account that
// is shut waits for its opening, and for nothing else. Where several servers share the database, GitHub may answer the
// others: no outage is theirs for long.
func (up Upkeep) Shut(installation int64, g Gate) error {
	account := accountOf(installation)
	if g.Lasting && !up.tx.store.db.Alone() {
		g.Lasting, g.Until = false, up.tx.Now.Add(outageOfOne)
	}
	if !g.Lasting {
		if err := up.endOutage(installation, account); err != nil {
			return wrap("end the outage of account "+account, err)
		}
	}
	if g == (Gate{}) {
		_, err := up.tx.exec(`DELETE FROM gates WHERE account = $1`, account)
		return wrap("open account "+account, err)
	}
	_, err := up.tx.exec(`INSERT INTO gates (account, until_at, lasting, scarce) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account) DO UPDATE SET until_at = $2, lasting = $3, scarce = $4`, account, micros(g.Until), g.Lasting,
		g.Scarce)
	return wrap("shut account "+account, err)
}

// endOutage marks the pipelines of an account that was shut by an outage as stale, if GitHub could not be asked for
// missed webhooks for long.
func (up Upkeep) endOutage(installation int64, account string) error {
	was, err := up.tx.one([]any{new(int)}, `SELECT 1 FROM gates WHERE account = $1 AND NOT scarce`, account)
	if err != nil || !was {
		return err
	}
	_, heard, err := up.tx.lastHeard()
	if err != nil || up.tx.Now.Sub(heard) < AwayFor {
		return err
	}
	return up.tx.Recovery.markStale(func(row PipelineRow) bool { return row.Installation == installation })
}

// shut is the condition of an account of which no work is claimed. Its parameter is the time.
func shut(account, now string) string { return gate(account, now, `NOT scarce`) }

// withheld is the condition of an effect that waits because its account is shut, or because little is left of it.
func withheld(e, now string) string {
	return gate(e+`.account`, now, `(NOT scarce OR NOT `+pressing(e)+`)`)
}

func gate(account, now, which string) string {
	return `EXISTS (SELECT 1 FROM gates WHERE gates.account = ` + account + ` AND (lasting OR until_at > ` + now + `)
		AND ` + which + `)`
}

// pressing is the condition of effects that are carried out even if little is left: all but answers and news.
func pressing(e string) string { return e + `.rank < 2` }

// shutAccount is one that is shut, and until when.
type shutAccount struct {
	account string
	until   time.Time
	scarce  bool
}

func (s *shutAccount) dest() []any { return []any{&s.account, at(&s.until), &s.scarce} }

// shutAccounts are all that are shut, and those of which little is left.
func (tx *Tx) shutAccounts() (map[string]shutAccount, error) {
	all, err := list(tx, (*shutAccount).dest, `SELECT account, until_at, scarce FROM gates
		WHERE lasting OR until_at > $1`, micros(tx.Now))
	accounts := map[string]shutAccount{}
	for _, one := range all {
		accounts[one.account] = one
	}
	return accounts, wrap("list the accounts that are shut", err)
}
