/* tiles.js - the roads of the map: vector tiles of the server, decoded and kept. */
import { kindOf, kinds } from './roads.js'

export const EXTENT = 4096 /* units of a tile's side */
const ZOOM_MIN = 12, ZOOM_MAX = 16, KEPT = 300, ACROSS = 12, RETRY_MS = 2000, DETAIL = 5 /* units: closer points do not show */
const tiles = new Map() /* by url: { url, profile, x, y, z, roads }, the roads of decode() once they are loaded */

/* ---- protobuf, as the specification of vector tiles has it ---- */

function* fields(bytes) {
  let at = 0
  const number = () => {
    let value = 0, factor = 1, byte
    do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128 } while (byte & 128)
    return value
  }
  while (at < bytes.length) {
    const key = number(), wire = key & 7
    const size = wire === 2 ? number() : wire === 1 ? 8 : wire === 5 ? 4 : 0
    yield [key >>> 3, size || wire === 2 ? bytes.subarray(at, at += size) : number()]
  }
}

function numbers(bytes) {
  const list = []
  let value = 0, factor = 1
  for (const byte of bytes) {
    value += (byte & 127) * factor
    factor *= 128
    if (byte < 128) { list.push(value); value = 0; factor = 1 }
  }
  return list
}

function lines(commands) {
  const found = []
  const next = number => number & 1 ? -(number + 1) / 2 : number / 2
  let x = 0, y = 0
  for (let i = 0; i < commands.length;) {
    const isMove = (commands[i] & 7) === 1
    for (let count = commands[i++] >> 3; count > 0; --count) {
      x += next(commands[i++])
      y += next(commands[i++])
      if (isMove) found.push([])
      found[found.length - 1].push([x, y])
    }
  }
  return found
}

function* layerRoads(layer) {
  const text = new TextDecoder(), keys = [], values = [], features = []
  for (const [field, value] of fields(layer)) {
    if (field === 1 && text.decode(value) !== 'speeds') return
    if (field === 2) features.push(value)
    if (field === 3) keys.push(text.decode(value))
    if (field === 4) for (const [type, held] of fields(value)) values.push(type === 1 ? text.decode(held) : held)
  }
  for (const feature of features) {
    const road = { name: '', class: '', lines: [] }
    for (const [field, value] of fields(feature)) {
      if (field === 2) numbers(value).forEach((tag, i, tags) => { if (i % 2) road[keys[tags[i - 1]]] = values[tag] })
      if (field === 4) road.lines = lines(numbers(value))
    }
    yield road
  }
}

/* ---- streets: a name is drawn along all pieces of its road, which end at junctions ---- */

const bearing = (from, to) => Math.atan2(to[1] - from[1], to[0] - from[0])
const straightness = (a, b, c) => Math.cos(bearing(b, c) - bearing(a, b))

/* Adds to the end of `street` the pieces that go on from there, the straightest first. */
function extend(street, byEnd) {
  for (;;) {
    const end = street[street.length - 1], before = street[street.length - 2]
    let best = null, bestCosine = 0.7
    for (const piece of byEnd.get(end.join()) || []) {
      const line = piece.line[0].join() === end.join() ? piece.line : [...piece.line].reverse()
      const cosine = piece.used ? -1 : straightness(before, end, line[1])
      if (cosine > bestCosine) { best = { piece, line }; bestCosine = cosine }
    }
    if (!best) return street
    best.piece.used = true
    street.push(...best.line.slice(1))
  }
}

function joinStreets(pieces) {
  const byEnd = new Map()
  for (const piece of pieces)
    for (const end of [piece.line[0], piece.line[piece.line.length - 1]])
      byEnd.set(end.join(), [...byEnd.get(end.join()) || [], piece])
  return pieces.flatMap(piece => {
    if (piece.used) return []
    piece.used = true
    return [extend(extend([...piece.line], byEnd).reverse(), byEnd)]
  })
}

function simplify(line) {
  let last = line[0]
  return line.filter((point, i) => {
    const isKept = i === 0 || i === line.length - 1 || Math.hypot(point[0] - last[0], point[1] - last[1]) > DETAIL
    if (isKept) last = point
    return isKept
  })
}

/* { paths: a Path2D or undefined for each kind of road, streets: [{ name, kind, line }] } */
function decode(bytes) {
  const paths = kinds.map(() => undefined), named = new Map(), streets = [], seen = new Set()
  for (const [, layer] of fields(bytes))
    for (const road of layerRoads(layer)) {
      const kind = kindOf(road.class), path = paths[kind] ||= new Path2D()
      for (const line of road.lines) {
        const key = kind + road.name, ends = [line[0], line[line.length - 1]], sum = line.reduce((sum, [x, y]) => sum + 3 * x + y, 0)
        if (seen.has([key, sum, ends].join())) continue /* the other direction of a road is the same line */
        seen.add([key, sum, ends.reverse()].join())
        simplify(line).forEach(([x, y], i) => i ? path.lineTo(x, y) : path.moveTo(x, y))
        if (!road.name || line.length < 2) continue
        if (!named.has(key)) named.set(key, { name: road.name, kind, pieces: [] })
        named.get(key).pieces.push({ line })
      }
    }
  for (const { name, kind, pieces } of named.values())
    streets.push(...joinStreets(pieces).map(line => ({ name, kind, line })))
  return { paths, streets }
}

/* ---- the tiles of a view ---- */

function load(tile, changed) {
  tiles.set(tile.url, tile)
  if (tiles.size > KEPT) tiles.delete(tiles.keys().next().value)
  fetch(tile.url).then(answer => answer.ok ? answer.arrayBuffer() : new ArrayBuffer(0))
    .then(bytes => { tile.roads = decode(new Uint8Array(bytes)); changed() })
    .catch(() => setTimeout(() => { tiles.delete(tile.url); changed() }, RETRY_MS))
}

const meets = (a, b) => { /* do two tiles of one profile share ground? */
  const [low, high] = a.z < b.z ? [a, b] : [b, a], factor = 2 ** (high.z - low.z)
  return a.profile === b.profile && Math.floor(high.x / factor) === low.x && Math.floor(high.y / factor) === low.y
}

/* The tiles of a part of the world, 1 x 1, at a zoom: { tiles: [{ x, y, z, roads, within }], isWhole }; null if there are too
 * many. While a tile is loaded, those of other zooms take its place, `within` it. Calls `changed` when one has come. */
export function tilesOf(profile, zoom, [west, north], [east, south], changed) {
  const z = Math.max(ZOOM_MIN, Math.min(ZOOM_MAX, Math.floor(zoom) - 1)), side = 2 ** z, found = []
  let isWhole = true
  if ((east - west) * side > ACROSS || (south - north) * side > ACROSS) return null
  for (let x = Math.max(0, Math.floor(west * side)); x <= Math.min(side - 1, east * side); ++x)
    for (let y = Math.max(0, Math.floor(north * side)); y <= Math.min(side - 1, south * side); ++y) {
      const url = `tile/v1/${encodeURIComponent(profile)}/tile(${x},${y},${z}).mvt`
      if (!tiles.has(url)) load({ url, profile, x, y, z }, changed)
      const tile = tiles.get(url)
      isWhole &&= Boolean(tile.roads)
      if (tile.roads) found.push({ ...tile, within: tile })
      else for (const other of tiles.values()) if (other.roads && meets(other, tile)) found.push({ ...other, within: tile })
    }
  return { tiles: found, isWhole }
}
