package config

import "encoding/json"

// Secret is a text that must not be seen in a log, an answer or a dump. Only a conversion to string shows it.
type Secret string

// String returns a placeholder.
func (s Secret) String() string {
	if s == "" {
		return "[none]"
	}
	return "[secret]"
}

// GoString returns a placeholder, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON returns a placeholder, for logs and dumps of settings as JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
