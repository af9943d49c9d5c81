package surface

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"waybill/store"
)

// Want writes down the wanted look of a view.
func Want(tx *store.Tx, v store.View, looks any) error {
	_, err := WantNew(tx, v, looks)
	return err
}

// Note writes down a view that shows already what it should.
func Note(tx *store.Tx, v store.View, looks any) error {
	shown, err := json.Marshal(looks)
	if err != nil {
		return fmt.Errorf("describe %s: %w", v.Surface, err)
	}
	v.Wanted = string(shown)
	return tx.Views.NoteView(v)
}

// WantNew writes down the wanted look of a view, and reports whether it has changed.
func WantNew(tx *store.Tx, v store.View, looks any) (changed bool, err error) {
	wanted, err := json.Marshal(looks)
	if err != nil {
		return false, fmt.Errorf("describe %s: %w", v.Surface, err)
	}
	v.Wanted = string(wanted)
	return tx.Views.WantView(v)
}

// ReadLook decodes the wanted look of a view.
func ReadLook(v *store.View, into any) error {
	if err := json.Unmarshal([]byte(v.Wanted), into); err != nil {
		return fmt.Errorf("read view %s: %w", v.Surface, err)
	}
	return nil
}

// Remote returns the id of a view at GitHub; 0 if it is not there yet.
func Remote(v *store.View) (int64, error) {
	if v.RemoteID == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v.RemoteID, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the id of view %s: %w", v.Surface, err)
	}
	return n, nil
}

// Wanted decodes the wanted look of the view at an address; there is false if there is no such view.
func Wanted(tx *store.Tx, address string, into any) (there bool, err error) {
	v, err := tx.Views.ViewBySurface(address)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = ReadLook(&v, into)
	}
	return err == nil, err
}
