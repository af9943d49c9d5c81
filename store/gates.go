package store

import (
	"time"
)

// Gate says that an account is shut: nothing of it is claimed, but deliveries that were not tried yet.
type Gate struct {
	// Until is when the account opens by itself, or, if it is Lasting, when that may be expected.
	Until   time.Time
	Lasting bool // it stays shut until it is opened
}

// Shut shuts the account of an installation, or opens it if the gate is the zero value. What fails in an account that
// is shut waits for its opening, and for nothing else.
func (up Upkeep) Shut(installation int64, g Gate) error {
	account := accountOf(installation)
	if g == (Gate{}) {
		_, err := up.tx.exec(`DELETE FROM gates WHERE account = $1`, account)
		return wrap("open account "+account, err)
	}
	_, err := up.tx.exec(`INSERT INTO gates (account, until_at, lasting) VALUES ($1, $2, $3)
		ON CONFLICT (account) DO UPDATE SET until_at = $2, lasting = $3`, account, micros(g.Until), g.Lasting)
	return wrap("shut account "+account, err)
}

// shut is the condition of an account that is shut. Its parameter is the time.
func shut(account, now string) string {
	return `EXISTS (SELECT 1 FROM gates WHERE gates.account = ` + account + ` AND (lasting OR until_at > ` + now + `))`
}

// shutAccount is one that is shut, and until when.
type shutAccount struct {
	account string
	until   time.Time
}

func (s *shutAccount) dest() []any { return []any{&s.account, at(&s.until)} }

// shutAccounts are all that are shut.
func (tx *Tx) shutAccounts() (map[string]time.Time, error) {
	all, err := list(tx, (*shutAccount).dest, `SELECT account, until_at FROM gates WHERE lasting OR until_at > $1`,
		micros(tx.Now))
	until := map[string]time.Time{}
	for _, one := range all {
		until[one.account] = one.until
	}
	return until, wrap("list the accounts that are shut", err)
}
