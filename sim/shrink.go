package sim

// Shrink looks for few faults with which the world of seed still fails in some
// way, by leaving out ever smaller parts of its schedule, and returns the
// indexes of those that are needed. It gives up improving after tries worlds.
func Shrink(seed uint64, opt Options, tries int) []int {
	p := paramsOf(seed, &opt)
	keep := make([]int, len(schedule(seed, &p)))
	for i := range keep {
		keep[i] = i
	}
	for part := (len(keep) + 1) / 2; part > 0 && tries > 0; {
		smaller, ok := without(seed, opt, keep, part, &tries)
		if ok {
			keep = smaller
			part = min(part, (len(keep)+1)/2)
			continue
		}
		part /= 2
	}
	return keep
}

// without finds a run of part indexes that can be left out.
func without(seed uint64, opt Options, keep []int, part int, tries *int) ([]int, bool) {
	for from := 0; from < len(keep) && *tries > 0; from += part {
		*tries--
		rest := append(append([]int(nil), keep[:from]...), keep[min(from+part, len(keep)):]...)
		o := opt
		o.Keep = Among(rest)
		if r := Run(seed, o); r.Failed() {
			return rest, true
		}
	}
	return nil, false
}

// Among returns whether an index is in list.
func Among(list []int) func(int) bool {
	in := map[int]bool{}
	for _, i := range list {
		in[i] = true
	}
	return func(i int) bool { return in[i] }
}
