// Clicks twice, waits for the route, tells in the document what the page then shows, and removes the points with Escape.
addEventListener('load', async () => {
  const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds))
  const click = (x, y) => ['pointerdown', 'pointerup'].forEach(name =>
    canvas.dispatchEvent(new PointerEvent(name, { pointerId: 1, clientX: x, clientY: y, bubbles: true })))
  canvas.setPointerCapture = () => {}
  await wait(1500)
  click(450, 250)
  click(600, 400)
  await wait(1500)
  const result = { points: points.length, answer: $('answer').textContent, line: drawn.line ? drawn.line.length : 0,
    tiles: [...tiles.values()].filter(roads => roads.length).length }
  dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
  result.after = points.length
  document.body.append('CLICKED ' + JSON.stringify(result) + ' ')
  document.body.append(document.createElement('hr'))
})
