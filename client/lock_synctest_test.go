package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ticketing/proto"
)

const lease30 = 29940059940 * time.Nanosecond // 30 s · (1-ρ)/(1+ρ), rounded down

func TestALockIsLostWhenItsLeaseIsSurelyNotOver(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", grantAll)
		lock := w.mustAcquire()
		pass(lease30 - 1)
		if isOver(lock) {
			t.Error("lost too early")
		}
		pass(1)
		if !isOver(lock) {
			t.Error("not lost")
		}
		wantErrors(t, lock.Keep(context.Background()), ErrLost)
		wantErrors(t, lock.Release(context.Background())) // the server still had it
	})
}

func TestAKeepCountsFromItsSending(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 1))
			r := s.want(proto.OpKeep)
			if r.Lease != 30 || r.Token != 1 {
				t.Errorf("got %+v", r)
			}
			pass(2 * time.Second)
			s.say(kept(r))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		pass(10 * time.Second)
		wantErrors(t, lock.Keep(context.Background()))
		<-lock.Lost()
		wantAt(t, "lost", w.elapsed(), 10*time.Second+lease30)
	})
}

func TestAKeepThatFindsTheLockGoneEndsIt(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 1))
			s.say(notHeld(s.want(proto.OpKeep)))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		wantErrors(t, lock.Keep(context.Background()), ErrLost)
		if !isOver(lock) {
			t.Error("still believed in")
		}
	})
}

// A keep that gets no answer doesn't end the lock, and doesn't outlast it.
func TestAKeepWithoutAnAnswer(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.say(granted(s.want(proto.OpAcquire), 1)) })
		lock := w.mustAcquire()
		w.serve("a:1", func(*session) {})
		wantErrors(t, lock.Keep(context.Background()), ErrUnavailable)
		if isOver(lock) {
			t.Error("lost though its lease goes on")
		}
		pass(lease30 - w.elapsed() - time.Second)
		wantErrors(t, lock.Keep(context.Background()), ErrLost)
		wantAt(t, "Keep gave up", w.elapsed(), lease30)
	})
}

func TestAKeepEndsWithItsContext(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 1))
			s.want(proto.OpKeep)
			s.wantEnd()
		})
		lock := w.mustAcquire()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		wantErrors(t, lock.Keep(ctx), context.DeadlineExceeded)
		if isOver(lock) {
			t.Error("lost though its lease goes on")
		}
	})
}

// After a long wait nobody knows how old the grant is.
func TestALateGrantIsKeptFirst(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			pass(5 * time.Second)
			s.say(granted(r, 1))
			keep := s.want(proto.OpKeep)
			if keep.Token != 1 || keep.Lease != 30 || string(keep.Key) != "k" {
				t.Errorf("got %+v", keep)
			}
			s.say(kept(keep))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		<-lock.Lost()
		wantAt(t, "lost", w.elapsed(), 5*time.Second+lease30)
	})
}

func TestAPromptGrantIsNotKept(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			pass(3 * time.Second) // a tenth of the lease
			s.say(granted(r, 1))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		<-lock.Lost()
		wantAt(t, "lost", w.elapsed(), lease30)
	})
}

// The grant came so late that its lease was over. What is left of the wait is
// used to ask again.
func TestAGrantThatIsOverIsAskedForAgain(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			first := s.want(proto.OpAcquire)
			pass(4 * time.Second)
			s.say(granted(first, 1))
			s.say(notHeld(s.want(proto.OpKeep)))
			for range 2 { // giving back the first and asking anew go out together
				r, _ := s.next()
				switch {
				case r.Op == proto.OpRelease && r.Token == 1:
					s.say(notHeld(r))
				case r.Op == proto.OpAcquire && r.Wait == 6:
					s.say(granted(r, 2))
				default:
					t.Errorf("got %+v", r)
				}
			}
			s.wantEnd()
		})
		lock, err := w.client.Acquire(context.Background(), "k", 10*time.Second, time.Second)
		wantErrors(t, err)
		if lock.Token() != 2 {
			t.Errorf("token %d", lock.Token())
		}
		synctest.Wait() // the first grant is given back
	})
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			first := s.want(proto.OpAcquire)
			pass(2 * time.Second)
			s.say(granted(first, 1))
			s.say(notHeld(s.want(proto.OpKeep)))
			s.say(notHeld(s.want(proto.OpRelease)))
			s.wantEnd()
		})
		_, err := w.client.Acquire(context.Background(), "k", 2*time.Second, time.Second)
		wantErrors(t, err, ErrLost)
		synctest.Wait()
	})
}

// Go's timers don't count suspension, the client's clock does.
func TestASuspendedHolderNoticesWhenItWakesUp(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		var suspended atomic.Int64
		w.client.now = func() time.Duration { return w.elapsed() + time.Duration(suspended.Load()) }
		w.serve("a:1", grantAll)
		lock := w.mustAcquire()
		pass(5 * time.Second)
		suspended.Store(int64(time.Hour))
		<-lock.Lost()
		if late := w.elapsed() - 5*time.Second; late > suspendCheck {
			t.Errorf("noticed %v after waking up", late)
		}
	})
}

// leaseServer holds one key as a server would whose clock runs rate times as
// fast as real time: it notes when the lease is over.
func leaseServer(w *world, rate float64, delay func() time.Duration, over *atomic.Int64) func(*session) {
	lengthen := func(r proto.Request) {
		over.Store(int64(w.elapsed() + time.Duration(float64(seconds(r.Lease))/rate)))
	}
	return func(s *session) {
		for {
			r, ok := s.next()
			if !ok {
				return
			}
			pass(delay())
			switch r.Op {
			case proto.OpAcquire:
				lengthen(r)
				pass(delay())
				s.say(granted(r, 1))
			case proto.OpKeep:
				if w.elapsed() >= time.Duration(over.Load()) {
					s.say(notHeld(r))
					continue
				}
				lengthen(r)
				pass(delay())
				s.say(kept(r))
			}
		}
	}
}

// Whatever the network delays and the clocks drift, Lost comes before the
// server frees the key.
func TestLostComesBeforeTheServerFreesTheKey(t *testing.T) {
	seed := seedFor(t)
	const rho = DriftPPM / 1e6
	for run := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, run))
		inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
			slow, fast := 1-rho*random.Float64(), 1+rho*random.Float64()
			w.client.now = func() time.Duration { return time.Duration(float64(w.elapsed()) * slow) }
			var over atomic.Int64
			lease := time.Duration(1+random.IntN(20)) * time.Second
			// Drawn here, so that the server's goroutine draws nothing.
			delays := make([]time.Duration, 0, 64)
			for range cap(delays) {
				delays = append(delays, time.Duration(random.Int64N(int64(lease/4))))
			}
			var drawn atomic.Int64
			delay := func() time.Duration { return delays[int(drawn.Add(1))%len(delays)] }
			w.serve("a:1", leaseServer(w, fast, delay, &over))
			lock, err := w.client.Acquire(context.Background(), "k", time.Minute, lease)
			if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrLost) {
				return // delays too long for this lease
			}
			wantErrors(t, err)
			for range random.IntN(3) {
				pass(time.Duration(random.Int64N(int64(lease / 2))))
				lock.Keep(context.Background())
			}
			<-lock.Lost()
			if freed := time.Duration(over.Load()); w.elapsed() > freed {
				t.Errorf("run %d: lost at %v, freed at %v", run, w.elapsed(), freed)
			}
		})
	}
}

func TestHoldKeepsTheLeaseWhileWorkRuns(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		var keeps []time.Duration
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 1))
			for {
				r, ok := s.next()
				if !ok {
					return
				}
				if r.Op == proto.OpKeep {
					keeps = append(keeps, w.elapsed())
					s.say(kept(r))
				}
			}
		})
		lock := w.mustAcquire()
		failed := errors.New("work failed")
		err := lock.Hold(context.Background(), func(ctx context.Context) error {
			pass(45 * time.Second)
			if ctx.Err() != nil || isOver(lock) {
				t.Error("lost in spite of keeping")
			}
			return failed
		})
		wantErrors(t, err, failed)
		<-lock.Lost() // nobody keeps it any more
		wantAt(t, "lapsed", w.elapsed(), 40*time.Second+lease30)
		if len(keeps) != 4 || keeps[0] != 10*time.Second || keeps[3] != 40*time.Second {
			t.Errorf("kept at %v, want every 10 s", keeps)
		}
	})
}

// A renewal must not outlive the holder.
func TestALeaseLapsesWhenWorkPanics(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", grantAll)
		lock := w.mustAcquire()
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			lock.Hold(context.Background(), func(context.Context) error {
				pass(12 * time.Second)
				panic("work broke")
			})
		}()
		<-lock.Lost()
		wantAt(t, "lapsed", w.elapsed(), 10*time.Second+lease30)
	})
}

func TestHoldTellsWorkThatTheLockIsLost(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.say(granted(s.want(proto.OpAcquire), 1)) })
		lock := w.mustAcquire()
		w.serve("a:1", nil) // the server is gone
		err := lock.Hold(context.Background(), func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		wantErrors(t, err, ErrLost)
		wantAt(t, "lost", w.elapsed(), lease30)
	})
}

func TestHoldSurvivesAChangeOfLeader(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 1))
			s.want(proto.OpKeep)
			s.say(proto.AppendError(nil, proto.NoLeader))
			s.wantEnd()
		})
		w.serve("b:1", grantAll)
		lock := w.mustAcquire()
		lock.Hold(context.Background(), func(context.Context) error {
			pass(3 * lease30)
			if isOver(lock) {
				t.Error("lost though the new leader kept it")
			}
			return nil
		})
	})
}

func TestHoldEndsWithItsContext(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", grantAll)
		lock := w.mustAcquire()
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		lock.Hold(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil })
		<-lock.Lost()
		wantAt(t, "lapsed", w.elapsed(), 10*time.Second+lease30)
	})
}
