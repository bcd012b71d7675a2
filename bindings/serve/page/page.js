/* page.js - the page: its state, which the address holds, the requests to the server, and the panel beside the map. */
import * as map from './map.js'
import { amount, nameOfLanguage, readPlace, roundLength, setLanguage, writeArea, writeHeight, writeLength, writePlace, writeTime } from './places.js'
import { drawing, element, maneuverIcon } from './icons.js'
import { saveGeojson, saveGpx } from './downloads.js'
import { kinds, widthOf } from './roads.js'

const $ = id => document.getElementById(id), form = $('panel'), field = form.elements
const SAVE_MS = 250 /* after the map rests, until the address holds its view */
let points = [], maps = [], past = [], current = '', answer = null, isBusy = false, isWanted = false

/* ---- state: the fields of the form and the points; the address has them, and the view of the map ---- */

function describe() {
  const values = [...new FormData(form)].filter(([, value]) => value !== '').map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const at = points.map(point => point.map(degrees => degrees.toFixed(6)).join()).join(';')
  return [...at ? ['at=' + at] : [], ...values].join('&').replaceAll('%2C', ',').replaceAll('%3A', ':')
}

function restore(text) {
  const given = new URLSearchParams(text)
  for (const control of field) {
    if (!control.name) continue
    if (/radio|checkbox/.test(control.type)) control.checked = given.has(control.name) ? given.getAll(control.name).includes(control.value) : control.defaultChecked
    else if (given.has(control.name)) control.value = given.get(control.name)
    else control.value = control.tagName === 'SELECT' ? control.dataset.usual ?? '' : control.defaultValue
  }
  points = (given.get('at') || '').split(';').map(place => place.split(',').map(Number)).filter(([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90)
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

/* Something has changed: remembers what was before, and asks the server. */
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
  const list = field.language
  setLanguage(list.value || 'en')
  field.time.disabled = !field.day.value
  $('undo').disabled = past.length === 0
  $('reverse').disabled = points.length < 2
  $('clear').disabled = points.length === 0
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
  if (bad >= 0) { tell(`“${lines[bad].trim().slice(0, 40)}” is not a place. Write latitude, longitude: 45.464, 9.19`, true); return false }
  setPoints([...points.slice(0, number), ...places, ...points.slice(number + 1)])
  if (!points.every(map.isSeen)) map.fit(points.map(map.flat))
  return true
}

function pointRow(number) {
  const point = points[number], name = point && answer?.waypoints?.[number]?.name, letter = map.letterOf(number)
  const input = element('input', {
    'aria-label': `Place ${letter}`, value: point ? writePlace(point) : '', placeholder: ['From: click or type lat, lon', 'To: click or type lat, lon'][number] || 'Add a stop',
    onchange: () => {
      const isTaken = input.value.trim() ? take(input.value, number) : !point || (remove(number), true)
      input.setAttribute('aria-invalid', !isTaken)
      if (isTaken && document.activeElement === document.body) $('points').children[Math.min(number + 1, points.length)].querySelector('input').focus()
    }
  })
  return element('li', {}, element('span', { class: `letter ${point ? map.roleOf(number, points.length) : 'next'}`, 'aria-hidden': true }, letter), input,
    ...name ? [element('span', { class: 'street', title: name }, name)] : [],
    ...point ? [element('button', { type: 'button', 'aria-label': `Remove place ${letter}`, onclick: () => remove(number) }, '×')] : [])
}

/* Keyboards stay where they are when the list changes. */
function showPoints() {
  const rows = [...$('points').children], row = rows.findIndex(one => one.contains(document.activeElement)), isButton = document.activeElement?.tagName === 'BUTTON'
  const typed = row === points.length ? document.activeElement.value : ''
  $('points').replaceChildren(...Array.from({ length: points.length + 1 }, (unused, i) => pointRow(i)))
  if (row >= 0) {
    const now = $('points').children[Math.min(row, points.length)], input = now.querySelector('input')
    ;(isButton && now.querySelector('button') || input).focus()
    if (typed && !input.value) input.value = typed
  }
  map.show({ points })
}

/* ---- asking ---- */

const requestOf = {
  route: () => ({ alternatives: points.length === 2 ? 3 : '', steps: true, overview: false, geometries: 'geojson', language: field.language.value }),
  isochrone: () => ({ contours_minutes: field.minutes.value }),
  table: () => ({})
}

function addressOf(mode) {
  const options = { ...requestOf[mode](), departure: field.day.value && field.day.value + field.time.value,
    exclude: [...form.querySelectorAll('[name=exclude]:checked')].map(box => box.value).join() }
  const query = Object.entries(options).filter(([, value]) => value !== '').map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${mode}/v1/${encodeURIComponent(field.profile.value)}/${points.map(point => point.map(degrees => degrees.toFixed(6)).join()).join(';')}${query && '?' + query}`
}

/* Asks the server for what the state wants; while it answers, only the last of all changes waits. */
async function ask() {
  const mode = field.mode.value, isEnough = points.length >= (mode === 'isochrone' ? 1 : 2)
  isWanted = isBusy
  if (isBusy) return
  isBusy = true
  try {
    answer = isEnough ? { mode, ...await (await fetch(addressOf(mode))).json() } : null
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
}

function showAnswer() {
  const mode = answer?.message === undefined && answer?.mode
  $('status').classList.toggle('listed', mode === 'route')
  map.show({ routes: [], areas: [], part: [], mark: null, snaps: mode && answer.waypoints?.map(waypoint => waypoint.location) || [] })
  $('answer').replaceChildren()
  $('downloads').hidden = !mode || mode === 'table'
  $('gpx').hidden = mode !== 'route'
  if (mode) show[mode]()
  else tell(answer ? answer.message : points.length ? 'Choose another place.' : 'Click the map, or paste coordinates, to place points.', Boolean(answer))
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
    map.show({ areas: answer.features.map((one, i, all) => ({ rings: ringsOf(one.geometry), inner: innerOf(one, all[i + 1]), shade: shadeOf(one.properties.limit) })) })
    tell(`${answer.features.length} areas`)
    const rows = answer.features.map(feature => feature.properties).sort((a, b) => a.source - b.source || a.limit - b.limit)
    $('answer').append(element('ul', { id: 'areas' }, ...rows.map(({ source, limit, km2 }) => element('li', {}, element('span', { class: 'patch ' + shadeOf(limit) }),
      `${points.length > 1 ? map.letterOf(source) + ': ' : ''}${writeTime(limit)}`, element('span', { class: 'quiet' }, writeArea(km2))))))
  },
  table() {
    const heads = points.map((point, i) => map.letterOf(i)), head = (scope, text) => element('th', { scope }, text)
    tell(`Times between ${points.length} places`)
    $('answer').append(element('div', { id: 'table', tabindex: 0, role: 'region', 'aria-label': 'Times from each place (rows) to each place' },
      element('table', {}, element('tr', {}, element('td'), ...heads.map(text => head('col', text))),
        ...answer.durations.map((row, i) => element('tr', {}, head('row', heads[i]), ...row.map((cell, j) => element('td', {}, i === j ? '' : writeTime(cell))))))))
  }
}

function choose(number) {
  field.chosen.value = number
  change(false)
}

function routeList(routes, chosen) {
  return element('ul', { id: 'routes', 'aria-label': 'Routes' }, ...routes.map((route, i) => {
    const streets = route.legs.map(leg => leg.summary).filter(Boolean).join(', ')
    return element('li', {}, element('button', { type: 'button', 'aria-pressed': route === chosen, onclick: () => { choose(i); $('routes').children[i].firstChild.focus() } },
      element('b', {}, writeTime(route.duration)), writeLength(route.distance), element('span', { class: 'via quiet' }, streets)))
  }))
}

/* The heights of a route over its length, if the map has them. */
function heightsOf(route) {
  const line = routeLine(route), { cos, hypot, PI } = Math
  if (line.length < 2 || line[0].length < 3) return []
  let metres = 0
  const along = line.map(([lon, lat], i) => metres += i ? hypot((lon - line[i - 1][0]) * cos(lat * PI / 180), lat - line[i - 1][1]) * 111195 : 0)
  const heights = line.map(point => point[2]), low = Math.min(...heights), high = Math.max(...heights), span = Math.max(high - low, 20)
  const d = 'M' + heights.map((height, i) => `${(along[i] / (metres || 1) * 300).toFixed(1)} ${(68 - (height - low) / span * 60).toFixed(1)}`).join('L')
  const summary = `Heights: ${writeHeight(low)} to ${writeHeight(high)}, up ${writeHeight(route.ascent_m)}, down ${writeHeight(route.descent_m)}`
  const graph = drawing('0 0 300 74', [[`${d}V74H0z`, 'under'], d], { role: 'img', 'aria-label': summary, preserveAspectRatio: 'none' })
  const range = element('span', {}, `${writeHeight(low)} – ${writeHeight(high)}`), slopes = `↗ ${writeHeight(route.ascent_m)}  ↘ ${writeHeight(route.descent_m)}`, sum = element('span', {}, slopes)
  graph.onpointermove = event => {
    const box = graph.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * metres, i = Math.max(0, along.findIndex(passed => passed >= at))
    map.show({ mark: line[i] })
    sum.textContent = `${writeHeight(heights[i])}, ${writeLength(along[i])}`
  }
  graph.onpointerleave = () => { map.show({ mark: null }); sum.textContent = slopes }
  return [element('figure', { id: 'heights' }, graph, element('figcaption', {}, range, sum))]
}

function stepList(route) {
  const list = element('ol', { id: 'steps', lang: field.language.value, dir: 'auto', 'aria-label': 'Steps' })
  for (const step of route.legs.flatMap(leg => leg.steps)) {
    const { maneuver } = step, line = lineOf(step.geometry).map(map.flat)
    const button = element('button', {
      type: 'button', onpointerenter: () => map.show({ part: line }), onpointerleave: () => map.show({ part: [] }),
      onfocus: () => map.show({ part: line }), onblur: () => map.show({ part: [] }),
      onclick: () => { list.querySelector('[aria-current]')?.removeAttribute('aria-current'); button.setAttribute('aria-current', 'step'); map.goTo(maneuver.location, 16) }
    }, maneuverIcon(maneuver, step.driving_side), element('span', {}, maneuver.instruction || [maneuver.type, maneuver.modifier, step.name].filter(Boolean).join(' ')),
    element('span', { class: 'quiet' }, step.distance > 0 ? writeLength(step.distance) : ''))
    list.append(element('li', {}, button))
  }
  return list
}

function download(isGpx) {
  const name = `macadam-${answer.mode}`
  if (answer.mode === 'isochrone') return saveGeojson(name, answer.features, points)
  const route = chosenRoute(), steps = route.legs.flatMap(leg => leg.steps), { duration, distance } = route
  if (isGpx) return saveGpx(name, routeLine(route), steps, points)
  saveGeojson(name, [{ type: 'Feature', properties: { duration, distance, profile: field.profile.value }, geometry: { type: 'LineString', coordinates: routeLine(route) } }], points)
}

/* ---- around the map ---- */

function moved() {
  const { metres, text } = roundLength(map.metresPerPixel() * 110)
  $('scale').style.width = `${metres / map.metresPerPixel()}px`
  $('scale').firstChild.textContent = text
  $('far').hidden = $('map').dataset.state !== 'far'
  save()
}

function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  $('theme').setAttribute('aria-pressed', isDark)
  map.restart()
}
const system = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (localStorage.getItem('theme') ?? (system.matches ? 'dark' : 'light')) === 'dark'

/* What of the map the panel hides: from the left on desks, from the bottom on phones. */
function layOut() {
  const box = form.getBoundingClientRect(), isPhone = box.width >= innerWidth
  const hidden = { left: isPhone ? 0 : box.right, bottom: isPhone ? innerHeight - box.top : 0 }
  $('cross').style.left = `${(innerWidth + hidden.left) / 2}px`
  $('cross').style.top = `${(innerHeight - hidden.bottom) / 2}px`
  map.restart({ hidden })
}

function fillLegend() {
  $('legend').lastElementChild.append(...[...kinds].reverse().map((kind, i) => {
    const width = Math.max(2, widthOf(kinds.length - 1 - i, 15)), svg = drawing('0 0 34 14', kind.dash ? ['M2 7H32'] : [['M4 7H30', 'edge'], 'M4 7H30'])
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
  form.addEventListener('keydown', event => { if (event.key === 'Enter' && event.target.matches('#points input')) { event.preventDefault(); event.target.blur() } })
  const buttons = {
    undo, clear: () => setPoints([]), reverse: () => setPoints(points.toReversed()), closer: () => map.zoomBy(1), wider: () => map.zoomBy(-1), all: () => showAll(false),
    gpx: () => download(true), geojson: () => download(false), theme: () => { localStorage.setItem('theme', isDark() ? 'light' : 'dark'); setTheme(isDark()) },
    fold: () => { $('fold').setAttribute('aria-expanded', !form.classList.toggle('folded')); layOut() }
  }
  for (const [id, act] of Object.entries(buttons)) $(id).onclick = act
  addEventListener('keydown', event => {
    const isTyping = event.target.matches('input:not([type=radio], [type=checkbox])') && event.target.value
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !isTyping) { event.preventDefault(); undo() }
    if (event.key === 'Escape' && !isTyping) setPoints([])
  })
  addEventListener('paste', event => {
    const text = event.clipboardData.getData('text')
    if (event.target.tagName !== 'INPUT') take(text, points.length)
    else if (/\n/.test(text.trim())) { event.preventDefault(); take(text, [...$('points').children].findIndex(row => row.contains(event.target))) }
  })
  addEventListener('hashchange', () => restore(location.hash.slice(1)))
  system.addEventListener('change', () => setTheme(isDark()))
  new ResizeObserver(layOut).observe(form)
}

function fillList(list, values, usual, nameOf) {
  list.replaceChildren(...values.map(value => element('option', { value, selected: value === usual }, nameOf(value))))
  list.dataset.usual = usual
}

async function begin() {
  listen()
  setTheme(isDark())
  fillLegend()
  const info = await (await fetch('info')).json(), profiles = info.maps.map(one => one.profile || 'map'), { languages } = info
  maps = info.maps
  fillList(field.profile, profiles, profiles[0], name => name)
  fillList(field.language, languages, navigator.languages.map(own => own.split('-')[0]).find(own => languages.includes(own)) || 'en', nameOfLanguage)
  field.profile.hidden = profiles.length < 2
  layOut()
  if (!restore(location.hash.slice(1))) showAll(true)
}
begin().catch(() => tell('The server does not answer.', true))
