package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ticketing/proto"
)

func TestAnAcquireSaysWhatWasAsked(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			if r.Wait != 10 || r.Lease != 30 || string(r.Key) != "k" {
				t.Errorf("got %+v", r)
			}
			s.say(granted(r, 77))
			r = s.want(proto.OpRelease)
			if r.Token != 77 || string(r.Key) != "k" {
				t.Errorf("got %+v", r)
			}
			s.say(released(r))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		if lock.Token() != 77 || lock.Key() != "k" {
			t.Errorf("got token %d of %q", lock.Token(), lock.Key())
		}
		if isOver(lock) {
			t.Error("lost at once")
		}
		wantErrors(t, lock.Release(context.Background()))
		if !isOver(lock) {
			t.Error("not over though released")
		}
	})
}

func TestEachDecisionHasItsError(t *testing.T) {
	for _, c := range []struct {
		reply func(proto.Request) []byte
		want  error
	}{{timedOut, ErrHeld}, {busy, ErrBusy}} {
		inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
			w.serve("a:1", func(s *session) { s.say(c.reply(s.want(proto.OpAcquire))); s.wantEnd() })
			_, err := w.client.Acquire(context.Background(), "k", 0, time.Second)
			wantErrors(t, err, c.want)
		})
	}
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.say(notHeld(s.want(proto.OpRelease))); s.wantEnd() })
		err := w.client.Release(context.Background(), "k", 5)
		wantErrors(t, err, ErrNotHeld)
		if errors.Is(err, ErrOutcomeOpen) {
			t.Errorf("the outcome is not open: %v", err)
		}
	})
}

// Many goroutines share one connection, and answers come in any order.
func TestAnswersAreMatchedInAnyOrder(t *testing.T) {
	const n = 200
	seed := seedFor(t)
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			requests := make([]proto.Request, n)
			for i := range requests {
				requests[i] = s.want(proto.OpAcquire)
			}
			random := rand.New(rand.NewPCG(seed, 0))
			random.Shuffle(n, func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
			for _, r := range requests {
				s.say(granted(r, r.Owner+uint64(len(r.Key))))
			}
			grantAll(s)
		})
		var all sync.WaitGroup
		for i := range n {
			key := fmt.Sprintf("key%d", i%7)
			all.Go(func() {
				lock, err := w.client.Acquire(context.Background(), key, time.Second, 9*time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				wantErrors(t, lock.Release(context.Background()))
			})
		}
		all.Wait()
		if got := len(w.dialled("a:1")); got != 1 {
			t.Errorf("%d connections, want 1", got)
		}
	})
}

// A release and a keep of one token are answered in order; N says not which of
// them it answers.
func TestReleaseAndKeepOfOneTokenAreAnsweredInOrder(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.say(granted(s.want(proto.OpAcquire), 9))
			keep := s.want(proto.OpKeep)
			release := s.want(proto.OpRelease)
			second := s.want(proto.OpRelease)
			s.say(kept(keep), released(release), notHeld(second))
			s.wantEnd()
		})
		lock := w.mustAcquire()
		var all sync.WaitGroup
		all.Go(func() { wantErrors(t, lock.Keep(context.Background())) })
		synctest.Wait()
		all.Go(func() { wantErrors(t, w.client.Release(context.Background(), "k", 9)) })
		synctest.Wait()
		all.Go(func() { wantErrors(t, w.client.Release(context.Background(), "k", 9), ErrNotHeld) })
		all.Wait()
	})
}

func TestRepliesMayComeInPieces(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			frames := append(proto.AppendKeepAlive(nil), granted(s.want(proto.OpAcquire), 0x0a0a0a0a)...)
			for i := range frames {
				s.say(frames[i : i+1])
			}
			grantAll(s)
		})
		if lock := w.mustAcquire(); lock.Token() != 0x0a0a0a0a {
			t.Errorf("token %x", lock.Token())
		}
	})
}

func TestWhatCannotBeSentIsRefused(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		ctx := context.Background()
		for _, c := range []struct {
			key         string
			wait, lease time.Duration
		}{
			{"", 0, time.Second}, {"a b", 0, time.Second}, {"a\n", 0, time.Second}, {"\xff", 0, time.Second},
			{strings.Repeat("x", 129), 0, time.Second},
			{"k", -time.Second, time.Second}, {"k", 65536 * time.Second, time.Second}, {"k", time.Millisecond, time.Second},
			{"k", 0, 0}, {"k", 0, 1500 * time.Millisecond}, {"k", 0, 65536 * time.Second}, {"k", 0, -1},
		} {
			_, err := w.client.Acquire(ctx, c.key, c.wait, c.lease)
			wantErrors(t, err, ErrArgument)
		}
		wantErrors(t, w.client.Release(ctx, "", 1), ErrArgument)
		if len(w.dialled("a:1")) != 0 {
			t.Error("dialled all the same")
		}
	})
	for _, addrs := range [][]string{nil, {"nohost"}, {"a:1", "::1"}} {
		_, err := New(Config{Addrs: addrs})
		wantErrors(t, err, ErrArgument)
	}
}

func TestTheLongestWaitAndLeaseAreExact(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			if r.Wait != 65535 || r.Lease != 65535 {
				t.Errorf("got %+v", r)
			}
			s.say(granted(r, 1))
			s.wantEnd()
		})
		lock, err := w.client.Acquire(context.Background(), "k", 65535*time.Second, 65535*time.Second)
		wantErrors(t, err)
		<-lock.Lost()
		// ρ is 1000 ppm: 65535 s · (1-ρ)/(1+ρ), in whole nanoseconds, rounded down.
		wantAt(t, "lost", w.elapsed(), 65404060939060)
	})
}

func TestACanceledAcquireGivesALateGrantBack(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		back := make(chan proto.Request, 1)
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			pass(2 * time.Second)
			s.say(granted(r, 42))
			r = s.want(proto.OpRelease)
			s.say(released(r))
			back <- r
			s.wantEnd()
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := w.client.Acquire(ctx, "k", 10*time.Second, 10*time.Second)
		wantErrors(t, err, context.DeadlineExceeded)
		wantAt(t, "Acquire returned", w.elapsed(), time.Second)
		if r := <-back; r.Token != 42 || string(r.Key) != "k" {
			t.Errorf("gave back %+v", r)
		}
	})
}

// The grant and the end of the context meet: the caller gets one of the two, and
// a grant that it does not get is given back.
func TestCancelAtTheInstantOfTheGrant(t *testing.T) {
	for range 200 {
		inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
			backs := make(chan int, 1)
			w.serve("a:1", func(s *session) {
				r := s.want(proto.OpAcquire)
				pass(time.Second)
				s.say(granted(r, 42))
				n := 0
				for {
					r, ok := s.next()
					if !ok {
						backs <- n
						return
					}
					if r.Op == proto.OpRelease {
						n++
						s.say(released(r))
					}
				}
			})
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			lock, err := w.client.Acquire(ctx, "k", 10*time.Second, 10*time.Second)
			if err == nil {
				wantErrors(t, lock.Release(context.Background()))
			}
			synctest.Wait()
			w.client.Close()
			if n := <-backs; n != 1 {
				t.Errorf("the key was given back %d times, Acquire said %v", n, err)
			}
		})
	}
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.want(proto.OpAcquire); s.wantEnd() })
		failed := make(chan error)
		go func() {
			_, err := w.client.Acquire(context.Background(), "k", time.Hour, time.Second)
			failed <- err
		}()
		synctest.Wait()
		w.client.Close()
		wantErrors(t, <-failed, ErrClosed)
		_, err := w.client.Acquire(context.Background(), "k", 0, time.Second)
		wantErrors(t, err, ErrClosed)
		w.client.Close()
	})
}

func TestCloseEndsADialThatWaits(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := w.client.Acquire(ctx, "k", time.Hour, time.Second)
		wantErrors(t, err, context.DeadlineExceeded)
		w.client.Close() // and the bubble sees that no goroutine is left
	})
}
