/* icons.js - elements of the page, and the icons of maneuvers. */

export function element(name, attributes = {}, ...inside) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith('on')) made[key] = value
    else if (value !== false) made.setAttribute(key, value)
  made.append(...inside)
  return made
}

/* An SVG of paths: each the value of `d`, or [d, class]. */
export function drawing(viewBox, paths, attributes = { 'aria-hidden': true }) {
  const make = (name, values) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value)
    return made
  }
  const svg = make('svg', { viewBox, ...attributes })
  svg.append(...paths.map(path => make('path', Array.isArray(path) ? { d: path[0], class: path[1] } : { d: path })))
  return svg
}

const angles = { 'slight right': 45, right: 90, 'sharp right': 135, 'sharp left': -135, left: -90, 'slight left': -45 }
const at = (x, y, angle, length) => [x + length * Math.sin(angle), y - length * Math.cos(angle)].map(value => value.toFixed(1)).join(' ')

/* A line from a point, and the head of an arrow at its end. */
function arrow(x, y, angle, length) {
  const [tipX, tipY] = at(x, y, angle, length).split(' ').map(Number)
  return `L${tipX} ${tipY}M${at(tipX, tipY, angle + 2.5, 4.5)}L${tipX} ${tipY}L${at(tipX, tipY, angle - 2.5, 4.5)}`
}

/* The icon of a maneuver, as OSRM describes it. */
export function maneuverIcon({ type, modifier, bearing_before: before, bearing_after: after }, drivingSide) {
  const angle = (angles[modifier] || 0) * Math.PI / 180
  const icon = (...paths) => drawing('0 0 24 24', paths)
  if (type === 'arrive') return icon('M12 21s-6.5-6-6.5-11a6.5 6.5 0 0 1 13 0c0 5-6.5 11-6.5 11z', 'M12 10h.01')
  if (type === 'depart') return icon('M12 20h.01M9.5 20a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0', `M12 15${arrow(12, 15, 0, 12)}`)
  if (/round|rotary/.test(type)) {
    const exit = (after - before) * Math.PI / 180
    return icon('M12 22v-6M7.5 11.5a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0', `M${at(12, 11.5, exit, 4.5)}${arrow(12, 11.5, exit, 10.5)}`)
  }
  if (modifier === 'uturn' && drivingSide === 'left') return icon('M7 21V9a4.5 4.5 0 0 1 9 0v8M19.5 13.5 16 17l-3.5-3.5')
  if (modifier === 'uturn') return icon('M17 21V9a4.5 4.5 0 0 0-9 0v8M4.5 13.5 8 17l3.5-3.5')
  const bend = Math.abs(angle) > 2 ? 6 : Math.abs(angle) > 1 ? 10 : 13, x = 12 - 4 * Math.sin(angle)
  const others = { fork: -angle, 'end of road': -angle, 'on ramp': 0, 'off ramp': 0, merge: 0 }, other = others[type]
  return icon(...other !== undefined && other !== angle ? [[`M${x} ${bend}L${at(x, bend, other, 8)}`, 'faint']] : [],
    `M${x} 22V${bend}${arrow(x, bend, angle, 10.5)}`)
}
