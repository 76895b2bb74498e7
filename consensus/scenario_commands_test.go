package consensus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commands of a scenario. N, A and B are members.
var commands map[string]func(s *scenario, args []string) error

func init() {
	commands = map[string]func(s *scenario, args []string) error{
		"cluster":        (*scenario).cluster,  // N [election=500ms] [heartbeat=100ms] [rates=1,1,1] [snapshot=ENTRIES] [kept=ENTRIES] [log=ENTRIES] [message=ENTRIES]
		"campaign":       (*scenario).campaign, // N: phase one at once
		"prevote":        (*scenario).prevote,  // N: as when its election timer runs out
		"deliver":        (*scenario).deliver,  // A>B [TYPE] [COUNT]: what is under way now, in order; * for any
		"drop":           (*scenario).drop,     // A>B [TYPE] [COUNT]
		"dup":            (*scenario).dup,      // A>B [TYPE] [COUNT]: deliver, and keep a copy under way
		"keep":           (*scenario).keep,     // A>B [TYPE] [COUNT]: remember what is under way
		"replay":         (*scenario).replay,   // what was kept is under way again
		"cut":            (*scenario).cut,      // A>B ...: what is sent there from now on is lost
		"heal":           (*scenario).heal,
		"persist":        (*scenario).persist,       // N [COUNT]: the disk makes writes durable and says so
		"write":          (*scenario).write,         // N COUNT: the disk makes writes durable, and nobody hears of it
		"settle":         (*scenario).settleUp,      // everything is delivered and synced until nothing moves
		"crash":          (*scenario).crash,         // N: what is not durable is lost
		"restart":        (*scenario).restart,       // N
		"pause":          (*scenario).pause,         // N: it does nothing until "resume"
		"resume":         (*scenario).resume,        // N
		"time":           (*scenario).time,          // DURATION [settle]: passes in steps of 10ms
		"beat":           (*scenario).beat,          // N: a heartbeat to all
		"propose":        (*scenario).propose,       // N TEXT...
		"chunk":          (*scenario).chunk,         // N: the next chunk of its own snapshot
		"read":           (*scenario).read,          // N: the disk answers a read of a chunk
		"handover":       (*scenario).handOver,      // N
		"expect":         (*scenario).expect,        // N KEY=VALUE...
		"expect-log":     (*scenario).expectLog,     // N SLOT:BALLOT:TEXT...: the log in memory
		"expect-pending": (*scenario).expectPending, // COUNT: messages under way
		"quiet":          (*scenario).quiet,         // COMMAND...: without printing what is done
	}
}

func (s *scenario) cluster(args []string) error {
	cfg := Config{DriftPPM: drift * 1_000_000}
	rates := make([]float64, number(args[0]))
	for i := range rates {
		rates[i] = 1
	}
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "election":
			cfg.ElectionTimeout = Mono(duration(value))
		case "heartbeat":
			cfg.Heartbeat = Mono(duration(value))
		case "snapshot":
			cfg.SnapshotBytes = uint64(number(value)) * entryOverhead
		case "kept":
			cfg.Limits.KeptBytes = uint64(number(value)) * entryOverhead
			cfg.Limits.AwaitedBytes = cfg.Limits.KeptBytes
		case "log":
			cfg.Limits.LogBytes = uint64(number(value)) * entryOverhead
		case "message":
			cfg.Limits.MessageBytes = uint64(number(value)) * entryOverhead
		case "rates":
			for i, rate := range strings.Split(value, ",") {
				f, err := strconv.ParseFloat(rate, 64)
				if err != nil {
					return err
				}
				rates[i] = f
			}
		default:
			return fmt.Errorf("unknown setting %s", key)
		}
	}
	s.w = newWorld(cfg, rates)
	s.w.noted = true
	return nil
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func (s *scenario) member(text string) *member { return s.w.members[number(text)-1] }

func (s *scenario) campaign(args []string) error {
	m := s.member(args[0])
	m.core.campaign()
	m.settle()
	s.show()
	return nil
}

func (s *scenario) prevote(args []string) error {
	m := s.member(args[0])
	m.core.preVote()
	m.settle()
	s.show()
	return nil
}

// matching takes the messages under way that args name out of the network:
// A>B, then a type and a number of messages, each of which may be missing.
func (s *scenario) matching(args []string) ([]packet, error) {
	from, to, ok := strings.Cut(args[0], ">")
	if !ok {
		return nil, fmt.Errorf("%s is not A>B", args[0])
	}
	kind, most := "", len(s.w.net)
	for _, arg := range args[1:] {
		if n, err := strconv.Atoi(arg); err == nil {
			most = n
		} else {
			kind = arg
		}
	}
	var taken []packet
	s.w.net = slices.DeleteFunc(s.w.net, func(p packet) bool {
		if from != "*" && NodeID(number(from)) != p.from || to != "*" && NodeID(number(to)) != p.to ||
			kind != "" && kind != messageNames[p.m.Type] || len(taken) == most {
			return false
		}
		taken = append(taken, p)
		return true
	})
	if len(taken) == 0 {
		var all strings.Builder
		for _, p := range s.w.net {
			fmt.Fprintf(&all, "\n%d>%d %s", p.from, p.to, printMessage(&p.m))
		}
		return nil, fmt.Errorf("there is no such message, but only%s", all.String())
	}
	return taken, nil
}

func (s *scenario) deliver(args []string) error {
	packets, err := s.matching(args)
	for _, p := range packets {
		s.w.deliver(p)
		s.lose()
	}
	s.show()
	return err
}

func (s *scenario) drop(args []string) error {
	_, err := s.matching(args)
	return err
}

func (s *scenario) dup(args []string) error {
	packets, err := s.matching(args)
	s.w.net = append(s.w.net, packets...)
	for _, p := range packets {
		s.w.deliver(p)
	}
	s.show()
	return err
}

func (s *scenario) keep(args []string) error {
	packets, err := s.matching(args)
	s.w.net = append(s.w.net, packets...)
	s.kept = append(s.kept, packets...)
	return err
}

func (s *scenario) replay([]string) error {
	s.w.net = append(s.w.net, s.kept...)
	s.kept = nil
	return nil
}

func (s *scenario) cut(args []string) error {
	for _, arg := range args {
		from, to, _ := strings.Cut(arg, ">")
		s.cuts[[2]NodeID{NodeID(number(from)), NodeID(number(to))}] = true
	}
	s.lose()
	return nil
}

func (s *scenario) heal([]string) error {
	clear(s.cuts)
	return nil
}

// lose drops what is under way over links that are cut.
func (s *scenario) lose() {
	s.w.net = slices.DeleteFunc(s.w.net, func(p packet) bool { return s.cuts[[2]NodeID{p.from, p.to}] })
}

func (s *scenario) persist(args []string) error {
	m := s.member(args[0])
	n := len(m.disk.waiting)
	if len(args) > 1 {
		n = number(args[1])
	}
	if n == 0 {
		return fmt.Errorf("nothing waits for the disk")
	}
	m.sync(n, true)
	s.show()
	return nil
}

func (s *scenario) write(args []string) error {
	s.member(args[0]).sync(number(args[1]), false)
	return nil
}

func (s *scenario) crash(args []string) error {
	s.member(args[0]).crash(0)
	return nil
}

func (s *scenario) restart(args []string) error {
	s.member(args[0]).start()
	s.show()
	return nil
}

func (s *scenario) pause(args []string) error {
	s.paused[NodeID(number(args[0]))] = true
	return nil
}

func (s *scenario) resume(args []string) error {
	m := s.member(args[0])
	delete(s.paused, m.id)
	m.settle()
	s.show()
	return nil
}

func (s *scenario) time(args []string) error {
	const step = 10 * time.Millisecond
	for d := duration(args[0]); d > 0; d -= step {
		s.w.now += float64(min(d, step))
		for _, m := range s.w.members {
			if m.core != nil && !s.paused[m.id] {
				m.settle()
			}
		}
		s.lose()
		if len(args) > 1 {
			s.settleAll()
		}
	}
	s.show()
	return nil
}

func (s *scenario) settleUp([]string) error {
	s.settleAll()
	s.show()
	return nil
}

// settleAll moves everything that can move without time passing.
func (s *scenario) settleAll() {
	for moved := true; moved; {
		moved = false
		for _, m := range s.w.members {
			if m.core == nil || s.paused[m.id] {
				continue
			}
			for _, act := range []func() bool{m.syncAll, m.readAll, m.chunkAll} {
				moved = act() || moved
			}
		}
		s.lose()
		var net []packet
		s.w.net = slices.DeleteFunc(s.w.net, func(p packet) bool {
			if s.paused[p.to] {
				return false
			}
			net = append(net, p)
			return true
		})
		for _, p := range net {
			s.w.deliver(p)
			moved = true
		}
	}
}

func (s *scenario) beat(args []string) error {
	s.member(args[0]).beat()
	s.show()
	return nil
}

func (s *scenario) propose(args []string) error {
	m := s.member(args[0])
	m.core.Tick(m.clock())
	m.core.Propose([]byte(strings.Join(args[1:], " ")))
	m.finish()
	s.show()
	return nil
}

func (s *scenario) chunk(args []string) error {
	s.member(args[0]).chunk()
	s.show()
	return nil
}

func (s *scenario) read(args []string) error {
	s.member(args[0]).read()
	s.show()
	return nil
}

func (s *scenario) handOver(args []string) error {
	m := s.member(args[0])
	m.core.HandOver()
	m.settle()
	s.show()
	return nil
}

func (s *scenario) quiet(args []string) error {
	err := s.run(args)
	s.out.Reset()
	return err
}
