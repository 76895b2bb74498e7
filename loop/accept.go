package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ticketing/proto"
)

// The server accepts by itself and enrols what it accepts with gnet. gnet's own
// acceptor takes whatever comes, however far ahead of the loop, ends the whole
// engine when there are no descriptors left, and can't be stopped alone.

const (
	// acceptors work at a time: each waits for the loop to take its
	// connection before it accepts the next.
	acceptors = 4

	// acceptPause follows an error, as when no descriptors are left.
	acceptPause = 50 * time.Millisecond

	// turnAwayTimeout bounds the writing of a line that fits into any socket.
	turnAwayTimeout = time.Second
)

// listen opens a port whose connections inherit what a client's needs.
func listen(address string) (net.Listener, error) {
	lc := net.ListenConfig{KeepAlive: -1, Control: setSocketOptions} // -1: as inherited
	lc.SetMultipathTCP(false)
	return lc.Listen(context.Background(), "tcp", address)
}

func setSocketOptions(_, _ string, raw syscall.RawConn) error {
	var err error
	set := func(fd uintptr, level, option, value int) {
		if err == nil {
			err = unix.SetsockoptInt(int(fd), level, option, value)
		}
	}
	if err := raw.Control(func(fd uintptr) {
		set(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
		set(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAliveIdleSeconds)
		set(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAliveIntervalSeconds)
		set(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveProbes)
		set(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(userTimeout.Milliseconds()))
	}); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("set socket options: %w", err)
	}
	return nil
}

// accept runs until the listener is closed. admit takes the connection over.
func (s *Server) accept(ln net.Listener, admit func(net.Conn)) {
	failing := false
	for {
		nc, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err == nil:
			failing = false
			admit(nc)
			continue
		case !failing: // a line for each time that it begins
			s.cfg.Log.Error("no connection can be accepted; the server tries on", slog.Any("error", err))
		}
		failing = true
		s.pause(acceptPause)
	}
}

// pause waits, unless the server ends.
func (s *Server) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ending:
	}
}

// refusal is why a connection can't be let in now, or empty.
func (s *Server) refusal() proto.Reason {
	switch {
	case s.turningAway.Load():
		return proto.ShuttingDown
	case int(s.conns.Load()) >= s.cfg.MaxConns:
		return proto.TooManyConnections
	}
	return ""
}

// admitPlain returns when the loop has the connection.
func (s *Server) admitPlain(nc net.Conn) {
	if why := s.refusal(); why != "" {
		s.turnAway(nc, why)
		return
	}
	remote := nc.RemoteAddr()
	if _, err := s.engine.EnrollContext(nc, newConn()); err != nil {
		s.cfg.Log.Error("connection can't be taken in", slog.Any("client", remote), slog.Any("error", err))
	}
}

// turnAway sends a line in place of the challenge, on which clients back off.
func (s *Server) turnAway(nc net.Conn, why proto.Reason) {
	s.metrics.turnedAway(why)
	_ = nc.SetWriteDeadline(time.Now().Add(turnAwayTimeout))
	_, _ = nc.Write(proto.AppendTurnedAway(nil, why)) // it may have gone already
	_ = nc.Close()
}
