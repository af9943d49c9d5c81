package intake

import "context"

// quickly does work on proposed files. A worker that has taken a webhook has 100 ms for it (config.Quick, quickTrial,
// quickWords): do is told to be quick, and reports whether it has got to its end. What does not, or is long beforehand,
// is done in the lane, where nothing else is worked out meanwhile in the whole server. So what is not in force keeps no
// more than one processor busy. do asks GitHub nothing: nobody waits for the GitHub of somebody else.
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
