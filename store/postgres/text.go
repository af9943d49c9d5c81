package postgres

import (
	"database/sql/driver"
	"reflect"

	store "waybill/store/driver"
)

// storable returns an argument that PostgreSQL can store: a text without the character NUL, in valid UTF-8. Texts of
// conditions are changed like those that are stored, so that they are still found.
func storable(arg any) any {
	switch v := arg.(type) {
	case nil, int64, int, bool, []byte:
		return arg
	case string:
		return store.Storable(v)
	case driver.Valuer:
		value, err := v.Value()
		if text, is := value.(string); err == nil && is {
			return store.Storable(text)
		}
		return arg
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return store.Storable(v.String())
	}
	return arg
}

// storableAll returns the arguments of a statement.
func storableAll(args []any) []any {
	all := make([]any, len(args))
	for i, arg := range args {
		all[i] = storable(arg)
	}
	return all
}
