// Package recorded has the types in which package oracle stores decisions. They are copies of the types that package
// promotion had when the decisions were recorded, with plain strings and numbers for its named ones, and they do not
// follow its changes: a field means what the field of the same name meant then. Fields that were zero are not stored. A
// list that was empty but not nil is stored as an empty list, because some rules tell the two apart.
package recorded
