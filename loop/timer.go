package loop

import (
	"sync/atomic"
	"time"

	"ticketing/consensus"
)

// alarm posts a round when the earliest of what the loop waits for is due.
// gnet has no timers on its loop, and calls OnTick on a goroutine of its own.
type alarm struct {
	timer *time.Timer
	rang  atomic.Bool
	at    consensus.Mono // when it rings; 0: it is not set
}

func newAlarm(post func()) *alarm {
	a := &alarm{}
	a.timer = time.AfterFunc(time.Hour, func() {
		a.rang.Store(true)
		post()
	})
	a.timer.Stop()
	return a
}

// hush is called at the begin of each round.
func (a *alarm) hush() {
	if a.rang.Swap(false) {
		a.at = 0
	}
}

// set makes the alarm ring at `at` at the latest; 0 is never. An alarm that is
// set for an earlier time stays: one round too many costs less than setting
// the timer anew in every round.
func (a *alarm) set(at, now consensus.Mono) {
	if at == 0 || a.at != 0 && a.at <= at {
		return
	}
	at = min(at, after(now, alarmMax))
	a.at = at
	a.timer.Reset(time.Duration(at - min(at, now)))
}

func (a *alarm) stop() { a.timer.Stop() }
