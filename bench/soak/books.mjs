// Sums that must be equal, and a sentence for each that is not. Counters of a killed process die with it: they are compared at the end of each life
// shortly before its SIGKILL, with the load halted and the targets settled; what comes after is held to account by event ids.

const sum = (...numbers) => numbers.reduce((all, one) => all + one, 0);

// requests = passed + denied + monitored + unjudged, as the clients saw it and as wafd counts.
export function requests_add_up({ life, engine, ring }) {
  const wrong = [];
  const must = (what, left, right) => { if (left !== right) wrong.push(`${what}: ${left} and ${right}`); };
  must('answered = passed + denied + monitored + unjudged', life.answered, sum(life.passed, life.denied, life.monitored, life.unjudged));
  must('requests of wafd and answers of clients', engine.requests, life.answered);
  must('denied by wafd and answers of clients', engine.denied, life.denied);
  must('monitored by wafd and attacks on the site that watches', engine.monitored, life.monitored);
  must('events in the ring and denied + monitored + recorded', ring.end - ring.begin, sum(engine.denied, engine.monitored, engine.allowed_recorded));
  must('refused by the ring', engine.ring_refused, 0);
  const excused = sum(engine.overload_passed, engine.interrupted, engine.judged_by_head);
  if (life.unjudged > excused) wrong.push(`${life.unjudged} attacks passed, and wafd says that it did not judge ${excused}`);
  return wrong;
}

// events = sent + pending + filtered + lost, for a target that is settled both times. What a target is told as lost is an upper bound: events that
// were sent, not acknowledged and then overtaken are in `sent` too. So with loss the sum is at least the events; without, equal.
export function target_adds_up(name, before, after, events) {
  const fresh = (status) => status.sent - status.resent;
  const parts = {
    sent: fresh(after) - fresh(before),
    pending: after.lag_events - before.lag_events,
    filtered: after.filtered - before.filtered,
    lost: after.lost - before.lost,
  };
  const total = sum(...Object.values(parts));
  const right = parts.lost > 0 ? total >= events : total === events;
  return { name, events, ...parts, wrong: right ? [] : [`target ${name}: ${events} events, ${JSON.stringify(parts)}`] };
}

// Every event is at the receiver or in a gap that it was told. `order` are all ids in the order of the ring, of which the first has sequence `first`.
export function arrived_or_told(order, first, receiver) {
  const told = receiver.gaps.toSorted((a, b) => a.first_seq - b.first_seq);
  let missing = 0;
  let lost = 0;
  for (const [place, id] of order.entries()) {
    if (receiver.seen.has(id)) continue;
    const seq = first + place;
    if (told.some((gap) => gap.first_seq <= seq && seq <= gap.last_seq)) lost += 1;
    else missing += 1;
  }
  return { events: order.length, arrived: order.length - missing - lost, lost, missing };
}

// The first and last of its ids in the order of the ring, and how many between are not there.
export function holes(place_of, receiver) {
  const places = [...receiver.seen.keys()].map((id) => place_of.get(id)).filter((place) => place !== undefined);
  if (places.length === 0) return 0;
  let first = places[0];
  let last = first;
  for (const place of places) {
    first = Math.min(first, place);
    last = Math.max(last, place);
  }
  return last - first + 1 - places.length;
}
