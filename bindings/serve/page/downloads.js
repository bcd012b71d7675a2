/* downloads.js - the shown answer as a file. */

function save(name, type, text) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

export const feature = (type, coordinates, properties) => ({ type: 'Feature', properties, geometry: { type, coordinates } })

/* `features` of GeoJSON, and the points of the request. */
export function saveGeojson(name, features, points) {
  const places = points.map((point, i) => feature('Point', point, { number: i + 1 }))
  save(name + '.geojson', 'application/geo+json', JSON.stringify({ type: 'FeatureCollection', features: [...features, ...places] }))
}

/* GPX 1.1: the points as waypoints, the line as a track with its heights, the steps as a route. */
export function saveGpx(name, line, steps, points) {
  const space = 'http://www.topografix.com/GPX/1/1', gpx = document.implementation.createDocument(space, 'gpx')
  const add = (parent, tag, content) => {
    const made = parent.appendChild(gpx.createElementNS(space, tag))
    if (content !== undefined) made.textContent = content
    return made
  }
  const addPoint = (parent, tag, [lon, lat, height], label) => {
    const made = add(parent, tag)
    made.setAttribute('lat', lat)
    made.setAttribute('lon', lon)
    if (height !== undefined) add(made, 'ele', height)
    if (label) add(made, 'name', label)
  }
  const root = gpx.documentElement
  root.setAttribute('version', '1.1')
  root.setAttribute('creator', 'Macadam')
  points.forEach((point, i) => addPoint(root, 'wpt', point, String(i + 1)))
  const route = add(root, 'rte'), track = add(root, 'trk')
  add(route, 'name', name)
  for (const { maneuver } of steps) addPoint(route, 'rtept', maneuver.location, maneuver.instruction)
  add(track, 'name', name)
  const segment = add(track, 'trkseg')
  for (const point of line) addPoint(segment, 'trkpt', point)
  save(name + '.gpx', 'application/gpx+xml', '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(gpx))
}
