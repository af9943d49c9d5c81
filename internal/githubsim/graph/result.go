package graph

import (
	"bytes"
	"encoding/json"
)

// Result is an answered object, with its fields in the order of the document.
type Result struct {
	keys   []string
	values []any
}

func (r *Result) set(key string, value any) {
	r.keys = append(r.keys, key)
	r.values = append(r.values, value)
}

// MarshalJSON writes the fields in order.
func (r *Result) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, key := range r.keys {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(r.values[i])
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}
