package store

// Whatever happens while the App lacks a permission or an event may be missed. So the pipelines that it matters to are
// noted: they are compared with GitHub once the App has it, also if the process does not live to see that.

// NoteLacking notes that the App lacks something which these pipelines use, and nothing that others use.
func (cs Clocks) NoteLacking(pipelines []int64) error {
	_, err := cs.tx.exec(`UPDATE pipelines SET lacking = FALSE WHERE lacking`)
	for i := 0; err == nil && i < len(pipelines); i++ {
		_, err = cs.tx.exec(`UPDATE pipelines SET lacking = TRUE WHERE id = $1`, pipelines[i])
	}
	return wrap("note what lacks something", err)
}

// Lacking lists the pipelines that used what the App lacked when that was noted last.
func (cs Clocks) Lacking() ([]int64, error) {
	all, err := list(cs.tx, func(id *int64) []any { return []any{id} },
		`SELECT id FROM pipelines WHERE lacking ORDER BY id`)
	return all, wrap("read what lacked something", err)
}
