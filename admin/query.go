package admin

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// parseQuery reads prefix, limit and held_for (30s, 5m, or plain seconds).
func parseQuery(v url.Values) (Query, error) {
	q := Query{Prefix: v.Get("prefix"), Limit: locksDefault}
	for name := range v {
		if name != "prefix" && name != "limit" && name != "held_for" {
			return Query{}, fmt.Errorf("unknown parameter %q: there are prefix, limit and held_for", name)
		}
	}
	if s := v.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > locksMax {
			return Query{}, fmt.Errorf("limit %q: want a number from 1 to %d", s, locksMax)
		}
		q.Limit = n
	}
	if s := v.Get("held_for"); s != "" {
		d, err := parseSeconds(s)
		if err != nil {
			return Query{}, fmt.Errorf("held_for %q: want seconds, or a duration such as 90s or 5m", s)
		}
		q.HeldFor = d
	}
	return q, nil
}

func parseSeconds(s string) (time.Duration, error) {
	if n, err := strconv.ParseUint(s, 10, 32); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("negative")
	}
	return d, err
}
