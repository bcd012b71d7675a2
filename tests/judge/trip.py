"""Trips over a network: whether one is legal and, if not, which tag it violates; and where a legal one leads.

A trip may use roads for ENDS only at its two ends: it is in phase START until it is on an open road, then in
phase MIDDLE, and in phase END once it has left the open roads. Two judges share the rules. The strict one
only accepts what every reading of the wiki allows: it says where a way surely exists. The lenient one only
refuses what every reading forbids.
"""

from collections import deque

from law import BIKES, FEET, CLOSED, ENDS, OPEN

DRAWS = 8
START, MIDDLE, END = 0, 1, 2
TO_ENDS = {START: START, MIDDLE: END, END: END}
TO_OPEN = {START: MIDDLE, MIDDLE: MIDDLE, END: None}


def tarjan(nodes, heads):
    """component[node] of the strongly connected components; heads(node) lists successors."""
    index, low, component, stack, counter = {}, {}, {}, [], 0
    for root in nodes:
        if root in index:
            continue
        index[root] = low[root] = counter
        counter += 1
        stack.append(root)
        work = [(root, iter(heads(root)))]
        while work:
            node, rest = work[-1]
            for head in rest:
                if head not in index:
                    index[head] = low[head] = counter
                    counter += 1
                    stack.append(head)
                    work.append((head, iter(heads(head))))
                    break
                if head not in component:
                    low[node] = min(low[node], index[head])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    while True:
                        member = stack.pop()
                        component[member] = node
                        if member == node:
                            break
    return component


def weak_components(network, usable):
    """part[node] over all usable edges, whatever their direction."""
    part = {}

    def find(node):
        while part.setdefault(node, node) != node:
            part[node] = part[part[node]]
            node = part[node]
        return node

    for edge in usable:
        part[find(network.tail[edge])] = find(network.head[edge])
    return {node: find(node) for node in list(part)}


def enclaves(network, open_way, open_node):
    """Open edges that are left or reached over ENDS only: all outside the strongly connected open part with the
    longest roads. Where readings differ, open_way(way) and open_node(node) say whether it counts as open."""
    def is_open(edge):
        reading = network.reading[edge]
        return reading == OPEN or bool(reading & OPEN) and open_way(network.way[edge])

    def is_usable(edge):
        reading = network.reading[edge]
        return reading in (ENDS, OPEN) or reading != CLOSED and open_way(network.way[edge])

    def is_passed(node):
        level = network.node_level.get(node, OPEN)
        return level == OPEN or bool(level & OPEN) and open_node(node)

    usable = [edge for edge in range(len(network.reading)) if is_usable(edge)]
    successors, length = {}, {}
    for edge in usable:
        tail = network.tail[edge]
        if is_open(edge) and is_passed(tail):
            successors.setdefault(tail, []).append(network.head[edge])
            length[tail] = length.get(tail, 0) + road_length(network, edge)
    component = tarjan(list(network.out), lambda node: successors.get(node, ()))
    part, size, largest = weak_components(network, usable), {}, {}
    for node in component:
        size[component[node]] = size.get(component[node], 0) + length.get(node, 0)
    for node in part:
        best = largest.setdefault(part[node], component[node])
        if size[component[node]] > size[best]:
            largest[part[node]] = component[node]
    through = {node for node in part if component[node] == largest[part[node]]}
    return {edge for edge in usable if network.tail[edge] not in through or network.head[edge] not in through}


def never(_):
    return False


def always(_):
    return True


def road_length(network, edge):
    """In metres; ferries and trains do not count."""
    return 0 if "route" in network.raw.ways[network.way[edge]][1] else network.length[edge]


class Judge:
    def __init__(self, network, strict):
        self.network, self.strict = network, strict
        self.enclave = enclaves(network, never, never)
        if not strict:  # not all readings can be tried: of some, each way and node is either
            drawn = [lambda number, draw=draw: number * 2654435761 >> 16 + draw & 1 for draw in range(DRAWS)]
            for ways, nodes in [(never, always), (always, never), (always, always), *zip(drawn, drawn)]:
                self.enclave |= enclaves(network, ways, nodes)

    def phases_on(self, edge, phase):
        """The phases after entering the edge; empty if it may not be entered."""
        reading = self.network.reading[edge]
        if self.strict:
            if reading not in (ENDS, OPEN):
                return ()
            if reading == OPEN and edge in self.enclave:
                return (phase,)
        elif reading == CLOSED:
            return ()
        elif reading & OPEN and (reading & ENDS or edge in self.enclave):
            return (phase,)
        after = TO_OPEN[phase] if reading & OPEN else TO_ENDS[phase]
        return () if after is None else (after,)

    def phase_past(self, node, phase):
        """The phase after passing the node, None if it may not be passed."""
        level = self.network.node_level.get(node, OPEN)
        if self.strict:
            return None if level & CLOSED else TO_ENDS[phase] if level & ENDS else phase
        return None if level == CLOSED else phase if level & OPEN else TO_ENDS[phase]

    def turn(self, edge, memo, onto):
        """(chains under way, None) after turning from one edge onto another, or (None, the ban)."""
        network = self.network
        node, way, next_way, back = network.head[edge], network.way[edge], network.way[onto], onto == edge ^ 1
        begun = network.bans_from.get((way, node), ())
        if not begun and not memo:
            return (), None
        after = []
        allowed_by_only = any(ban.only and next_way == ban.chain[1] for ban in begun)
        for ban in begun:
            binds = self.strict or ban.sure
            if len(ban.chain) > 2:
                if next_way == ban.chain[1] and not back:
                    after.append((ban, 1))
                elif ban.only and self.strict:
                    return None, ban
            elif binds and self.breaks(ban, next_way, back, allowed_by_only):
                return None, ban
        for ban, at in memo:
            binds = self.strict or ban.sure
            if node != ban.nodes[at]:
                if next_way == way and not back:
                    after.append((ban, at))
                elif ban.only and self.strict:
                    return None, ban
            elif at == len(ban.chain) - 2:
                if binds and self.breaks(ban, next_way, back, False):
                    return None, ban
            elif next_way == ban.chain[at + 1]:
                after.append((ban, at + 1))
            elif ban.only and self.strict:
                return None, ban
        return tuple(after), None

    def breaks(self, ban, next_way, back, allowed_by_only):
        """Whether the last turn of a chain is what the ban forbids."""
        if ban.only:
            return next_way != ban.chain[-1] and (self.strict or not (allowed_by_only or back))
        if next_way != ban.chain[-1]:
            return False
        return back or len(ban.chain) > 2 or ban.chain[0] != ban.chain[1]

    def step(self, state, onto):
        """The states after one more edge; `state` is None at the start."""
        if state is None:
            return [(onto, phase, ()) for phase in self.phases_on(onto, START)]
        edge, phase, memo = state
        if onto != edge ^ 1 or self.strict:  # who turns back does not pass
            phase = self.phase_past(self.network.head[edge], phase)
        if phase is None:
            return []
        memo, _ = self.turn(edge, memo, onto)
        return [] if memo is None else [(onto, after, memo) for after in self.phases_on(onto, phase)]

    def reach(self, source, avoid=()):
        """parent[state] of every state that a legal trip from the node comes to; None stands for the start.
        `avoid`: ways and nodes that it must not use."""
        network, parent, queue = self.network, {}, deque([None])
        while queue:
            state = queue.popleft()
            exits = network.out.get(source if state is None else network.head[state[0]], ())
            if state is not None and len(exits) > 1:
                usable = [edge for edge in exits if edge != state[0] ^ 1 and network.reading[edge] != CLOSED]
                exits = usable or exits  # turning back is left to dead ends
            for edge in exits:
                if network.way[edge] in avoid or network.tail[edge] in avoid and network.tail[edge] != source:
                    continue
                for after in self.step(state, edge):
                    if after not in parent:
                        parent[after] = state
                        queue.append(after)
        return parent


def edges_along(network, tail, head, way, stops):
    """The runs of edges on one way that lead from tail to head and pass none of the stops. `way` may be
    None."""
    for edge in network.out.get(tail, ()):
        run = [edge]
        while network.head[run[-1]] != head and network.head[run[-1]] not in stops:
            following = run[-1] + (2 if run[-1] % 2 == 0 else -2)
            if not 0 <= following < len(network.way) or network.way[following] != network.way[edge]:
                break
            run.append(following)
        if network.head[run[-1]] == head and (way is None or network.way[edge] == way):
            yield run


def violation(judge, arcs, stops):
    """(what forbids a route, in words, the way or node that it may only use at its ends), each None if there
    is none. arcs: (tail, head, way or None)."""
    network, states, past = judge.network, {None}, []
    for tail, head, way in arcs:
        if tail == head and way is None:
            continue
        runs = list(edges_along(network, tail, head, way, stops))
        if not runs:
            if across_area(network, tail, head):
                states = {None}
                continue
            return f"no way joins nodes {tail} and {head}", None
        after = set()
        for run in runs:
            found = states
            for edge in run:
                found = {new for state in found for new in judge.step(state, edge)}
            after |= found
        if not after:
            return reason(judge, states, runs[0], past)
        states = after
        past += runs[0]
    return None, None


def across_area(network, tail, head):
    """An open area may be crossed by those who may walk there."""
    return network.mode in BIKES + FEET and bool(
        network.areas_of.get(tail, set()) & network.areas_of.get(head, set())
    )


def reason(judge, states, run, past):
    """Why no state can go on over the run; `past` are the edges before it."""
    network = judge.network
    for edge in run:
        way = network.way[edge]
        tags = short(network.raw.ways[way][1])
        if network.reading[edge] == CLOSED:
            return f"way {way} {'backward' if edge % 2 else 'forward'} is closed: {tags}", None
        following = {new for state in states for new in judge.step(state, edge)}
        if not following:
            for state in states - {None}:
                node = network.head[state[0]]
                if judge.phase_past(node, state[1]) is None:
                    return f"node {node} is closed: {short(network.raw.node_tags[node])}", None
                ban = judge.turn(state[0], state[2], edge)[1]
                if ban:
                    return (
                        f"relation {ban.relation} {short(ban.tags)} bans way {network.way[state[0]]} to way {way} at "
                        f"node {node}"
                    ), None
            kind, number, its_tags = ends_only(network, past)
            return f"{kind} {number} {short(its_tags)} is a shortcut before way {way} {tags}", number
        states = following
    return "unknown", None


def ends_only(network, past):
    """The last way or node on the way that is for ends only: (kind, number, tags)."""
    for edge in reversed(past):
        node, way = network.head[edge], network.way[edge]
        if not network.node_level.get(node, OPEN) & OPEN:
            return "node", node, network.raw.node_tags[node]
        if not network.reading[edge] & OPEN:
            return "way", way, network.raw.ways[way][1]
    return "way", network.way[past[-1]], network.raw.ways[network.way[past[-1]]][1]


def short(tags):
    dull = (
        "name",
        "ref",
        "source",
        "wiki",
        "note",
        "created",
        "lit",
        "operator",
        "website",
        "old_",
        "alt_",
        "int_",
    )
    return (
        "{"
        + ", ".join(f"{key}={value}" for key, value in sorted(tags.items()) if not key.startswith(dull))
        + "}"
    )
