/* names.js - names of streets, letter by letter along their roads, where there is room. */
import { kinds, widthOf } from './roads.js'

const APART_PX = 320 /* between two equal names */
const BEND = 0.5     /* radians between two letters at most */
const widths = new Map()
/* Scripts whose letters change with their neighbours are drawn as one piece. */
const isJoined = /[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1780-\u17ff]/

function widthOfText(ink, text) {
  const key = ink.font + text
  if (widths.size > 20000) widths.clear()
  if (!widths.has(key)) widths.set(key, ink.measureText(text).width)
  return widths.get(key)
}

/* A line of the screen with the distances of its points from its start. */
function measure(line) {
  const along = [0]
  for (let i = 1; i < line.length; ++i) along.push(along[i - 1] + Math.hypot(line[i][0] - line[i - 1][0], line[i][1] - line[i - 1][1]))
  return { line, along, length: along[along.length - 1] }
}

function pointAt({ line, along }, distance) {
  let i = 1
  while (i < line.length - 1 && along[i] < distance) ++i
  const part = (distance - along[i - 1]) / (along[i] - along[i - 1] || 1)
  return [line[i - 1][0] + part * (line[i][0] - line[i - 1][0]), line[i - 1][1] + part * (line[i][1] - line[i - 1][1])]
}

/* The letters of a name whose middle is at a distance along a line: { letters: [{ text, x, y, angle, wide }], pieces }, where
 * `pieces` is the whole name if the line is straight; null if it bends too much. */
function layOut(ink, name, measured, middle) {
  const letters = isJoined.test(name) ? [name] : [...name], wide = letters.map(letter => widthOfText(ink, letter))
  const whole = wide.reduce((sum, width) => sum + width, 0), first = middle - whole / 2
  const begin = pointAt(measured, first), end = pointAt(measured, first + whole), isBackward = begin[0] > end[0]
  const placed = []
  let at = isBackward ? first + whole : first
  for (const [i, text] of letters.entries()) {
    const next = at + (isBackward ? -wide[i] : wide[i]), from = pointAt(measured, at), to = pointAt(measured, next)
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]), before = placed[i - 1]
    if (before && Math.abs(Math.atan2(Math.sin(angle - before.angle), Math.cos(angle - before.angle))) > BEND) return null
    placed.push({ text, x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2, angle, wide: wide[i] })
    at = next
  }
  const chord = Math.hypot(end[0] - begin[0], end[1] - begin[1]) / whole, middleOf = i => (begin[i] + end[i]) / 2
  const slope = Math.atan((end[1] - begin[1]) / (end[0] - begin[0] || 1e-6))
  if (chord < 0.9) return null
  return { letters: placed, pieces: chord > 0.998 ? [{ text: name, x: middleOf(0), y: middleOf(1), angle: slope }] : placed }
}

/* A grid over the picture: the function that it returns takes the cells of some letters, unless one is taken. */
function makeGrid(size) {
  const taken = new Set(), cells = ({ x, y, wide }) => {
    const found = [], half = Math.max(wide, 12) / 2 + 2
    for (let column = Math.floor((x - half) / size); column <= (x + half) / size; ++column)
      for (let row = Math.floor((y - half) / size); row <= (y + half) / size; ++row) found.push(`${column},${row}`)
    return found
  }
  return letters => {
    const wanted = letters.flatMap(cells)
    if (wanted.some(cell => taken.has(cell))) return false
    wanted.forEach(cell => taken.add(cell))
    return true
  }
}

const isWithin = ([width, height]) => ({ x, y }) => x > 0 && y > 0 && x < width && y < height

/* Draws the names of the streets of tiles; `project(tile, [x, y])` gives the place of a tile's point in the picture. */
export function drawNames(ink, tiles, zoom, project, size, colour) {
  const streets = tiles.filter(tile => tile.within.url === tile.url).flatMap(tile => tile.roads.streets
    .filter(street => zoom >= kinds[street.kind].named)
    .map(street => ({ ...street, ...measure(street.line.map(point => project(tile, point))) })))
  const take = makeGrid(8), drawn = new Map()
  streets.sort((a, b) => b.kind - a.kind || b.length - a.length)
  ink.textAlign = 'center'
  ink.textBaseline = 'middle'
  ink.lineWidth = 3.5
  for (const street of streets) {
    ink.font = `${Math.max(10.5, Math.min(15, widthOf(street.kind, zoom) * 0.95)).toFixed(1)}px system-ui, sans-serif`
    const whole = widthOfText(ink, street.name) + 8
    for (let step = 0; whole + Math.abs(step) * 48 < street.length; step = step > 0 ? -step : 1 - step) {
      const middle = street.length / 2 + step * 24, near = drawn.get(street.name) || []
      const { letters, pieces } = layOut(ink, street.name, street, middle) || {}, centre = letters?.[letters.length >> 1]
      if (!letters || !letters.every(isWithin(size))) continue
      if (near.some(({ x, y }) => Math.hypot(x - centre.x, y - centre.y) < APART_PX) || !take(letters)) continue
      drawn.set(street.name, [...near, centre])
      paint(ink, pieces, colour)
    }
  }
}

function paint(ink, pieces, colour) {
  for (const way of ['strokeText', 'fillText'])
    for (const { text, x, y, angle } of pieces) {
      ink.save()
      ink.translate(x, y)
      ink.rotate(angle)
      ink.strokeStyle = colour('halo')
      ink.fillStyle = colour('name')
      ink[way](text, 0, 0)
      ink.restore()
    }
}
