// Package oracle holds the decision core against decisions that were recorded before it was rebuilt. Stories show what
// people see. They do not show wake times, effects that are withdrawn before they begin, or the rows that a decision
// writes; the oracle compares all of these.
//
// A recording is a pair of a snapshot and the decision on it. The files in testdata hold every call of promotion.Decide
// in all stories, played against the core, and in 2,000 random histories of the whole program. Beside each call stands
// the same call with one thing changed (see variations): later, held, asked for something. So there are answers to
// questions that hardly ever come up. Other questions to the core, such as Explain or Prospect, are not recorded.
//
// The files are compressed JSON, one object on a line: a pipeline, or a pair that names its pipeline by number. Their
// types are those of package recorded and do not change.
//
// Three functions lead between the recorded types and those of today: snapshotOf and pipelineOf make the arguments of
// Decide, decisionOf makes its result comparable. They copy fields of the same name. When a type of promotion changes
// its shape, copying panics and names the field that has no counterpart; one of these functions must then make the new
// value from the recorded one. Do not record again to get rid of the panic: the old answers to the old questions are
// the point of the oracle.
//
// A decision that is to differ from now on is listed in the test as a Wanted with its reason. Its Covers should be as
// narrow as possible. A Wanted that covers no pair fails the test, so that the list does not outlive its purpose.
//
// "make oracle" records again. That needs a core that is known to be right, and recordSnapshot and recordPipeline must
// still be able to fill the recorded types. Recording the same program twice makes the same bytes.
package oracle
