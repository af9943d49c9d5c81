package store

import (
	"cmp"
	"math"
	"time"
)

// Claim describes the work that a worker asks for.
type Claim struct {
	Lease time.Duration // how long the row is to belong to the worker
	// Limit returns how many leases an account may have at a time; 0: any number. A repository has no more of them than
	// are left to the others of the account.
	Limit func(account string) int
	// Room is for how many more pieces of work there is room; 0: any number. An account has no more leases than there is
	// room for others; the work of no account has no limit.
	Room int
	// Suspects asks for a piece of work that two processes in a row have died of. Without it only other work is claimed.
	// No limit is looked at: of all suspects one is worked on at a time.
	Suspects bool
}

// For returns the claim with a lease of some length.
func (c Claim) For(lease time.Duration) Claim {
	c.Lease = lease
	return c
}

// most is how many leases an account may have.
func (c Claim) most(account string) int {
	if account == "" {
		return math.MaxInt
	}
	most := cmp.Or(c.Room, math.MaxInt)
	if c.Limit != nil {
		most = min(most, cmp.Or(c.Limit(account), math.MaxInt))
	}
	return most
}

// leases counts the leases of accounts and their repositories, when it is first asked.
type leases struct {
	count func() ([]leasesOf, error)
	all   []leasesOf
}

// leasesOf is how many leases there are of a repository of an account.
type leasesOf struct {
	account, repo string
	n             int
	alone         int // of them, those beside which no other row of the repository is ready
}

func (l *leasesOf) dest() []any { return []any{&l.account, &l.repo, &l.n, &l.alone} }

// leases are those of a queue, if there are some.
func (tx *Tx) leases(q *queue, some bool) *leases {
	if !some {
		return &leases{}
	}
	return &leases{count: func() ([]leasesOf, error) {
		all, err := list(tx, (*leasesOf).dest, q.leased, micros(tx.conn.Steady()))
		return all, wrap("count the leases of a "+q.name, err)
	}}
}

// full reports whether a repository of an account has as many leases as it may have, or one beside which there may be
// no other, and whether the account has as many as it may have.
func (l *leases) full(c Claim, account, repo string) (full, all bool, err error) {
	if l.count != nil {
		if l.all, err = l.count(); err != nil {
			return false, false, err
		}
		l.count = nil
	}
	ofAccount, ofRepo, alone := 0, 0, false
	for _, some := range l.all {
		if some.account == account {
			ofAccount += some.n
			alone = alone || some.repo == repo && some.alone > 0
			if some.repo == repo && repo != "" {
				ofRepo = some.n
			}
		}
	}
	most := c.most(account)
	return alone || ofAccount+ofRepo >= most, ofAccount >= most, nil
}
