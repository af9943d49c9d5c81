package work

import "waybill/store"

// Record writes the result of a piece of work, in the transaction that ends the work.
type Record func(tx *store.Tx) error

// InOrder returns a record that writes all records in their order and leaves out those that are nil.
func InOrder(all []Record) Record {
	return func(tx *store.Tx) error {
		for _, rec := range all {
			if rec == nil {
				continue
			}
			if err := rec(tx); err != nil {
				return err
			}
		}
		return nil
	}
}

// RecordAll calls one for each fact and stops at the first error.
func RecordAll[T any](facts []T, one func(T) error) error {
	for _, f := range facts {
		if err := one(f); err != nil {
			return err
		}
	}
	return nil
}
