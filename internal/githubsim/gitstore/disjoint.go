package gitstore

// disjoint makes merges in which no file was changed by both sides and none was deleted, so that Git cannot detect a
// rename. The result has the changes of both sides.
func (db *Objects) disjoint(ours, theirs string) (Merge, bool) {
	base, ok := db.MergeBase(ours, theirs)
	if !ok {
		return Merge{}, false
	}
	var sides [3]Entry
	for i, sha := range []string{base, ours, theirs} {
		c, err := db.Commit(sha)
		if err != nil {
			return Merge{}, false
		}
		sides[i] = Entry{Mode: ModeTree, SHA: c.Tree}
	}
	tree, ok := db.bothChanges(sides[0], sides[1], sides[2])
	return Merge{Tree: tree.SHA}, ok
}

// bothChanges merges one path. It returns false if both sides have changed a file there.
func (db *Objects) bothChanges(base, ours, theirs Entry) (Entry, bool) {
	switch {
	case ours == theirs:
		return ours, true
	case base.SHA != "" && (ours.SHA == "" || theirs.SHA == ""):
		return Entry{}, false
	case base == ours:
		return theirs, true
	case base == theirs:
		return ours, true
	case base.Mode != ModeTree || ours.Mode != ModeTree || theirs.Mode != ModeTree:
		return Entry{}, false
	}
	return db.bothTrees(base, ours, theirs)
}

// bothTrees merges one folder, entry by entry.
func (db *Objects) bothTrees(base, ours, theirs Entry) (Entry, bool) {
	var sides [3]map[string]Entry
	names := map[string]bool{}
	for i, side := range []Entry{base, ours, theirs} {
		entries, err := db.entries(side.SHA)
		if err != nil {
			return Entry{}, false
		}
		sides[i] = entries
		for name := range entries {
			names[name] = true
		}
	}
	var merged []Entry
	for name := range names {
		one, ok := db.bothChanges(sides[0][name], sides[1][name], sides[2][name])
		if !ok {
			return Entry{}, false
		}
		merged = append(merged, one)
	}
	tree, err := db.WriteTree(merged)
	return Entry{Mode: ModeTree, Name: ours.Name, SHA: tree}, err == nil
}
