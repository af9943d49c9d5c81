package intake

import "context"

// quickly does work on proposed files. The worker of a webhook has 100 ms for it (config.Quick, quickTrial): do is told
// to be quick, and reports whether it has finished. If it has not, or if the work is known to be long, it is done in
// the lane, one piece at a time in the whole server. So files that are not in force keep one processor busy at most.
// do asks GitHub nothing: nobody waits for the GitHub of somebody else.
func (ps *proposals) quickly(ctx context.Context, long bool, do func(quick bool) (done bool, err error)) error {
	if !long {
		if done, err := do(true); done || err != nil {
			return err
		}
	}
	leave, err := ps.large.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	_, err = do(false)
	return err
}
