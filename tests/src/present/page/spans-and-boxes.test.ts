import { expect, test } from 'vitest'
import { parseBoxes } from '../../../../src/present/page/samples/boxes.js'
import { findSpans } from '../../../../src/present/page/samples/spans.js'

test.each([
  ['The answer is A. And so on', 'A', [[14, 15]]],
  ['12 and 2', 2, [[7, 8]]],
  ['12', 2, []],
  ['Blue it is', 'blue', [[0, 4]]],
  [
    'a, b',
    ['a', 'b'],
    [
      [0, 1],
      [3, 4],
    ],
  ],
  ['so: (B)', '(B)', [[4, 7]]],
  ['nothing', '', []],
  ['nothing', null, []],
])('finds in %j the extracted value %j at %j', (answer, value, spans) => {
  expect(findSpans(answer, value)).toEqual(spans)
})

const picture = { width: 200, height: 100 }

test.each([
  [
    [0.1, 0.2, 0.3, 0.4],
    [0.1, 0.2, 0.3, 0.4],
  ],
  [
    [20, 10, 100, 50],
    [0.1, 0.1, 0.5, 0.5],
  ],
  [
    [20, 10, 900, 500],
    [0.02, 0.01, 0.9, 0.5],
  ],
  ['the box is [[20, 10, 100, 50]].', [0.1, 0.1, 0.5, 0.5]],
  [{ bbox: [20, 10, 100, 50] }, [0.1, 0.1, 0.5, 0.5]],
])('reads a box from %j', (value, corners) => {
  expect(parseBoxes('target', value, picture)).toEqual([{ of: 'target', corners }])
})

test.each([[[5, 5, 1, 1]], [[20, 10, 9000, 50]], ['no box'], [[1, 2, 3]], [null]])('reads no box from %j', value => {
  expect(parseBoxes('answer', value, picture)).toEqual([])
})
