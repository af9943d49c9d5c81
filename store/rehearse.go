package store

import (
	"context"
	"errors"

	"waybill/store/driver"
)

// rehearsing is a database that runs the function of each Update twice, the first time in vain.
type rehearsing struct{ driver.DB }

var errRehearsed = errors.New("only a rehearsal")

// Update implements driver.DB.
func (r rehearsing) Update(ctx context.Context, fn func(driver.Conn) error) error {
	err := r.DB.Update(ctx, func(c driver.Conn) error {
		if err := fn(c); err != nil {
			return err
		}
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	return r.DB.Update(ctx, fn)
}

// UpdateOne implements driver.DB.
func (r rehearsing) UpdateOne(ctx context.Context, fn func(driver.Conn) error) error {
	return r.Update(ctx, fn)
}
