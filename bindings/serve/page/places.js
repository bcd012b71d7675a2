/* places.js - reads places as people write them, and writes numbers in their language. */

/* The two numbers of a link to a map: OpenStreetMap's, Google's, geo: URIs. */
const links = [/#map=[\d.]+\/(-?[\d.]+)\/(-?[\d.]+)/, /[?&#]mlat=(-?[\d.]+)&mlon=(-?[\d.]+)/, /(?:@|^geo:)(-?[\d.]+),(-?[\d.]+)/]
/* One number: degrees, or degrees, minutes and seconds, with the point of the compass before or after it. */
const part = /([NSEW])?\s*([-−+]?[\d.]+)\s*[°º]?\s*(?:([\d.]+)\s*['′’]\s*)?(?:([\d.]+)\s*["″”]\s*)?([NSEW](?![a-z]))?/gi

/* [lon, lat] of a text such as "45.46, 9.19", "45,46 9,19" or 45°27′36″N 9°11′24″E; null if there is none. Latitudes come
 * first, unless the text says otherwise or only the other order is in the box [west, south, east, north] of the map. */
export function readPlace(text, box) {
  for (const link of links) if (link.test(text)) return check(link.exec(text).slice(1, 3).map(Number).reverse())
  const commas = (text.match(/\d,\d/g) || []).length
  const clean = commas === 2 && !/\d\.\d/.test(text) ? text.replace(/(\d),(\d)/g, '$1.$2') : text
  const numbers = [...clean.trim().replace(/^[[(]|[\])]$/g, '').matchAll(part)]
  if (numbers.length !== 2 || /[^\d\s.,;/+−°º'′’"″”NSEW[\]()-]/i.test(clean)) return null
  const [first, second] = numbers.map(([, before, degrees, minutes = 0, seconds = 0, after]) => {
    const value = Number(degrees.replace(/^[-−+]/, '')) + minutes / 60 + seconds / 3600
    const compass = (before || after || '').toUpperCase()
    return { value: /^[-−]/.test(degrees) || /[SW]/.test(compass) ? -value : value, compass }
  })
  const place = [second.value, first.value], swapped = [first.value, second.value]
  const isIn = ([lon, lat]) => lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3]
  const isSwapped = first.compass ? /[EW]/.test(first.compass) : !isIn(place) && isIn(swapped)
  return check(isSwapped ? swapped : place)
}
const check = ([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [lon, lat] : null

export const writePlace = ([lon, lat]) => `${lat.toFixed(5)}, ${lon.toFixed(5)}`

/* ---- numbers, as the reader's language and country write them ---- */

let locale = 'en', isImperial = false

/* The reader's own form of a language, if the browser has it: "en" of a British reader is "en-GB". */
export function setLanguage(language) {
  locale = navigator.languages.find(own => own.split('-')[0] === language) || language
  isImperial = ['US', 'GB', 'LR', 'MM'].includes(new Intl.Locale(locale).region)
}
export const nameOfLanguage = language => new Intl.DisplayNames([language], { type: 'language' }).of(language)
const amount = (value, unit, maximumFractionDigits = 0) =>
  new Intl.NumberFormat(locale, { ...unit && { style: 'unit', unit, unitDisplay: 'short' }, maximumFractionDigits }).format(value)

export function writeLength(metres) {
  const [smallUnit, largeUnit] = isImperial ? ['foot', 'mile'] : ['meter', 'kilometer']
  const [small, large] = isImperial ? [metres / 0.3048, metres / 1609.344] : [metres, metres / 1000]
  if (large >= (isImperial ? 0.2 : 1)) return amount(large, largeUnit, large < 100 ? 1 : 0)
  return amount(small < 100 ? Math.round(small / 5) * 5 : Math.round(small / 10) * 10, smallUnit)
}
/* The longest length of 1, 2 or 5 times a power of ten that is not above some metres: { metres, text }. */
export function roundLength(metres) {
  const unit = !isImperial ? 1 : metres < 1609 ? 0.3048 : 1609.344, power = 10 ** Math.floor(Math.log10(metres / unit))
  const value = power * [5, 2, 1].find(digit => digit * power <= metres / unit)
  if (isImperial) return { metres: value * unit, text: amount(value, unit < 1 ? 'foot' : 'mile', 1) }
  return { metres: value, text: value < 1000 ? amount(value, 'meter', 1) : amount(value / 1000, 'kilometer') }
}
export const writeHeight = metres => isImperial ? amount(metres / 0.3048, 'foot') : amount(metres, 'meter')
export const writeArea = km2 => isImperial ? `${amount(km2 / 2.58999, '', 1)} mi²` : `${amount(km2, '', km2 < 100 ? 1 : 0)} km²`

export function writeTime(seconds) {
  if (seconds === null) return '–'
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 60 ? amount(minutes, 'minute') : `${amount(Math.floor(minutes / 60), 'hour')} ${amount(minutes % 60, 'minute')}`
}
