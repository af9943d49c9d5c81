package layout

import "slices"

// manifests are plain workloads of Kubernetes.
type manifests struct{}

// workloads are the kinds of objects whose containers run an application.
var workloads = []string{"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Rollout", "Service", "Pod"}

// Versions implements Layout.
func (manifests) Versions(f File) (found []Version) {
	for _, o := range f.objects() {
		if !slices.Contains(workloads, o.kind) {
			continue
		}
		for _, v := range images(child(o.Node, "spec"), o.below("spec")) {
			v.Object = o.name
			found = append(found, v)
		}
	}
	return found
}
