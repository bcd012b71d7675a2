/* map.js - the map: its view, its drawing, its pointers and keys.
 *
 * Positions on the world are [x, y] from 0 to 1 (Mercator). The roads are drawn to a canvas that is larger than the window
 * whenever the view rests; while it moves, this picture moves with it, and only the route and the points are drawn. */
import { EXTENT, tilesOf } from './tiles.js'
import { kinds, widthOf } from './roads.js'
import { drawNames } from './names.js'

const TILE = 256, ZOOM_MIN = 3, ZOOM_MAX = 19, MARGIN = 0.2, GLIDE_MS = 220, GRAB_PX = 18, LINE_PX = 9, FLING_MS = 100
const ARRIVALS_MS = 80 /* tiles that come within them are drawn together */
export const view = { x: 0.5, y: 0.5, zoom: 3 }
/* Drawn over the roads. A snap is the place of a point on its road, a route [leg, ...], a leg [[x, y], ...], an area
 * { rings, inner, shade }, where `inner` has another shade. */
const over = { points: [], snaps: [], routes: [], chosen: 0, areas: [], part: [], mark: null }
const base = { canvas: document.createElement('canvas'), view: null, isOld: true }
let canvas, pen, handlers, profile = '', colours = {}, gliding = null, frame = 0, arrival = 0, hidden = { left: 0, bottom: 0 } /* pixels, by the panel */

/* ---- positions ---- */

export const flat = ([lon, lat]) => [lon / 360 + 0.5, 0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / 2 / Math.PI]
export const round = ([x, y]) => [(x - 0.5) * 360, Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180 / Math.PI]
const scale = () => TILE * 2 ** view.zoom
const toScreen = ([x, y]) => [(x - view.x) * scale() + innerWidth / 2, (y - view.y) * scale() + innerHeight / 2]
const fromScreen = ([x, y]) => [(x - innerWidth / 2) / scale() + view.x, (y - innerHeight / 2) / scale() + view.y]
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1])
const colour = name => colours[name] ||= getComputedStyle(document.documentElement).getPropertyValue('--' + name)
export const rangeOf = values => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity])
const clampZoom = zoom => Math.max(ZOOM_MIN, Math.min(ZOOM_MAX, zoom))

export const metresPerPixel = () => 40075017 * Math.cos(round([view.x, view.y])[1] * Math.PI / 180) / scale()

/* ---- moving ---- */

/* Moves the view so that a position of the world comes to a place on the screen. */
function put([x, y], [left, top], zoom) {
  view.zoom = zoom
  view.x = x - (left - innerWidth / 2) / scale()
  view.y = Math.max(0, Math.min(1, y - (top - innerHeight / 2) / scale()))
  redraw()
}

/* Does the same in GLIDE_MS. `gliding` is the glide that runs, with the zoom at its end. */
function glide(world, screen, zoom = view.zoom) {
  const begin = performance.now(), from = { screen: toScreen(world), zoom: view.zoom }
  const mine = gliding = { zoom }
  const whole = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : GLIDE_MS
  const move = now => {
    if (mine !== gliding) return
    const time = Math.max(0, Math.min(1, (now - begin) / whole)), part = 1 - (1 - time) ** 3
    put(world, [0, 1].map(i => from.screen[i] + (screen[i] - from.screen[i]) * part), from.zoom + (clampZoom(zoom) - from.zoom) * part)
    if (time < 1) requestAnimationFrame(move); else settle()
  }
  requestAnimationFrame(move)
}
function settle() { gliding = null; redraw() }

const middle = () => [(innerWidth + hidden.left) / 2, (innerHeight - hidden.bottom) / 2] /* of the part beside the panel */
export const centre = () => round(fromScreen(middle()))
export const zoomBy = (by, screen = middle()) => glide(fromScreen(screen), screen, (gliding || view).zoom + by)
export const goTo = (place, zoom = view.zoom) => glide(flat(place), middle(), Math.max(zoom, view.zoom))
export const isSeen = place => {
  const [x, y] = toScreen(flat(place))
  return x > hidden.left && y > 0 && x < innerWidth && y < innerHeight - hidden.bottom
}

/* Shows positions of the world; `isJump`: without a glide. */
export function fit(positions, isJump = false) {
  const [west, east] = rangeOf(positions.map(([x]) => x)), [north, south] = rangeOf(positions.map(([, y]) => y))
  const wide = (innerWidth - hidden.left - 80) / (east - west || 1e-9)
  const high = (innerHeight - hidden.bottom - 80) / (south - north || 1e-9)
  const zoom = Math.min(17, clampZoom(Math.log2(Math.max(1, Math.min(wide, high)) / TILE)))
  ;(isJump ? put : glide)([(west + east) / 2, (north + south) / 2], middle(), zoom)
}

/* ---- drawing ---- */

function resize(surface, width, height) {
  const ratio = devicePixelRatio || 1, context = surface.getContext('2d')
  if (surface.width !== Math.round(width * ratio) || surface.height !== Math.round(height * ratio)) {
    surface.width = Math.round(width * ratio)
    surface.height = Math.round(height * ratio)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.lineJoin = context.lineCap = 'round'
  return context
}

function drawRoads(ink, tiles, zoom, toPicture) {
  const tileScale = tile => scale() / 2 ** tile.z / EXTENT
  const stroke = (kind, width, style, dash = []) => {
    for (const tile of tiles) {
      const path = tile.roads.paths[kind], unit = tileScale(tile)
      if (!path) continue
      ink.save()
      if (tile.within.url !== tile.url) clip(ink, tile.within, toPicture)
      ink.translate(...toPicture([tile.x / 2 ** tile.z, tile.y / 2 ** tile.z]))
      ink.scale(unit, unit)
      ink.strokeStyle = style
      ink.lineWidth = width / unit
      ink.lineCap = dash.length || width < 3 ? 'butt' : 'round' /* round ends of thin lines take long and do not show */
      ink.lineJoin = width < 3 ? 'bevel' : 'round'
      ink.setLineDash(dash.map(length => length / unit))
      ink.stroke(path)
      ink.restore()
    }
  }
  const shown = kinds.map((kind, i) => i).filter(i => zoom >= kinds[i].from)
  const drawEdge = kind => { if (!kinds[kind].dash && widthOf(kind, zoom) > 2.6) stroke(kind, widthOf(kind, zoom) + 1.6, colour('edge')) }
  const drawKind = kind => stroke(kind, widthOf(kind, zoom), colour(kinds[kind].colour), kinds[kind].dash)
  const isClose = zoom >= 15 /* then junctions are open; otherwise streets do not cut the edges of main roads */
  if (isClose) shown.forEach(drawEdge)
  for (const kind of shown) {
    if (!isClose) drawEdge(kind)
    drawKind(kind)
  }
}

function clip(ink, tile, toPicture) {
  const size = scale() / 2 ** tile.z
  ink.beginPath()
  ink.rect(...toPicture([tile.x / 2 ** tile.z, tile.y / 2 ** tile.z]), size, size)
  ink.clip()
}

/* The picture of the roads, a margin larger than the window. */
function drawBase() {
  const width = innerWidth * (1 + 2 * MARGIN), height = innerHeight * (1 + 2 * MARGIN), ink = resize(base.canvas, width, height)
  const toPicture = world => { const [x, y] = toScreen(world); return [x + innerWidth * MARGIN, y + innerHeight * MARGIN] }
  const arrive = () => { arrival ||= setTimeout(() => { arrival = 0; restart() }, ARRIVALS_MS) }
  const northWest = fromScreen([-innerWidth * MARGIN, -innerHeight * MARGIN])
  const southEast = fromScreen([innerWidth * (1 + MARGIN), innerHeight * (1 + MARGIN)])
  const seen = tilesOf(profile, view.zoom, northWest, southEast, arrive)
  Object.assign(base, { view: { ...view }, isOld: false })
  ink.fillStyle = colour('ground')
  ink.fillRect(0, 0, width, height)
  if (seen) {
    drawRoads(ink, seen.tiles, view.zoom, toPicture)
    const project = ({ x, y, z }, [left, top]) => toPicture([(x + left / EXTENT) / 2 ** z, (y + top / EXTENT) / 2 ** z])
    drawNames(ink, seen.tiles, view.zoom, project, [width, height], colour)
  }
  canvas.dataset.state = !seen ? 'far' : seen.isWhole ? 'drawn' : 'loading'
}

function trace(line) {
  let last = null
  line.forEach((world, i) => {
    const at = toScreen(world)
    if (i && i < line.length - 1 && apart(at, last) < 1) return
    last = at
    if (i) pen.lineTo(...at); else pen.moveTo(...at)
  })
}

function drawLine(legs, style, width, edge) {
  pen.beginPath()
  legs.forEach(trace)
  for (const [stroke, wide] of [[edge, width + 3], [style, width]]) {
    pen.strokeStyle = stroke
    pen.lineWidth = wide
    pen.stroke()
  }
}

function drawPoint(world, letter, fill) {
  const [x, y] = toScreen(world)
  pen.beginPath()
  pen.arc(x, y, 12, 0, 7)
  pen.fillStyle = fill
  pen.fill()
  pen.strokeStyle = '#fff'
  pen.lineWidth = 2.5
  pen.stroke()
  pen.fillStyle = '#fff'
  pen.font = '600 13px system-ui, sans-serif'
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(letter, x, y + 0.5)
}

export const letterOf = i => i < 26 ? String.fromCharCode(65 + i) : String(i + 1)
export const roleOf = (i, count) => i === 0 ? 'first' : i === count - 1 ? 'last' : 'stop'

function drawOver() {
  for (const { rings, inner, shade } of over.areas) {
    pen.beginPath()
    for (const ring of [...rings, ...inner]) trace(ring)
    pen.fillStyle = colour(shade)
    pen.globalAlpha = 0.3
    pen.fill('evenodd')
    pen.globalAlpha = 1
    pen.beginPath()
    rings.forEach(trace)
    pen.strokeStyle = colour(shade)
    pen.lineWidth = 1.5
    pen.stroke()
  }
  over.routes.forEach((legs, i) => { if (i !== over.chosen) drawLine(legs, colour('other'), 5, colour('ground')) })
  if (over.routes[over.chosen]) drawLine(over.routes[over.chosen], colour('way'), 5.5, colour('ground'))
  if (over.part.length) drawLine([over.part], colour('part'), 5.5, colour('ground'))
  over.snaps.forEach((snap, i) => drawLine([[snap, over.points[i] ?? snap].map(flat)], colour('stop'), 2, colour('ground')))
  over.points.forEach((point, i) => drawPoint(flat(point), letterOf(i), colour(roleOf(i, over.points.length))))
  if (over.mark) drawPoint(flat(over.mark), '', colour('part'))
}

export const isMoving = () => gliding !== null || pressed.size > 0

/* Whether the map has moved too far for the picture of the roads, or has come to rest. */
function isBaseOld() {
  if (!base.view || base.isOld) return true
  const drift = scale() * Math.max(Math.abs(view.x - base.view.x) / innerWidth, Math.abs(view.y - base.view.y) / innerHeight)
  const by = Math.abs(view.zoom - base.view.zoom)
  return isMoving() ? drift > MARGIN || by > 1 : drift > 0 || by > 0
}

function draw() {
  frame = 0
  pen = resize(canvas, innerWidth, innerHeight)
  if (isBaseOld()) drawBase()
  const size = 2 ** (view.zoom - base.view.zoom), [x, y] = toScreen([base.view.x, base.view.y])
  const width = innerWidth * (1 + 2 * MARGIN) * size, height = innerHeight * (1 + 2 * MARGIN) * size
  pen.fillStyle = colour('ground')
  pen.fillRect(0, 0, innerWidth, innerHeight)
  pen.drawImage(base.canvas, x - width / 2, y - height / 2, width, height)
  drawOver()
  handlers.moved()
}
export function redraw() { frame ||= requestAnimationFrame(draw) }

/* Changes what is drawn over the roads. */
export function show(changes) { Object.assign(over, changes); redraw() }
/* Draws the roads again: of another profile, in other colours, or for another window. */
export function restart(changes = {}) {
  profile = changes.profile ?? profile
  hidden = changes.hidden ?? hidden
  colours = {}
  base.isOld = true
  redraw()
}

/* ---- pointing ---- */

const pressed = new Map() /* pointers: where they were last */
let held = null /* { point: its number, or -1 for the map, leg: of the route, or -1, hasMoved, start } */
let trail = [] /* the last FLING_MS of a pointer: { at, place } */

const pointAt = place => over.points.findLastIndex(point => apart(toScreen(flat(point)), place) < GRAB_PX)

/* The distance of a place on the screen from a line. */
function distanceTo(line, [x, y]) {
  let best = Infinity, [fromX, fromY] = toScreen(line[0])
  for (const world of line) {
    const [toX, toY] = toScreen(world), dx = toX - fromX, dy = toY - fromY
    const part = Math.max(0, Math.min(1, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1)))
    best = Math.min(best, Math.hypot(fromX + part * dx - x, fromY + part * dy - y))
    fromX = toX
    fromY = toY
  }
  return best
}
const legAt = (route, place) => (over.routes[route] || []).findIndex(leg => leg.length && distanceTo(leg, place) < LINE_PX)
const otherRouteAt = place => over.routes.findIndex((legs, i) => i !== over.chosen && legAt(i, place) >= 0)

function hold(event) {
  const place = [event.clientX, event.clientY]
  if (event.button !== 0) return
  canvas.setPointerCapture(event.pointerId)
  gliding = null
  pressed.set(event.pointerId, place)
  held = { point: pressed.size > 1 ? -1 : pointAt(place), leg: legAt(over.chosen, place), hasMoved: pressed.size > 1, start: place }
  trail = []
}

function follow(event) {
  const place = [event.clientX, event.clientY], before = pressed.get(event.pointerId)
  if (!before || !held) {
    canvas.style.cursor = pointAt(place) >= 0 || otherRouteAt(place) >= 0 ? 'pointer' : legAt(over.chosen, place) >= 0 ? 'copy' : ''
    return
  }
  if (!held.hasMoved && apart(place, held.start) < 5) return
  if (!held.hasMoved && held.point < 0 && held.leg >= 0) {
    held.point = held.leg + 1
    handlers.insert(held.point, round(fromScreen(place)))
  }
  held.hasMoved = true
  pressed.set(event.pointerId, place)
  const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1]
  if (other) put(fromScreen(other), other, clampZoom(view.zoom + Math.log2((apart(place, other) || 1) / (apart(before, other) || 1))))
  else if (held.point >= 0) handlers.drag(held.point, round(fromScreen(place)))
  else put(fromScreen(before), place, view.zoom)
  trail = [...recent(event), { at: event.timeStamp, place }]
}
const recent = event => trail.filter(({ at }) => event.timeStamp - at < FLING_MS)

/* Lets the map slide on at the speed of the pointer. */
function fling(event, place) {
  const [first] = recent(event), speed = first && 1 / Math.max(FLING_MS / 2, event.timeStamp - first.at)
  if (first) glide(fromScreen(place), place.map((end, i) => end + (end - first.place[i]) * speed * FLING_MS))
}

function release(event) {
  const place = [event.clientX, event.clientY]
  if (!pressed.delete(event.pointerId) || pressed.size) return
  const { point, hasMoved } = held, other = hasMoved || point >= 0 ? -1 : otherRouteAt(place)
  held = null
  if (hasMoved && point >= 0) handlers.drop()
  else if (hasMoved) fling(event, place)
  else if (other >= 0) handlers.choose(other)
  else if (point < 0) handlers.place(round(fromScreen(place)))
  redraw()
}

function press(event) {
  const step = 100, [x, y] = [innerWidth / 2, innerHeight / 2]
  const move = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key]
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (move) glide(fromScreen([x, y]), [x + move[0], y + move[1]])
  else if (event.key === '+' || event.key === '=') zoomBy(1)
  else if (event.key === '-') zoomBy(-1)
  else if (event.key === 'Enter') handlers.place(centre())
  else return
  event.preventDefault()
}

/* Starts to draw. `on`: place(place), insert(number, place), drag(number, place), drop(), remove(number), choose(route), and
 * moved(), whenever the map has been drawn. Places are [lon, lat]. */
export function start(element, on) {
  canvas = element
  handlers = on
  canvas.addEventListener('pointerdown', hold)
  canvas.addEventListener('pointermove', follow)
  canvas.addEventListener('pointerup', release)
  canvas.addEventListener('pointercancel', event => { pressed.delete(event.pointerId); held = null; settle() })
  canvas.addEventListener('keydown', press)
  canvas.addEventListener('wheel', event => {
    const by = -event.deltaY * (event.deltaMode ? 16 : 1) / (event.ctrlKey ? 80 : 240)
    event.preventDefault()
    zoomBy(Math.max(-1.5, Math.min(1.5, by)), [event.clientX, event.clientY])
  }, { passive: false })
  canvas.addEventListener('contextmenu', event => {
    const point = pointAt([event.clientX, event.clientY])
    event.preventDefault()
    if (point >= 0) handlers.remove(point)
  })
  addEventListener('resize', () => restart())
}
