// Package config reads the files that people write for Waybill: the pipeline file and the policy file of a repository,
// and the server's settings in the environment. Load turns the two files into a promotion.Pipeline or into a list of
// their mistakes, each with its place and its remedy.
//
// Every key of the files is defined once, in pipelinefile.go, stagefile.go and policyfile.go, with its form, its
// default and the sentence that explains it. The reader and the JSON Schema are both made from these definitions. One
// key by itself is judged while reading; keys that depend on each other are judged afterwards, by the files named
// compile*.go and the functions that they call.
package config
