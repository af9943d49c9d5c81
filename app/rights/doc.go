// Package rights asks GitHub what people may do, and remembers the answers for a few minutes.
package rights
