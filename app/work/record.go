package work

import "waybill/store"

// Record writes down what an effect has brought home, in the transaction that ends the effect.
type Record func(tx *store.Tx) error

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

// RecordAll records facts until one cannot be recorded.
func RecordAll[T any](facts []T, one func(T) error) error {
	for _, f := range facts {
		if err := one(f); err != nil {
			return err
		}
	}
	return nil
}
