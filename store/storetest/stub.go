package storetest

var pipelines []test
var freight []test
var signals []test
var pullRequests []test
var pushes []test
var attempts []test
var requests []test
var snapshots []test
var decisions []test
var effects []test
var claims []test
var views []test
var resync []test
