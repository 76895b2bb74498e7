package sim

import "ticketing/consensus"

// clock is a node's monotonic clock: it runs a little fast or slow, and never
// jumps (time that a machine is suspended it counts). Its wall clock may be
// anything.
type clock struct {
	base consensus.Mono // reading at since
	from Time
	rate float64 // of true time
}

func (c *clock) read(now Time) consensus.Mono {
	return c.base + consensus.Mono(float64(now-c.from)*c.rate)
}

// when returns the first true time at which the clock shows m or more.
func (c *clock) when(m consensus.Mono) Time {
	if m <= c.base {
		return c.from
	}
	return c.from + Time(float64(m-c.base)/c.rate) + 1
}

// setRate changes the speed from now on.
func (c *clock) setRate(now Time, rate float64) {
	c.base, c.from, c.rate = c.read(now), now, rate
}
