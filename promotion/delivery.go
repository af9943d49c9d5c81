package promotion

// Delivery is the way in which promotions are delivered to a stage. Package deliver says how each of them is done.
type Delivery string

// Deliveries are all ways to deliver.
var Deliveries = []Delivery{DeliveryNone, DeliveryPullRequest, DeliveryCommit, DeliveryWorkflow}

// The ways to deliver.
const (
	// DeliveryNone delivers nothing: the stage has no promotions and passes freight on.
	DeliveryNone Delivery = ""
	// DeliveryPullRequest opens a pull request and merges it.
	DeliveryPullRequest Delivery = "pull request"
	// DeliveryCommit puts a commit on the branch of the stage's files, without a pull request.
	DeliveryCommit Delivery = "commit"
	// DeliveryWorkflow starts a workflow of GitHub Actions and changes no file.
	DeliveryWorkflow Delivery = "workflow"
)
