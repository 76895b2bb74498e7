package client

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ticketing/proto"
)

func TestARedirectIsFollowedWithTheSameOwner(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		asked := make(chan proto.Request, 2)
		w.serve("a:1", func(s *session) {
			asked <- s.want(proto.OpAcquire)
			s.say(proto.AppendMoved(nil, "c:1"))
			s.wantEnd()
		})
		w.serve("c:1", func(s *session) { // not in the list: the cluster knows better
			r := s.want(proto.OpAcquire)
			asked <- r
			s.say(granted(r, 5))
			grantAll(s)
		})
		lock := w.mustAcquire()
		first, second := <-asked, <-asked
		if first.Owner != second.Owner || string(first.Key) != string(second.Key) || first.Lease != second.Lease {
			t.Errorf("asked %+v, then %+v", first, second)
		}
		wantAt(t, "acquired", w.elapsed(), 0)
		wantErrors(t, lock.Release(context.Background()))
		if len(w.dialled("a:1")) != 1 || len(w.dialled("b:1")) != 0 || len(w.dialled("c:1")) != 1 {
			t.Errorf("dials: %v", w.dials)
		}
	})
}

// M drops the connection and with it everything in flight, which is then asked
// of the leader.
func TestARedirectTakesEverythingInFlightAlong(t *testing.T) {
	const n = 20
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			for range n {
				s.want(proto.OpAcquire)
			}
			s.say(proto.AppendMoved(nil, "b:1"))
			s.wantEnd()
		})
		w.serve("b:1", grantAll)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				_, err := w.client.Acquire(context.Background(), addrOf(i), time.Second, time.Second)
				wantErrors(t, err)
			})
		}
		all.Wait()
	})
}

// On L the client only switches: what the old leader still owes, it may answer.
func TestANewLeaderIsSwitchedTo(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			s.say(proto.AppendLeader(nil, "b:1"))
			pass(3 * time.Second)
			s.say(granted(r, 1))
			s.wantEnd()
		})
		w.serve("b:1", func(s *session) { s.say(granted(s.want(proto.OpAcquire), 2)); s.wantEnd() })
		var old sync.WaitGroup
		old.Go(func() {
			if lock := w.mustAcquire(); lock.Token() != 1 {
				t.Errorf("token %d, want the old leader's answer", lock.Token())
			}
		})
		synctest.Wait()
		if lock := w.mustAcquire(); lock.Token() != 2 {
			t.Errorf("token %d, want the new leader's answer", lock.Token())
		}
		wantAt(t, "the new leader answered", w.elapsed(), 0)
		old.Wait()
	})
}

// Each of these ends the connection, and the next node is asked with what is
// left of the wait.
func TestARequestOutlivesItsConnection(t *testing.T) {
	ends := map[string]func(*session){
		"no_leader":  func(s *session) { s.say(proto.AppendError(nil, proto.NoLeader)); s.wantEnd() },
		"not_active": func(s *session) { s.say(proto.AppendError(nil, proto.NotActive)); s.wantEnd() },
		"closed":     func(*session) {},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
				w.serve("a:1", func(s *session) {
					if r := s.want(proto.OpAcquire); r.Wait != 10 {
						t.Errorf("wait %d", r.Wait)
					}
					pass(2500 * time.Millisecond)
					end(s)
				})
				w.serve("b:1", func(s *session) {
					r := s.want(proto.OpAcquire)
					if r.Wait != 8 { // 7.5 s are left, rounded up
						t.Errorf("wait %d", r.Wait)
					}
					s.say(granted(r, 1))
					s.wantEnd()
				})
				w.mustAcquire()
			})
		})
	}
}

func TestAServerThatNeverAnswersIsLeft(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.want(proto.OpRelease); s.wantEnd() })
		w.serve("b:1", grantAll)
		wantErrors(t, w.client.Release(context.Background(), "k", 1))
		wantAt(t, "released", w.elapsed(), answerTime)
	})
}

// A release that may have taken effect, and then finds nothing to release, is
// not told to have failed.
func TestAReleaseWithAnOpenOutcomeSaysSo(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		first := true
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpRelease)
			if first {
				first = false
				return
			}
			s.say(notHeld(r))
			s.wantEnd()
		})
		err := w.client.Release(context.Background(), "k", 1)
		wantErrors(t, err, ErrNotHeld, ErrOutcomeOpen)
	})
}

// M is the answer to one request. Alone on its connection, a release that got it
// has certainly not taken effect.
func TestAReleaseThatWasOnlyRedirectedIsNotOpen(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.want(proto.OpRelease)
			s.say(proto.AppendMoved(nil, "b:1"))
			s.wantEnd()
		})
		w.serve("b:1", func(s *session) { s.say(notHeld(s.want(proto.OpRelease))); s.wantEnd() })
		err := w.client.Release(context.Background(), "k", 1)
		wantErrors(t, err, ErrNotHeld)
		if errors.Is(err, ErrOutcomeOpen) {
			t.Error("told to be open")
		}
	})
}

func TestARequestThatNobodyAnswersEnds(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		_, err := w.client.Acquire(context.Background(), "k", 10*time.Second, time.Second)
		wantErrors(t, err, ErrUnavailable, errRefused)
		if errors.Is(err, ErrOutcomeOpen) {
			t.Error("nothing was ever sent")
		}
		wantAt(t, "Acquire returned", w.elapsed(), 10*time.Second+patience)
		// The two take turns, each after up to backoffMax.
		for addr, times := range w.dials {
			if n := len(times); n < 10 || n > 45 {
				t.Errorf("%s was dialled %d times: %v", addr, n, times)
			}
		}
	})
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.want(proto.OpAcquire) })
		_, err := w.client.Acquire(context.Background(), "k", 0, time.Second)
		wantErrors(t, err, ErrUnavailable, ErrOutcomeOpen)
	})
}

// However many requests wait for a server that is down, it is dialled at the
// pace of one.
func TestManyRequestsDialAsOne(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		var all sync.WaitGroup
		for range 500 {
			all.Go(func() { wantErrors(t, w.client.Release(context.Background(), "k", 1), ErrUnavailable) })
		}
		all.Wait()
		if n := len(w.dialled("a:1")); n < 6 || n > 25 {
			t.Errorf("dialled %d times in %v", n, patience)
		}
	})
}

// Two nodes that each name the other as the leader are not asked in a frenzy.
func TestNodesThatPointAtEachOtherAreAskedSlowly(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		point := func(to string) func(*session) {
			return func(s *session) { s.want(proto.OpRelease); s.say(proto.AppendMoved(nil, to)); s.wantEnd() }
		}
		w.serve("a:1", point("b:1"))
		w.serve("b:1", point("a:1"))
		wantErrors(t, w.client.Release(context.Background(), "k", 1), ErrUnavailable)
		if n := len(w.dialled("a:1")); n < 3 || n > 25 {
			t.Errorf("dialled %d times in %v", n, patience)
		}
	})
}

func TestBackOffIsOverOnceAServerHasAnswered(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		wantErrors(t, w.client.Release(context.Background(), "k", 1), ErrUnavailable)
		w.serve("a:1", func(s *session) { s.say(released(s.want(proto.OpRelease))) })
		wantErrors(t, w.client.Release(context.Background(), "k", 1))
		synctest.Wait() // the server has hung up
		before := w.elapsed()
		wantErrors(t, w.client.Release(context.Background(), "k", 1))
		if took := w.elapsed() - before; took > backoffMin {
			t.Errorf("dialled %v after a connection that had been of use", took)
		}
	})
}

func TestTheWrongSecretIsNotTriedAgain(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			s.want(proto.OpAcquire)
			pass(time.Second)
			s.say(proto.AppendError(nil, proto.AuthFailed))
			s.wantEnd()
		})
		_, err := w.client.Acquire(context.Background(), "k", time.Minute, time.Second)
		wantErrors(t, err, ErrAuth)
		wantAt(t, "refused", w.elapsed(), time.Second)
	})
}

// Frames that answer nothing that was asked, or that are none.
func TestAServerThatBreaksTheProtocolIsNotTrusted(t *testing.T) {
	for name, frame := range map[string][]byte{
		"garbage":        []byte("HTTP/1.1 400 Bad Request\r\n"),
		"other key":      proto.AppendReleased(nil, 1, []byte("other")),
		"other token":    proto.AppendReleased(nil, 2, []byte("k")),
		"not an acquire": proto.AppendAcquired(nil, 1, 1, []byte("k")),
		"not a keep":     proto.AppendKept(nil, 1, []byte("k")),
		"bad key":        proto.AppendError(nil, proto.BadKey),
		"unknown reason": proto.AppendError(nil, "hungry"),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
				w.serve("a:1", func(s *session) { s.want(proto.OpRelease); s.say(frame); s.wantEnd() })
				wantErrors(t, w.client.Release(context.Background(), "k", 1), ErrProtocol)
			})
		})
	}
}

func TestSilenceIsBrokenByKeepAlives(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			r := s.want(proto.OpAcquire)
			for range 5 { // a minute of silence, but for the client's keep-alives
				s.want(0)
				s.say(proto.AppendKeepAlive(nil))
			}
			wantAt(t, "fifth keep-alive", w.elapsed(), 5*keepAliveEvery)
			s.say(granted(r, 1))
			grantAll(s)
		})
		_, err := w.client.Acquire(context.Background(), "k", time.Hour, time.Hour)
		wantErrors(t, err)
		if len(w.dialled("a:1")) != 1 {
			t.Error("the connection did not last")
		}
	})
}

func TestAServerThatVanishedIsLeft(t *testing.T) {
	inWorld(t, []string{"a:1", "b:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) { s.want(proto.OpAcquire); s.wantEnd() })
		w.serve("b:1", grantAll)
		_, err := w.client.Acquire(context.Background(), "k", time.Hour, time.Hour)
		wantErrors(t, err)
		wantAt(t, "acquired elsewhere", w.elapsed(), silenceLimit)
	})
}

// While requests go out, a server sends no keep-alives, though all of them wait.
func TestAServerIsNotSilentWhileItIsAsked(t *testing.T) {
	inWorld(t, []string{"a:1"}, func(t *testing.T, w *world) {
		w.serve("a:1", func(s *session) {
			var waiting []proto.Request
			for range 5 {
				waiting = append(waiting, s.want(proto.OpAcquire))
			}
			for _, r := range waiting {
				s.say(granted(r, 1))
			}
			grantAll(s)
		})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, err := w.client.Acquire(context.Background(), "k", time.Hour, time.Hour)
				wantErrors(t, err)
			})
			pass(8 * time.Second)
		}
		all.Wait()
		if len(w.dialled("a:1")) != 1 {
			t.Error("the connection did not last")
		}
	})
}
