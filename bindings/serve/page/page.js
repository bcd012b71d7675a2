/* page.js - the page: its state, which the address holds, the requests to the server, and the panel beside the map. */
import * as map from './map.js'
import { nameOfLanguage, readPlace, roundLength, setLanguage, writeArea, writeHeight, writeLength, writePlace, writeTime } from './places.js'
import { drawing, element, maneuverIcon } from './icons.js'
import { feature, saveGeojson, saveGpx } from './downloads.js'
import { kinds, widthOf } from './roads.js'

const $ = id => document.getElementById(id), form = $('panel'), field = form.elements
const SAVE_MS = 250 /* after the map rests, until the address holds its view */
const NEAR = 0.02   /* degrees: a place this far outside the map may still have a road */
let points = [], maps = [], past = [], current = '', answer = null, isBusy = false, isWanted = false

/* ---- state: the fields of the form and the points; the address has them, and the view of the map ---- */

const pointText = () => points.map(point => point.map(degrees => degrees.toFixed(6)).join()).join(';')
/* NAME=VALUE&... of the values that are not empty; commas, colons and semicolons as they are. */
const queryOf = entries => entries.filter(([, value]) => value !== '')
  .map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%(2C|3A|3B)/g, decodeURIComponent)}`).join('&')
function describe() {
  field.time.disabled = field.clock.disabled = !field.day.value /* which leaves them out */
  return queryOf([['at', pointText()], ...new FormData(form)])
}

function restore(text) {
  const given = new URLSearchParams(text)
  for (const control of field) {
    const values = given.getAll(control.name), isGiven = values.length > 0
    if (/radio|checkbox/.test(control.type)) control.checked = isGiven ? values.includes(control.value) : control.defaultChecked
    else if (control.name) control.value = isGiven ? values[0] : control.dataset.usual ?? control.defaultValue ?? ''
    if (control.selectedIndex < 0) control.value = control.dataset.usual ?? '' /* an option that the server no longer has */
  }
  points = (given.get('at') || '').split(';').map(place => place.split(',').map(Number))
    .filter(([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90)
  const view = /^([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(given.get('map'))
  if (view) [map.view.x, map.view.y] = map.flat([Number(view[3]), Number(view[2])])
  if (view) map.view.zoom = Number(view[1])
  current = describe()
  apply()
  return Boolean(view)
}

let saving = 0
function save() {
  clearTimeout(saving)
  saving = setTimeout(() => {
    const [lon, lat] = map.round([map.view.x, map.view.y])
    if (!map.isMoving()) history.replaceState(null, '', `#map=${map.view.zoom.toFixed(2)}/${lat.toFixed(5)}/${lon.toFixed(5)}&${current}`)
  }, SAVE_MS)
}

/* Records a change for undo, and sends a request. */
function change(isAsking = true) {
  if (isAsking) field.chosen.value = 0
  const now = describe()
  if (now !== current) past.push(current)
  current = now
  apply(isAsking)
}

function undo() {
  if (past.length) restore(past.pop())
}

/* Shows the state on the page. */
function apply(isAsking = true) {
  setLanguage(field.language.value || 'en')
  $('undo').disabled = past.length === 0
  $('reverse').disabled = points.length < 2
  $('clear').disabled = points.length === 0
  setTheme()
  map.restart({ profile: field.profile.value })
  showPoints()
  save()
  if (isAsking) ask(); else showAnswer()
}

/* ---- points ---- */

const boxOf = () => (maps.find(one => one.profile === field.profile.value) || maps[0]).bbox

function setPoints(next, isAsking = true) {
  points = next
  if (isAsking) change()
}
const place = point => setPoints([...points, point])
const remove = number => setPoints(points.filter((point, i) => i !== number))

/* Takes places from a text, one a line: the first one replaces the point of this number, the others follow. */
function take(text, number) {
  const lines = text.split(/\n+/).filter(line => line.trim()), places = lines.map(line => readPlace(line, boxOf()))
  const bad = places.indexOf(null)
  if (bad >= 0) return tell(`“${lines[bad].trim().slice(0, 40)}” is not a place. Write latitude, longitude: 45.464, 9.19`, true)
  setPoints([...points.slice(0, number), ...places, ...points.slice(number + 1)])
  if (!points.every(map.isSeen)) map.fit(points.map(map.flat))
  return true
}

function pointRow(number) {
  const point = points[number], name = point && answer?.waypoints?.[number]?.name, letter = map.letterOf(number)
  const input = element('input', {
    'aria-label': `Place ${letter}`, value: point ? writePlace(point) : '',
    placeholder: ['From: click or type lat, lon', 'To: click or type lat, lon'][number] || 'Add a stop',
    onchange: () => {
      const isTaken = input.value.trim() ? take(input.value, number) : !point || (remove(number), true)
      input.setAttribute('aria-invalid', !isTaken)
      const next = $('points').children[Math.min(number + 1, points.length)]
      if (isTaken && document.activeElement === document.body) next.querySelector('input').focus()
    }
  })
  const role = point ? map.roleOf(number, points.length) : 'next', badge = element('span', { class: 'letter ' + role, 'aria-hidden': true }, letter)
  const row = element('li', {}, badge, input)
  if (name) row.append(element('span', { class: 'street', title: name }, name))
  if (point) row.append(element('button', { type: 'button', 'aria-label': `Remove place ${letter}`, onclick: () => remove(number) }, '×'))
  return row
}

/* Makes the list of points again; the focus stays. */
function showPoints() {
  const active = document.activeElement, row = [...$('points').children].findIndex(one => one.contains(active))
  const isButton = active?.tagName === 'BUTTON', typed = row === points.length ? active.value : ''
  $('points').replaceChildren(...Array.from({ length: points.length + 1 }, (unused, i) => pointRow(i)))
  if (row >= 0) {
    const now = $('points').children[Math.min(row, points.length)], input = now.querySelector('input')
    ;(isButton && now.querySelector('button') || input).focus()
    if (typed && !input.value) input.value = typed
  }
  map.show({ points })
}

/* ---- requests ---- */

const departs = () => field.day.value && field.clock.checked
const requestOf = {
  route: () => ({
    alternatives: points.length === 2 && !departs() ? 3 : '', steps: true, overview: false, geometries: 'geojson', language: field.language.value
  }),
  isochrone: () => ({ contours_minutes: field.minutes.value }),
  table: () => ({ annotations: 'duration' })
}

function addressOf(mode) {
  const options = { ...requestOf[mode](), [departs() ? 'depart' : 'slot']: field.day.value && field.day.value + field.time.value,
    exclude: [...form.querySelectorAll('[name=exclude]:checked')].map(box => box.value).join() }
  return `${mode}/v1/${encodeURIComponent(field.profile.value)}/${pointText()}?${queryOf(Object.entries(options))}`
}

/* Sends the request of the state. While one runs, only the last of all changes waits. */
async function ask() {
  const mode = field.mode.value, isEnough = points.length >= (mode === 'isochrone' ? 1 : 2)
  isWanted = isBusy
  if (isBusy) return
  const [west, south, east, north] = boxOf(), lost = points.findIndex(([lon, lat]) =>
    lon < west - NEAR || lon > east + NEAR || lat < south - NEAR || lat > north + NEAR)
  isBusy = true
  try {
    if (lost >= 0) answer = { message: `Place ${map.letterOf(lost)} is outside the map.` }
    else answer = isEnough ? { mode, ...await (await fetch(addressOf(mode))).json() } : null
  } catch {
    answer = { message: 'The server does not answer.' }
  }
  isBusy = false
  if (isWanted) return ask()
  showPoints()
  showAnswer()
}

/* ---- answers ---- */

const lineOf = ({ type, coordinates }) => type === 'LineString' ? coordinates : coordinates.flat()
const legLine = leg => leg.steps.flatMap(step => lineOf(step.geometry))
const routeLine = route => route.legs.flatMap(legLine)
const chosenRoute = () => answer.routes[field.chosen.value] || answer.routes[0]

function tell(text, isBad = false) {
  $('status').textContent = text
  $('status').classList.toggle('bad', isBad)
  return !isBad
}

function showAnswer() {
  const mode = answer?.message === undefined && answer?.mode
  $('status').classList.toggle('listed', mode === 'route')
  map.show({ routes: [], areas: [], part: [], mark: null, snaps: mode && answer.waypoints?.map(waypoint => waypoint.location) || [] })
  $('answer').replaceChildren()
  $('downloads').hidden = !mode || mode === 'table'
  $('gpx').hidden = mode !== 'route'
  if (mode) show[mode]()
  else if (answer) tell(answer.message, true)
  else tell(points.length ? 'Choose another place.' : 'Click the map, or paste coordinates, to place points.')
}

const show = {
  route() {
    const route = chosenRoute(), { routes } = answer
    map.show({ routes: routes.map(one => one.legs.map(leg => legLine(leg).map(map.flat))), chosen: routes.indexOf(route) })
    tell(`${writeTime(route.duration)}, ${writeLength(route.distance)}${routes.length > 1 ? `; ${routes.length} routes` : ''}`)
    $('answer').append(routeList(routes, route), ...heightsOf(route), stepList(route))
  },
  isochrone() {
    const limits = [...new Set(answer.features.map(feature => feature.properties.limit))].sort((a, b) => a - b)
    const shadeOf = limit => limit === limits[0] ? 'near' : limit === limits[limits.length - 1] ? 'distant' : 'middle'
    const ringsOf = ({ type, coordinates }) => (type === 'Polygon' ? [coordinates] : coordinates).flat().map(ring => ring.map(map.flat))
    const innerOf = (one, next) => next?.properties.source === one.properties.source ? ringsOf(next.geometry) : []
    map.show({ areas: answer.features.map((one, i, all) =>
      ({ rings: ringsOf(one.geometry), inner: innerOf(one, all[i + 1]), shade: shadeOf(one.properties.limit) })) })
    tell(`${answer.features.length} areas`)
    const rows = answer.features.map(feature => feature.properties).sort((a, b) => a.source - b.source || a.limit - b.limit)
    $('answer').append(element('ul', { id: 'areas' }, ...rows.map(({ source, limit, km2 }) =>
      element('li', {}, element('span', { class: 'patch ' + shadeOf(limit) }), points.length > 1 ? map.letterOf(source) : '', writeTime(limit),
        element('span', { class: 'quiet' }, writeArea(km2))))))
  },
  table() {
    const heads = points.map((point, i) => map.letterOf(i)), head = (scope, text) => element('th', { scope }, text)
    tell(`Times between ${points.length} places`)
    const table = element('table', {}, element('tr', {}, element('td'), ...heads.map(text => head('col', text))))
    for (const [i, row] of answer.durations.entries())
      table.append(element('tr', {}, head('row', heads[i]), ...row.map((cell, j) => element('td', {}, i === j ? '' : writeTime(cell)))))
    $('answer').append(element('div', { id: 'table', tabindex: 0, role: 'region', 'aria-label': 'Times from rows to columns' }, table))
  }
}

function choose(number) {
  field.chosen.value = number
  change(false)
}

function routeList(routes, chosen) {
  return element('ul', { id: 'routes', 'aria-label': 'Routes' }, ...routes.map((route, i) => {
    const streets = route.legs.map(leg => leg.summary).filter(Boolean).join(', ')
    const onclick = () => { choose(i); $('routes').children[i].firstChild.focus() }
    return element('li', {}, element('button', { type: 'button', 'aria-pressed': route === chosen, onclick },
      element('b', {}, writeTime(route.duration)), writeLength(route.distance), element('span', { class: 'via quiet' }, streets)))
  }))
}

/* The heights of a route over its length, if the map has them. */
function heightsOf(route) {
  const line = routeLine(route), { cos, hypot, PI } = Math
  if (line.length < 2 || line[0].length < 3) return []
  let metres = 0
  const along = line.map(([lon, lat], i) => metres += i ? hypot((lon - line[i - 1][0]) * cos(lat * PI / 180), lat - line[i - 1][1]) * 111195 : 0)
  const heights = line.map(point => point[2]), [low, high] = map.rangeOf(heights), span = Math.max(high - low, 20)
  const corner = (height, i) => [along[i] / (metres || 1) * 300, 68 - (height - low) / span * 60].map(part => part.toFixed(1))
  const d = 'M' + heights.map(corner).join('L')
  const [lowest, highest, up, down] = [low, high, route.ascent_m, route.descent_m].map(writeHeight)
  const summary = `Heights: ${lowest} to ${highest}, up ${up}, down ${down}`
  const graph = drawing('0 0 300 74', [[`${d}V74H0z`, 'under'], d], { role: 'img', 'aria-label': summary, preserveAspectRatio: 'none' })
  const slopes = `↗ ${up}  ↘ ${down}`, sum = element('span', {}, slopes)
  graph.onpointermove = event => {
    const { left, width } = graph.getBoundingClientRect(), at = (event.clientX - left) / width * metres
    const i = Math.max(0, along.findIndex(passed => passed >= at))
    map.show({ mark: line[i] })
    sum.textContent = `${writeHeight(heights[i])}, ${writeLength(along[i])}`
  }
  graph.onpointerleave = () => { map.show({ mark: null }); sum.textContent = slopes }
  return [element('figure', { id: 'heights' }, graph, element('figcaption', {}, element('span', {}, `${lowest} – ${highest}`), sum))]
}

function stepList(route) {
  const list = element('ol', { id: 'steps', lang: field.language.value, dir: 'auto', 'aria-label': 'Steps' })
  for (const step of route.legs.flatMap(leg => leg.steps)) {
    const { maneuver } = step, line = lineOf(step.geometry).map(map.flat)
    const mark = () => map.show({ part: line }), unmark = () => map.show({ part: [] })
    const acts = { onpointerenter: mark, onpointerleave: unmark, onfocus: mark, onblur: unmark, onclick: () => map.goTo(maneuver.location, 16) }
    list.append(element('li', {}, element('button', { type: 'button', ...acts },
      maneuverIcon(maneuver, step.driving_side), element('span', {}, maneuver.instruction),
      element('span', { class: 'quiet' }, step.distance > 0 ? writeLength(step.distance) : ''))))
  }
  return list
}

function download(isGpx) {
  const name = `macadam-${answer.mode}`
  if (answer.mode === 'isochrone') return saveGeojson(name, answer.features, points)
  const route = chosenRoute(), steps = route.legs.flatMap(leg => leg.steps), { duration, distance } = route
  if (isGpx) return saveGpx(name, routeLine(route), steps, points)
  saveGeojson(name, [feature('LineString', routeLine(route), { duration, distance, profile: field.profile.value })], points)
}

/* ---- around the map ---- */

function moved() {
  const { metres, text } = roundLength(map.metresPerPixel() * 150)
  $('scale').style.width = `${metres / map.metresPerPixel()}px`
  $('scale').firstChild.textContent = text
  $('far').hidden = $('map').dataset.state !== 'far'
  save()
}

const system = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (field.colours.value || (system.matches ? 'dark' : 'light')) === 'dark'
function setTheme() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  $('theme').setAttribute('aria-pressed', isDark())
  map.restart()
}

/* Reports the part of the map that the panel hides: at the left on desks, at the bottom on phones. */
function layOut() {
  const box = form.getBoundingClientRect(), isPhone = box.width >= innerWidth
  const hidden = { left: isPhone ? 0 : box.right, bottom: isPhone ? innerHeight - box.top : 0 }
  $('cross').style.left = `${(innerWidth + hidden.left) / 2}px`
  $('cross').style.top = `${(innerHeight - hidden.bottom) / 2}px`
  map.restart({ hidden })
}

function fillLegend() {
  $('legend').lastElementChild.append(...[...kinds].reverse().map((kind, i) => {
    const width = Math.max(2, widthOf(kinds.length - 1 - i, 15))
    const svg = drawing('0 0 34 14', kind.dash ? ['M2 7H32'] : [['M4 7H30', 'edge'], 'M4 7H30'])
    for (const path of svg.children) path.style.strokeWidth = path.classList.contains('edge') ? width + 2 : width
    Object.assign(svg.lastChild.style, { stroke: `var(--${kind.colour})`, strokeDasharray: kind.dash?.join(' ') || 'none' })
    return element('li', {}, svg, kind.name)
  }))
}

const showAll = isJump => {
  const shown = points.length > 1 ? points : [boxOf().slice(0, 2), boxOf().slice(2)]
  map.fit([...answer?.routes ? routeLine(chosenRoute()) : [], ...shown].map(map.flat), isJump)
}

function listen() {
  map.start($('map'), {
    place, remove, choose, moved, drop: change, insert: (number, point) => setPoints(points.toSpliced(number, 0, point), false),
    drag: (number, point) => { setPoints(points.with(number, point), false); showPoints(); ask() }
  })
  form.addEventListener('change', event => { if (event.target.name) change() })
  form.addEventListener('submit', event => event.preventDefault())
  form.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !event.target.matches('#points input')) return
    event.preventDefault()
    event.target.blur() /* which is a change, if there is one */
  })
  const buttons = {
    undo, clear: () => setPoints([]), reverse: () => setPoints(points.toReversed()),
    closer: () => map.zoomBy(1), wider: () => map.zoomBy(-1), all: () => showAll(false),
    gpx: () => download(true), geojson: () => download(false),
    theme: () => { field.colours.value = isDark() ? 'light' : 'dark'; change(false) },
    fold: () => { $('fold').setAttribute('aria-expanded', !form.classList.toggle('folded')); layOut() }
  }
  for (const [id, act] of Object.entries(buttons)) $(id).onclick = act
  addEventListener('keydown', event => {
    const isTyping = event.target.matches('input:not([type=radio], [type=checkbox])') && event.target.value
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !isTyping) { event.preventDefault(); undo() }
    if (event.key === 'Escape' && !form.contains(event.target)) setPoints([])
  })
  addEventListener('paste', event => {
    const text = event.clipboardData.getData('text')
    const isField = event.target.tagName === 'INPUT', row = [...$('points').children].findIndex(one => one.contains(event.target))
    if (isField && (row < 0 || !/\n/.test(text.trim()))) return
    event.preventDefault()
    take(text, isField ? row : points.length)
  })
  addEventListener('hashchange', () => restore(location.hash.slice(1)))
  system.addEventListener('change', setTheme)
  new ResizeObserver(layOut).observe(form)
}

function fillList(list, values, usual, nameOf) {
  list.replaceChildren(...values.map(value => element('option', { value, selected: value === usual }, nameOf(value))))
  list.dataset.usual = usual
}

async function begin() {
  listen()
  setTheme()
  fillLegend()
  const info = await (await fetch('info')).json(), { languages } = info, profiles = info.maps.map(one => one.profile || 'map')
  const own = navigator.languages.map(language => language.split('-')[0]).find(language => languages.includes(language))
  maps = info.maps
  fillList(field.profile, profiles, profiles[0], name => name)
  fillList(field.language, languages, own || 'en', nameOfLanguage)
  field.profile.hidden = profiles.length < 2
  layOut()
  if (!restore(location.hash.slice(1))) showAll(true)
}
begin().catch(() => tell('The server does not answer.', true))
