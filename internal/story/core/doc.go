// Package core is the world of stories without a network: the decision core, a clock that moves only when a story
// waits, a store in memory, and a simulated GitHub that carries out each effect at once. All its decisions come from
// decide.Decide. The other world covers HTTP, SQL, prose and views.
package core
