/* roads.js - the kinds of roads that the map draws: by the class of a road, from the least to the most important. */

/* `width` in pixels at zoom 16; `from`, `named`: the zooms from which such roads and their names are drawn. */
export const kinds = [
  { name: 'Path', colour: 'path', classes: /^(path|footway|steps|bridleway|track|corridor)/, width: 1.4, from: 14, named: 16, dash: [4, 3] },
  { name: 'Cycleway', colour: 'cycleway', classes: /^cycleway/, width: 1.6, from: 13.5, named: 16, dash: [5, 2] },
  { name: 'Ferry or train', colour: 'ferry', classes: /^(ferry|train)/, width: 1.6, from: 11, named: 14, dash: [8, 5] },
  { name: 'Service road', colour: 'road', classes: /^(service|pedestrian|construction|emergency)/, width: 4, from: 13.8, named: 16 },
  { name: 'Street', colour: 'road', classes: /./, width: 8, from: 11, named: 14.6 },
  { name: 'Connecting road', colour: 'tertiary', classes: /^tertiary/, width: 10, from: 11, named: 14 },
  { name: 'Main road', colour: 'main', classes: /^(primary|secondary)/, width: 12, from: 11, named: 13 },
  { name: 'Motorway', colour: 'motorway', classes: /^(motorway|trunk)/, width: 13, from: 11, named: 13 }
]
const street = 4, known = new Map()

export function kindOf(name) {
  if (!known.has(name)) {
    const found = kinds.findIndex((kind, i) => i !== street && kind.classes.test(name))
    known.set(name, found < 0 ? street : found)
  }
  return known.get(name)
}

export const widthOf = (kind, zoom) => Math.max(0.6, kinds[kind].width * 2 ** ((zoom - 16) * (zoom < 16 ? 0.55 : 0.7)))
